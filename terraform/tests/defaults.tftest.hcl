# What the module makes of few variables, and of many. Nothing here talks to AWS.

mock_provider "aws" {
  source = "./tests/mocks"
}

variables {
  agent_role_arns = ["arn:aws:iam::111122223333:role/agents"]
}

run "without_a_function" {
  assert {
    condition     = output.bucket_name != null && aws_s3_bucket.memory.bucket == "agent-memory-111122223333-eu-central-1"
    error_message = "The bucket is named by deployment, account and region."
  }

  assert {
    condition     = !aws_s3_bucket.memory.force_destroy
    error_message = "A bucket with memory in it is not deleted unless asked for."
  }

  assert {
    condition = alltrue([
      aws_s3_bucket_public_access_block.memory.block_public_acls,
      aws_s3_bucket_public_access_block.memory.block_public_policy,
      aws_s3_bucket_public_access_block.memory.ignore_public_acls,
      aws_s3_bucket_public_access_block.memory.restrict_public_buckets,
      aws_s3_bucket_versioning.memory.versioning_configuration[0].status == "Enabled",
      aws_s3_bucket_ownership_controls.memory.rule[0].object_ownership == "BucketOwnerEnforced",
    ])
    error_message = "The bucket is private, versioned and without ACLs."
  }

  assert {
    condition     = one(aws_s3_bucket_server_side_encryption_configuration.memory.rule).apply_server_side_encryption_by_default[0].sse_algorithm == "AES256"
    error_message = "The bucket encrypts by itself, without KMS."
  }

  assert {
    condition     = aws_kms_key.memory[0].enable_key_rotation && aws_kms_key.memory[0].deletion_window_in_days == 30
    error_message = "The key rotates, and takes its time to be deleted."
  }

  assert {
    condition     = aws_kms_alias.memory[0].name == "alias/agent-memory"
    error_message = "The key has an alias."
  }

  assert {
    condition     = { for rule in aws_s3_bucket_lifecycle_configuration.memory.rule : rule.id => rule.status } == { expire-memories = "Disabled", forget-old-memories = "Enabled", forget-old-intents = "Enabled", forget-old-records = "Enabled", forget-batch-work = "Enabled", abort-multipart-uploads = "Enabled" }
    error_message = "Memory does not expire unless asked for. Manifests and reports do, also when there are no more jobs: they name files."
  }

  assert {
    condition     = length(aws_lambda_function.agent) == 0 && length(aws_iam_role.function) == 0 && length(aws_cloudwatch_log_group.function) == 0 && output.function_name == null
    error_message = "No package, no function."
  }

  assert {
    condition     = length(aws_iam_role.batch) == 0 && length(aws_iam_role.bulk) == 0 && length(aws_lambda_function.bulk) == 0 && length(aws_cloudtrail.data_events) == 0 && length(aws_s3_bucket_metric.memory) == 0 && length(aws_s3_bucket_logging.memory) == 0
    error_message = "What costs extra is not made unless asked for."
  }

  assert {
    condition     = output.alarm_names == ["agent-memory-kms-quota"]
    error_message = "Without a function, KMS's quota is what there is to watch."
  }
}

run "key_rings_never_expire" {
  variables {
    memory_expiry_days      = 90
    noncurrent_version_days = 7
    prefix                  = "prod/"
    batch_function          = { arn = "arn:aws:lambda:eu-central-1:111122223333:function:bulk" }
  }

  assert {
    condition = alltrue([
      for rule in aws_s3_bucket_lifecycle_configuration.memory.rule :
      contains(["prod/memories/", "prod/intents/", "prod/redactions/", "prod/batch/"], rule.filter[0].prefix)
      if length(rule.expiration) + length(rule.noncurrent_version_expiration) > 0
    ])
    error_message = "A rule that expires something is about memories, intents, records or batch work, never about key rings."
  }

  assert {
    condition     = [for rule in aws_s3_bucket_lifecycle_configuration.memory.rule : rule.filter[0].prefix if rule.status == "Enabled" && try(rule.expiration[0].days, 0) == 90 && rule.id == "expire-memories"] == ["prod/memories/"]
    error_message = "Memory expires after the time asked for."
  }

  assert {
    condition     = [for rule in aws_s3_bucket_lifecycle_configuration.memory.rule : rule.noncurrent_version_expiration[0].noncurrent_days if rule.id == "forget-old-memories"] == [7]
    error_message = "Old versions of memory are kept for the time asked for."
  }
}

run "an_mcp_server" {
  variables {
    function_zip_path = "versions.tf" # any file: nothing is uploaded
    mcp = {
      issuer       = "https://login.example.com"
      audience     = "https://memory.example.com/mcp"
      jwks_url     = "https://login.example.com/jwks"
      tenant_claim = "tenant"
    }
  }

  assert {
    condition     = aws_lambda_function.agent[0].handler == "s3memory.adapters.mcp.lambda_handler"
    error_message = "The function is the MCP server."
  }

  assert {
    condition     = aws_lambda_function.agent[0].environment[0].variables["S3MEMORY_MCP_ISSUER"] == "https://login.example.com"
    error_message = "It knows who issues tokens."
  }

  assert {
    condition     = aws_lambda_function.agent[0].environment[0].variables["S3MEMORY_MCP_TENANT_CLAIM"] == "tenant"
    error_message = "It knows which claim names the tenant."
  }

  assert {
    condition     = !contains(keys(aws_lambda_function.agent[0].environment[0].variables), "S3MEMORY_MCP_RESOURCE_URL")
    error_message = "Nothing is set that is not given."
  }
}

run "with_everything" {
  variables {
    name                          = "full"
    prefix                        = "prod/"
    name_mode                     = "encrypted-required"
    key_cache_seconds             = 60
    function_zip_path             = "versions.tf" # any file: nothing is uploaded
    function_timeout_seconds      = 100
    function_reserved_concurrency = 0
    function_environment          = { LOG_LEVEL = "INFO", AWS_USE_FIPS_ENDPOINT = "true" }
    function_policy_arns          = { api_key = "arn:aws:iam::111122223333:policy/api-key" }
    function_snap_start           = true
    function_tracing              = true
    function_vpc                  = { subnet_ids = ["subnet-1"], security_group_ids = ["sg-1"] }
    permissions_boundary_arn      = "arn:aws:iam::111122223333:policy/boundary"
    access_logs                   = { bucket = "logs" }
    alarm_topic_arns              = ["arn:aws:sns:eu-central-1:111122223333:alarms"]
    request_metrics_enabled       = true
    audit_trail_enabled           = true
    batch_function                = { arn = "arn:aws:lambda:eu-central-1:111122223333:function:bulk" }
  }

  assert {
    condition = aws_lambda_function.agent[0].environment[0].variables == tomap({
      AWS_USE_FIPS_ENDPOINT      = "true"
      LOG_LEVEL                  = "INFO"
      S3MEMORY_BUCKET            = "full-111122223333-eu-central-1"
      S3MEMORY_BUCKET_OWNER      = "111122223333"
      S3MEMORY_PREFIX            = "prod/"
      S3MEMORY_KMS_KEY_ID        = "arn:aws:kms:eu-central-1:111122223333:key/00000000-0000-0000-0000-000000000000"
      S3MEMORY_NAME_MODE         = "encrypted-required"
      S3MEMORY_KEY_CACHE_SECONDS = "60"
      S3MEMORY_TENANT_ROLE_ARN   = "arn:aws:iam::111122223333:role/full-tenant"
    })
    error_message = "The function has its settings, and the caller's."
  }

  assert {
    condition     = aws_lambda_function.agent[0].reserved_concurrent_executions == 0
    error_message = "A concurrency of 0 stops the function; it is not the same as none."
  }

  assert {
    condition     = aws_lambda_function.agent[0].snap_start[0].apply_on == "PublishedVersions" && aws_lambda_function.agent[0].publish && aws_lambda_function.agent[0].tracing_config[0].mode == "Active"
    error_message = "SnapStart needs published versions."
  }

  assert {
    condition     = alltrue([for role in [aws_iam_role.tenant, aws_iam_role.function[0], aws_iam_role.batch[0]] : role.permissions_boundary == "arn:aws:iam::111122223333:policy/boundary"])
    error_message = "Every role has the boundary."
  }

  assert {
    condition     = aws_cloudwatch_metric_alarm.of_a_metric["duration"].threshold == 80000
    error_message = "The alarm on the duration goes off at 80 of 100 s, in milliseconds."
  }

  assert {
    condition     = length(output.alarm_names) == 12 && alltrue([for alarm in concat(values(aws_cloudwatch_metric_alarm.of_a_metric), aws_cloudwatch_metric_alarm.kms_quota) : alarm.alarm_actions == toset(["arn:aws:sns:eu-central-1:111122223333:alarms"])])
    error_message = "Every alarm reaches somebody."
  }

  assert {
    condition     = [for selector in one(aws_cloudtrail.data_events[0].advanced_event_selector).field_selector : selector.starts_with if selector.field == "resources.ARN"] == [tolist(["arn:aws:s3:::full-111122223333-eu-central-1/"])]
    error_message = "The trail records the memory's bucket only."
  }

  assert {
    condition     = aws_s3_bucket_logging.memory[0].target_bucket == "logs" && aws_cloudwatch_log_group.function[0].retention_in_days == 365
    error_message = "Logs go where they are asked to, and are kept for a year."
  }
}

run "without_alarms" {
  variables {
    function_zip_path = "versions.tf"
    alarms_enabled    = false
  }

  assert {
    condition     = output.alarm_names == [] && length(aws_cloudwatch_log_metric_filter.memory_failures) == 0
    error_message = "Alarms can be left to somebody else."
  }
}

run "with_a_key_of_ones_own" {
  variables {
    kms_key = { arn = "arn:aws:kms:eu-central-1:111122223333:key/11111111-1111-1111-1111-111111111111" }
  }

  assert {
    condition     = length(aws_kms_key.memory) == 0 && length(aws_kms_alias.memory) == 0 && output.kms_key_arn == var.kms_key.arn
    error_message = "No key is made where one is given."
  }

  assert {
    condition     = [for statement in jsondecode(aws_iam_role_policy.tenant.policy).Statement : statement.Resource if statement.Sid == "OwnDataKeys"] == [var.kms_key.arn]
    error_message = "The tenant role is about the key that was given."
  }
}

run "a_dashboard_names_tenants_only_where_asked" {
  variables {
    dashboard_enabled = true
  }

  assert {
    condition     = length(jsondecode(aws_cloudwatch_dashboard.memory[0].dashboard_body).widgets) == 8
    error_message = "The dashboard shows commands, latency, refusals, failures, conflicts and redactions."
  }

  assert {
    condition     = !strcontains(aws_cloudwatch_dashboard.memory[0].dashboard_body, "tenant")
    error_message = "The dashboard names no tenant."
  }
}

run "the_authorizer_hands_on_the_actor_that_the_function_looks_for" {
  variables {
    function_zip_path    = "versions.tf" # any file: nothing is uploaded
    function_environment = { AGENT_ACTOR_CLAIM = "email", LOG_LEVEL = "INFO" }
    api = {
      issuer       = "https://login.example.com"
      audience     = "agents"
      jwks_url     = "https://login.example.com/jwks"
      tenant_claim = "org"
    }
  }

  assert {
    condition = aws_lambda_function.authorizer[0].environment[0].variables == tomap({
      AUTHORIZER_ISSUER   = "https://login.example.com"
      AUTHORIZER_AUDIENCE = "agents"
      AUTHORIZER_JWKS_URL = "https://login.example.com/jwks"
      AGENT_TENANT_CLAIM  = "org"
      AGENT_ACTOR_CLAIM   = "email"
    })
    error_message = "The authorizer reads tokens, and the function what that makes of them."
  }

  assert {
    condition     = !contains(keys(aws_lambda_function.agent[0].environment[0].variables), "AGENT_TENANT_CLAIM")
    error_message = "The authorizer names the tenant `tenant`, whatever the claim is called."
  }
}

run "what_the_same_apply_makes_can_be_given" {
  command = plan

  module {
    source = "./tests/same_apply"
  }
}
