# How the function is released, what is in front of it, and what is watched.

mock_provider "aws" {
  source = "./tests/mocks"
}

variables {
  name              = "memory"
  bucket_name       = "store"
  function_zip_path = "versions.tf" # any file: nothing is uploaded
}

run "the_newest_version_serves_all" {
  assert {
    condition = alltrue([
      aws_lambda_function.agent[0].publish,
      aws_lambda_alias.live[0].function_version == aws_lambda_function.agent[0].version,
      length(aws_lambda_alias.live[0].routing_config) == 0,
    ])
    error_message = "Without a stable version, the alias is the newest version alone."
  }

  assert {
    condition     = length(aws_api_gateway_rest_api.agent) == 0 && length(aws_dynamodb_table.limits) == 0
    error_message = "An API and limits are made on request."
  }
}

run "a_new_version_is_tried_on_a_share_of_the_requests" {
  variables {
    function_stable_version      = "7"
    function_new_version_percent = 10
  }

  assert {
    condition = alltrue([
      aws_lambda_alias.live[0].function_version == "7",
      aws_lambda_alias.live[0].routing_config[0].additional_version_weights == tomap({ "1" = 0.1 }),
    ])
    error_message = "The stable version serves all but the new one's share."
  }
}

run "the_way_back_is_the_stable_version_alone" {
  variables {
    function_stable_version = "7"
  }

  assert {
    condition     = aws_lambda_alias.live[0].function_version == "7" && length(aws_lambda_alias.live[0].routing_config) == 0
    error_message = "At 0 percent, the new version serves nothing."
  }
}

run "an_api_invokes_the_alias_and_checks_tokens" {
  variables {
    api                      = { issuer = "https://i", audience = "a", jwks_url = "https://i/jwks", timeout_seconds = 60, requests_per_second = 5 }
    function_timeout_seconds = 60
  }

  assert {
    condition = alltrue([
      aws_api_gateway_integration.agent[0].uri == aws_lambda_alias.live[0].invoke_arn,
      aws_api_gateway_integration.agent[0].timeout_milliseconds == 60000,
      aws_api_gateway_method.post[0].authorization == "CUSTOM",
      aws_lambda_permission.agent[0].qualifier == "live",
      aws_api_gateway_method_settings.all[0].settings[0].throttling_rate_limit == 5,
      !aws_api_gateway_method_settings.all[0].settings[0].data_trace_enabled,
    ])
    error_message = "The API invokes the alias for callers with a token, and logs no content."
  }

  assert {
    condition     = length(aws_wafv2_web_acl_association.api) == 0
    error_message = "A WAF is the caller's choice."
  }
}

run "limits_are_counted_in_a_table_that_the_function_may_use" {
  variables {
    tenant_limits = { messages_per_minute = 30, tokens_per_day = 1000 }
  }

  assert {
    condition = alltrue([
      output.environment["AGENT_LIMITS_TABLE"] == aws_dynamodb_table.limits[0].name,
      contains([for statement in jsondecode(output.policies["function_role"]).Statement : statement.Sid], "CountWhatTenantsUse"),
    ])
    error_message = "The function knows the table and may count in it."
  }
}

run "what_cloudtrail_sees_is_watched_where_there_is_a_trail" {
  variables {
    audit_trail_enabled = true
  }

  assert {
    condition     = toset(keys(aws_cloudwatch_metric_alarm.watched)) == toset(["key-ring-changes", "denied-calls", "assume-role-throttles"])
    error_message = "Key rings, denied calls and throttles of STS are watched."
  }

  assert {
    condition     = jsondecode(aws_cloudwatch_event_rule.watched["denied-calls"].event_pattern).detail["$or"][0].requestParameters.key == [{ anything-but = { prefix = "keyrings/" } }]
    error_message = "Key rings that are missing by design set off no alarm."
  }
}

run "deletion_is_refused_unless_it_is_said_otherwise" {
  variables {
    deletion_protection = false
  }

  assert {
    condition = alltrue([
      !contains([for statement in jsondecode(output.policies["bucket"]).Statement : statement.Sid], "BucketStays"),
      contains(jsondecode(output.policies["kms_key"]).Statement[0].Action, "kms:ScheduleKeyDeletion"),
    ])
    error_message = "Without protection, bucket and key can be deleted."
  }
}
