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
      aws_lambda_function.agent[0].timeout == 120,
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
    logs_kms_key_arn         = "arn:aws:kms:eu-central-1:111122223333:key/0"
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
    condition = alltrue([
      aws_cloudwatch_log_group.api_execution[0].name == "API-Gateway-Execution-Logs_${aws_api_gateway_rest_api.agent[0].id}/live",
      aws_cloudwatch_log_group.api_execution[0].retention_in_days == 365,
      aws_cloudwatch_log_group.api_execution[0].kms_key_id == var.logs_kms_key_arn,
    ])
    error_message = "What API Gateway logs of failed requests is kept as long as the rest, and under the same key."
  }

  assert {
    condition = alltrue([
      contains(output.alarm_names, "memory-api-errors"),
      try(aws_cloudwatch_metric_alarm.of_a_metric["api-errors"].dimensions, null) == tomap({ ApiName = aws_api_gateway_rest_api.agent[0].name, Stage = "live" }),
    ])
    error_message = "Callers that the authorizer fails never reach the function, whose alarms see nothing of it."
  }

  assert {
    condition     = length(aws_wafv2_web_acl_association.api) == 0
    error_message = "A WAF is the caller's choice."
  }
}

run "the_function_ends_before_the_api_gives_up" {
  variables {
    api = { issuer = "https://i", audience = "a", jwks_url = "https://i/jwks" }
  }

  assert {
    condition = alltrue([
      aws_api_gateway_integration.agent[0].timeout_milliseconds == 29000,
      aws_lambda_function.agent[0].timeout == 24,
      aws_cloudwatch_metric_alarm.of_a_metric["duration"].threshold == 19200,
    ])
    error_message = "Behind an API, the function has the time that the API waits, less 5 s for a cold start."
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
    condition     = toset([for name in ["key-ring-changes", "kms-key-changes", "bucket-changes", "denied-calls", "assume-role-throttles"] : "memory-${name}"]) == setsubtract(output.alarm_names, [for name in ["errors", "throttles", "duration", "memory-failures", "sts-throttles", "kms-quota"] : "memory-${name}"])
    error_message = "Key rings, KMS keys, the bucket, denied calls and throttles of STS are watched."
  }

  assert {
    condition     = jsondecode(aws_cloudwatch_event_rule.watched["denied-calls"].event_pattern).detail["$or"][1].requestParameters.key == [{ anything-but = { prefix = "keyrings/" } }]
    error_message = "Key rings that are missing by design set off no alarm."
  }

  assert {
    condition     = jsondecode(aws_cloudwatch_event_rule.watched["denied-calls"].event_pattern).detail["$or"][0].eventName == [{ anything-but = ["GetObject", "HeadObject"] }]
    error_message = "A tenant that tries to replace or delete a key ring does."
  }
}

run "whoever_changes_a_key_ring_is_seen_users_and_batches_of_deletes_too" {
  variables {
    audit_trail_enabled = true
  }

  assert {
    condition = alltrue([
      contains(jsondecode(aws_cloudwatch_event_rule.watched["key-ring-changes"].event_pattern).detail.userIdentity.sessionContext.sessionIssuer.arn, { exists = false }),
      anytrue([for way in jsondecode(aws_cloudwatch_event_rule.watched["key-ring-changes"].event_pattern).detail["$or"] : contains(way.eventName, "DeleteObjects") && !contains(keys(way.requestParameters), "key")]),
      aws_cloudwatch_event_rule.watched["denied-calls"].state == "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS",
    ])
    error_message = "A pattern that asks for a session's role, or for a key, misses who has none."
  }
}

run "whoever_takes_a_key_away_is_seen_while_it_can_be_undone" {
  variables {
    audit_trail_enabled = true
    older_kms_key_arns  = ["arn:aws:kms:eu-central-1:111122223333:key/00000000-0000-0000-0000-000000000001"]
  }

  assert {
    condition = alltrue([
      jsondecode(aws_cloudwatch_event_rule.watched["kms-key-changes"].event_pattern).detail.eventName == ["DisableKey", "ScheduleKeyDeletion", "PutKeyPolicy", "DeleteImportedKeyMaterial"],
      jsondecode(aws_cloudwatch_event_rule.watched["kms-key-changes"].event_pattern).detail.resources.ARN == [output.kms_key_arn, "arn:aws:kms:eu-central-1:111122223333:key/00000000-0000-0000-0000-000000000001"],
      output.kms_key_arn != null,
    ])
    error_message = "Keys of today and older ones are watched."
  }
}

run "whoever_changes_the_bucket_is_seen" {
  variables {
    audit_trail_enabled = true
  }

  assert {
    condition     = jsondecode(aws_cloudwatch_event_rule.watched["bucket-changes"].event_pattern).detail.requestParameters.bucketName == [aws_s3_bucket.memory.bucket]
    error_message = "Settings of this bucket are watched."
  }
}

run "there_is_no_key_to_watch_where_each_tenant_has_its_own" {
  variables {
    audit_trail_enabled = true
    tenant_kms_keys     = { alias = "alias/memory-{tenant}", with_shared_key = false }
  }

  assert {
    condition     = !contains(keys(aws_cloudwatch_event_rule.watched), "kms-key-changes")
    error_message = "A pattern without a value is none that EventBridge takes."
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

run "codedeploy_moves_the_alias_and_looks_at_the_alarms" {
  variables {
    function_release = "LambdaCanary10Percent15Minutes"
  }

  assert {
    condition = alltrue([
      length(aws_lambda_alias.live) == 0,
      aws_lambda_alias.released[0].name == "live",
      output.function_alias_arn == aws_lambda_alias.released[0].arn,
      aws_codedeploy_deployment_group.live[0].deployment_config_name == "CodeDeployDefault.LambdaCanary10Percent15Minutes",
      aws_codedeploy_deployment_group.live[0].auto_rollback_configuration[0].enabled,
      contains(aws_codedeploy_deployment_group.live[0].auto_rollback_configuration[0].events, "DEPLOYMENT_STOP_ON_ALARM"),
      toset(aws_codedeploy_deployment_group.live[0].alarm_configuration[0].alarms) == toset(["memory-errors", "memory-duration", "memory-memory-failures"]),
    ])
    error_message = "CodeDeploy shifts requests in steps, and goes back on an alarm."
  }

  assert {
    condition     = !strcontains(aws_iam_role_policy.release[0].policy, "\"*\"")
    error_message = "CodeDeploy's role moves this function's alias alone."
  }

  assert {
    condition     = one(jsondecode(aws_iam_role.release[0].assume_role_policy).Statement).Principal.Service == "codedeploy.amazonaws.com"
    error_message = "CodeDeploy takes the role up by its name."
  }
}

run "codedeploy_has_a_name_of_its_own_in_china" {
  variables {
    function_release = "LambdaCanary10Percent15Minutes"
  }

  override_data {
    target = data.aws_partition.current
    values = { partition = "aws-cn" }
  }

  assert {
    condition     = one(jsondecode(aws_iam_role.release[0].assume_role_policy).Statement).Principal.Service == "codedeploy.amazonaws.com.cn"
    error_message = "CodeDeploy's principal in China ends in .cn."
  }
}

run "codedeploy_has_its_usual_name_in_govcloud" {
  variables {
    function_release = "LambdaCanary10Percent15Minutes"
  }

  override_data {
    target = data.aws_partition.current
    values = { partition = "aws-us-gov" }
  }

  assert {
    condition     = one(jsondecode(aws_iam_role.release[0].assume_role_policy).Statement).Principal.Service == "codedeploy.amazonaws.com"
    error_message = "CodeDeploy's principal in GovCloud is the usual one."
  }
}

run "throttles_of_sts_are_watched_in_the_logs_of_whoever_becomes_a_tenant" {
  variables {
    bulk_operations = ["verify", "reseal"]
  }

  assert {
    condition = alltrue([
      toset(keys(aws_cloudwatch_log_metric_filter.sts_throttles)) == toset(["agent", "verify", "reseal"]),
      alltrue([for filter in aws_cloudwatch_log_metric_filter.sts_throttles : filter.metric_transformation[0].name == aws_cloudwatch_metric_alarm.of_a_metric["sts-throttles"].metric_name]),
    ])
    error_message = "The function's and the bulk functions' logs feed one alarm."
  }
}

run "bulk_work_maps_over_batches_and_leaves_room_for_agents" {
  variables {
    bulk_maps_enabled = true
    bulk_operations   = ["verify"]
  }

  assert {
    condition = alltrue([
      aws_lambda_function.bulk["verify"].reserved_concurrent_executions == 10,
      jsondecode(aws_sfn_state_machine.bulk["verify"].definition).States.EachBatch.MaxConcurrency == 10,
      jsondecode(aws_sfn_state_machine.bulk["verify"].definition).States.EachBatch.ItemReader.ReaderConfig.InputType == "JSONL",
      contains(jsondecode(aws_sfn_state_machine.bulk["verify"].definition).States.EachBatch.ItemProcessor.States.Work.Retry[0].ErrorEquals, "UnfinishedBatchError"),
    ])
    error_message = "A map runs no more batches at once than its function may."
  }
}

run "a_dashboard_has_no_metrics_of_bulk_work" {
  variables {
    dashboard_enabled = true
    bulk_operations   = ["verify"]
  }

  assert {
    condition     = aws_lambda_function.agent[0].environment[0].variables["S3MEMORY_AUDIT"] == "emf"
    error_message = "The dashboard shows what agents do."
  }

  assert {
    condition     = !contains(keys(aws_lambda_function.bulk["verify"].environment[0].variables), "S3MEMORY_AUDIT")
    error_message = "A job over millions of objects prints a line for none of them."
  }
}

run "bulk_work_is_audited_where_that_is_asked_for" {
  variables {
    dashboard_enabled    = true
    bulk_operations      = ["verify"]
    function_environment = { S3MEMORY_AUDIT = "on", AWS_USE_FIPS_ENDPOINT = "true", LOG_LEVEL = "INFO" }
  }

  assert {
    condition     = aws_lambda_function.bulk["verify"].environment[0].variables["S3MEMORY_AUDIT"] == "on"
    error_message = "What the caller sets holds for bulk work, too."
  }

  assert {
    condition = {
      for name, value in aws_lambda_function.bulk["verify"].environment[0].variables : name => value if !startswith(name, "S3MEMORY_")
    } == { AWS_USE_FIPS_ENDPOINT = "true" }
    error_message = "So does what is for AWS's SDK, and nothing of the agent's own."
  }
}

run "a_map_without_reserved_concurrency_is_bounded_all_the_same" {
  variables {
    bulk_maps_enabled         = true
    bulk_operations           = ["verify"]
    bulk_reserved_concurrency = -1
  }

  assert {
    condition     = jsondecode(aws_sfn_state_machine.bulk["verify"].definition).States.EachBatch.MaxConcurrency == 10
    error_message = "0 would be as many as Step Functions starts."
  }
}

run "rings_are_recorded_in_a_table_that_is_watched" {
  variables {
    ring_register_enabled = true
    bulk_operations       = ["verify"]
  }

  assert {
    condition = alltrue([
      output.environment["S3MEMORY_KEY_RING_TABLE"] == aws_dynamodb_table.key_rings[0].name,
      aws_dynamodb_table.key_rings[0].hash_key == "tenant",
      aws_dynamodb_table.key_rings[0].deletion_protection_enabled,
      aws_dynamodb_resource_policy.key_rings[0].policy == output.policies["ring_table"],
      toset(keys(aws_cloudwatch_log_metric_filter.older_key_ring)) == toset(["agent", "verify"]),
      contains(output.alarm_names, "memory-older-key-ring"),
    ])
    error_message = "The function knows the table, and an older ring sets off an alarm."
  }
}

run "whoever_writes_a_record_and_is_no_tenant_is_seen" {
  variables {
    ring_register_enabled = true
    audit_trail_enabled   = true
  }

  assert {
    condition = alltrue([
      contains(output.alarm_names, "memory-ring-record-changes"),
      jsondecode(aws_cloudwatch_event_rule.watched["ring-record-changes"].event_pattern).detail.resources.ARN == ["arn:aws:dynamodb:eu-central-1:111122223333:table/memory-key-rings"],
      length(aws_cloudtrail.data_events[0].advanced_event_selector) == 2,
    ])
    error_message = "The trail records writes to the register, and an alarm tells of those that are no tenant's."
  }
}

run "a_tenants_own_key_wraps_first_and_the_shared_one_unwraps" {
  variables {
    kms_key         = { arn = "arn:aws:kms:eu-central-1:111122223333:key/0" }
    tenant_kms_keys = { alias = "alias/memory-{tenant}" }
  }

  assert {
    condition     = output.environment["S3MEMORY_KMS_KEY_ID"] == "alias/memory-{tenant},arn:aws:kms:eu-central-1:111122223333:key/0"
    error_message = "New key rings are under the tenant's key, and older ones still open."
  }
}

run "no_shared_key_where_none_is_wanted" {
  variables {
    tenant_kms_keys = { alias = "alias/memory-{tenant}", with_shared_key = false }
  }

  assert {
    condition = alltrue([
      length(aws_kms_key.memory) == 0,
      output.kms_key_arn == null,
      output.environment["S3MEMORY_KMS_KEY_ID"] == "alias/memory-{tenant}",
      !contains([for statement in jsondecode(output.policies["tenant_role"]).Statement : statement.Sid], "OwnDataKeys"),
    ])
    error_message = "Without a shared key nobody has leave to use one."
  }
}

run "a_key_that_exists_is_kept_while_tenants_move_to_their_own" {
  variables {
    tenant_kms_keys = { alias = "alias/memory-{tenant}" }
  }

  assert {
    condition     = length(aws_kms_key.memory) == 1
    error_message = "Without the shared key, the key rings of before would be lost."
  }
}

run "the_modules_key_still_unwraps_where_another_takes_its_place" {
  variables {
    kms_key            = { arn = "arn:aws:kms:eu-central-1:444455556666:key/1" }
    keep_made_kms_key  = true
    operator_role_arns = ["arn:aws:iam::111122223333:role/operators"]
  }

  assert {
    condition     = length(aws_kms_key.memory) == 1 && length(aws_kms_alias.memory) == 1
    error_message = "The key that opens rings is not destroyed."
  }

  assert {
    condition     = output.kms_key_arn == var.kms_key.arn && output.environment["S3MEMORY_KMS_KEY_ID"] == "${var.kms_key.arn},${aws_kms_key.memory[0].arn}"
    error_message = "The new key wraps, and both unwrap."
  }

  assert {
    condition = { for statement in jsondecode(output.policies["tenant_role"]).Statement : statement.Sid => [statement.Action, statement.Resource] if endswith(statement.Sid, "DataKeys") } == {
      OwnDataKeys      = [["kms:Decrypt", "kms:GenerateDataKey"], var.kms_key.arn]
      OwnOlderDataKeys = ["kms:Decrypt", [aws_kms_key.memory[0].arn]]
    }
    error_message = "A tenant unwraps by the older key, and makes nothing with it."
  }

  assert {
    condition = {
      for statement in jsondecode(output.policies["tenant_role"]).Statement : statement.Sid => statement.Condition if endswith(statement.Sid, "DataKeys")
      }["OwnOlderDataKeys"] == {
      for statement in jsondecode(output.policies["tenant_role"]).Statement : statement.Sid => statement.Condition if endswith(statement.Sid, "DataKeys")
    }["OwnDataKeys"]
    error_message = "The older key is held to the tenant's own context, too."
  }

  assert {
    condition = { for statement in jsondecode(output.policies["operator"]).Statement : statement.Sid => [statement.Action, statement.Resource] if endswith(statement.Sid, "DataKeys") } == {
      DataKeys      = [["kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey"], var.kms_key.arn]
      OlderDataKeys = ["kms:Decrypt", [aws_kms_key.memory[0].arn]]
    }
    error_message = "Operators unwrap by the older key, and wrap under the new one."
  }

  assert {
    condition     = jsondecode(aws_kms_key.memory[0].policy).Statement[0].Principal.AWS == "arn:aws:iam::111122223333:root"
    error_message = "The module's key is this account's to administer, wherever the other one is."
  }
}

run "older_keys_of_another_account_unwrap_after_the_modules_own" {
  variables {
    older_kms_key_arns = ["arn:aws:kms:eu-central-1:444455556666:key/1", "arn:aws:kms:eu-central-1:777788889999:key/2"]
  }

  assert {
    condition     = output.environment["S3MEMORY_KMS_KEY_ID"] == join(",", concat([aws_kms_key.memory[0].arn], var.older_kms_key_arns))
    error_message = "The key of today comes first."
  }

  assert {
    condition = one([
      for statement in jsondecode(output.policies["tenant_role"]).Statement : statement.Condition.StringNotEquals["aws:ResourceAccount"] if statement.Sid == "NothingOfOtherAccounts"
    ]) == ["111122223333", "444455556666", "777788889999"]
    error_message = "Tenants may use the older keys, though they are of other accounts."
  }
}

run "the_shared_key_still_unwraps_where_tenants_have_moved_to_their_own" {
  variables {
    tenant_kms_keys   = { alias = "alias/memory-{tenant}", with_shared_key = false }
    keep_made_kms_key = true
  }

  assert {
    condition = alltrue([
      length(aws_kms_key.memory) == 1,
      output.kms_key_arn == null,
      output.environment["S3MEMORY_KMS_KEY_ID"] == "alias/memory-{tenant},${aws_kms_key.memory[0].arn}",
      [for statement in jsondecode(output.policies["tenant_role"]).Statement : statement.Sid if endswith(statement.Sid, "DataKeys")] == ["OwnOlderDataKeys"],
    ])
    error_message = "Nothing is wrapped under the shared key any more, and what was still opens."
  }
}

run "a_switch_to_keep_the_modules_key_changes_nothing_while_it_is_the_key_of_today" {
  variables {
    keep_made_kms_key = true
  }

  assert {
    condition     = length(aws_kms_key.memory) == 1 && output.environment["S3MEMORY_KMS_KEY_ID"] == aws_kms_key.memory[0].arn
    error_message = "The key is named once."
  }
}

run "endpoints_lead_to_the_deployment_alone" {
  variables {
    ring_register_enabled = true
    vpc_endpoints = {
      vpc_id             = "vpc-1"
      route_table_ids    = ["rtb-1"]
      subnet_ids         = ["subnet-1"]
      security_group_ids = ["sg-1"]
    }
  }

  assert {
    condition = alltrue([
      toset(keys(aws_vpc_endpoint.gateway)) == toset(["s3", "dynamodb"]),
      toset(keys(aws_vpc_endpoint.interface)) == toset(["kms", "sts", "secretsmanager"]),
      alltrue([for endpoint in aws_vpc_endpoint.interface : endpoint.private_dns_enabled]),
      aws_vpc_endpoint.gateway["s3"].service_name == "com.amazonaws.eu-central-1.s3",
      jsondecode(aws_vpc_endpoint.gateway["s3"].policy).Statement[0].Resource == ["arn:aws:s3:::store", "arn:aws:s3:::store/*"],
      jsondecode(aws_vpc_endpoint.interface["sts"].policy).Statement[0].Resource == "arn:aws:iam::111122223333:role/memory-tenant",
      [for statement in jsondecode(aws_vpc_endpoint.gateway["dynamodb"].policy).Statement : statement.Resource] == ["arn:aws:dynamodb:eu-central-1:111122223333:table/memory-key-rings"],
    ])
    error_message = "Each endpoint has a policy that names what is behind it."
  }
}

run "key_rings_can_be_held_by_operators" {
  variables {
    object_lock_enabled = true
    operator_role_arns  = ["arn:aws:iam::111122223333:role/operators"]
  }

  assert {
    condition = alltrue([
      length(aws_s3_bucket_object_lock_configuration.memory) == 1,
      length(aws_s3_bucket_object_lock_configuration.memory[0].rule) == 0,
      contains([for statement in jsondecode(output.policies["operator"]).Statement : statement.Sid], "HoldKeyRings"),
    ])
    error_message = "The bucket takes holds, and holds nothing by itself."
  }
}

run "an_inventory_lists_memory_files" {
  variables {
    inventory = { bucket = "inventories" }
  }

  assert {
    condition = alltrue([
      aws_s3_bucket_inventory.memory[0].filter[0].prefix == "memories/",
      aws_s3_bucket_inventory.memory[0].destination[0].bucket[0].bucket_arn == "arn:aws:s3:::inventories",
    ])
    error_message = "The inventory is of current memory files."
  }
}
