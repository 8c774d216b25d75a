# Values that the module refuses before anything is made.

mock_provider "aws" {
  source = "./tests/mocks"
}

variables {
  agent_role_arns = ["arn:aws:iam::111122223333:role/agents"]
}

run "refused" {
  command = plan

  variables {
    name                          = "Agent_Memory"
    tags                          = { Tenant = "acme" }
    permissions_boundary_arn      = "boundary"
    bucket_name                   = "Bucket"
    bucket_owner                  = "1111-2222-3333"
    prefix                        = "prod"
    memory_expiry_days            = 0
    noncurrent_version_days       = 0.5
    access_logs                   = { bucket = "no bucket" }
    kms_key                       = { arn = "arn:aws:kms:eu-central-1:111122223333:alias/memory" }
    kms_deletion_window_days      = 3
    name_mode                     = "hashed"
    key_cache_seconds             = 0
    agent_role_arns               = ["arn:aws:iam::111122223333:role/*"]
    operator_role_arns            = ["arn:aws:iam::111122223333:root"]
    replication_role_arns         = ["arn:aws:iam::111122223333:role/*"]
    tenant_patterns               = ["acme/*"]
    trust_policy_max_characters   = 9000
    function_handler              = "handler"
    mcp                           = { issuer = "http://i", audience = "", jwks_url = "http://i/jwks", tenant_claim = "" }
    function_runtime              = "python3.9"
    function_architecture         = "arm"
    function_memory_mb            = 128
    function_timeout_seconds      = 3
    function_reserved_concurrency = -1
    function_environment          = { S3MEMORY_TENANT = "acme" }
    function_policy_arns          = { api_key = "api-key" }
    function_layer_arns           = ["1", "2", "3", "4", "5", "6"]
    function_vpc                  = { subnet_ids = [], security_group_ids = ["sg-1"] }
    log_retention_days            = 42
    logs_kms_key_arn              = "alias/logs"
    alarm_topic_arns              = ["alarms"]
    alarm_percent                 = 0
    batch_function                = { arn = "arn:aws:lambda:eu-central-1:111122223333:function:bulk:7" }
    bulk_operations               = ["verify", "erase"]
    bulk_reserved_concurrency     = 0
    newer_noncurrent_versions     = 0
    function_stable_version       = "$LATEST"
  }

  expect_failures = [
    var.name, var.tags, var.permissions_boundary_arn, var.bucket_name, var.bucket_owner, var.prefix, var.memory_expiry_days,
    var.noncurrent_version_days, var.access_logs, var.kms_key, var.kms_deletion_window_days, var.name_mode,
    var.key_cache_seconds, var.agent_role_arns, var.operator_role_arns, var.replication_role_arns, var.tenant_patterns,
    var.trust_policy_max_characters, var.function_handler, var.mcp, var.function_runtime, var.function_architecture, var.function_memory_mb, var.function_timeout_seconds,
    var.function_reserved_concurrency, var.function_environment, var.function_policy_arns, var.function_layer_arns,
    var.function_vpc, var.log_retention_days, var.logs_kms_key_arn, var.alarm_topic_arns,
    var.alarm_percent, var.batch_function, var.bulk_operations, var.bulk_reserved_concurrency, var.newer_noncurrent_versions,
    var.function_stable_version,
  ]
}

run "nobody_to_make_a_key_ring" {
  command = plan

  variables {
    tenants_make_key_rings = false
  }

  expect_failures = [var.tenants_make_key_rings]
}

run "nobody_to_reach_a_memory" {
  command = plan

  variables {
    agent_role_arns = []
  }

  expect_failures = [var.agent_role_arns]
}

run "a_prefix_with_a_wildcard" {
  command = plan

  variables {
    prefix          = "*/"
    tenant_patterns = []
    bucket_name     = "dots.break.tls"
  }

  expect_failures = [var.prefix, var.tenant_patterns, var.bucket_name]
}

run "a_prefix_that_begins_with_a_slash" {
  command = plan

  variables {
    prefix          = "/prod/"
    tenant_patterns = ["a..b"]
    name            = "a-name-that-is-too-long-for-a-bucket"

    function_runtime    = "python3.11"
    function_snap_start = true
  }

  expect_failures = [var.prefix, var.tenant_patterns, var.name, var.function_snap_start]
}

run "a_policy_variable_in_the_prefix" {
  command = plan

  variables {
    prefix          = "$${aws:username}/"
    tenant_patterns = ["$${aws:username}"]
  }

  expect_failures = [var.prefix, var.tenant_patterns]
}

run "a_prefix_that_climbs" {
  command = plan

  variables {
    prefix = "prod/../test/"
  }

  expect_failures = [var.prefix]
}

run "a_prefix_with_a_dot_for_a_segment" {
  command = plan

  variables {
    prefix = "./prod/"
  }

  expect_failures = [var.prefix]
}

# 2,048 characters are IAM's default for a trust policy, which AWS refuses only when it is applied.
run "more_agents_than_a_trust_policy_holds" {
  command = plan

  variables {
    agent_role_arns = [for number in range(45) : "arn:aws:iam::111122223333:role/agents-${number}"]
  }

  expect_failures = [aws_iam_role.tenant]
}

run "a_raised_quota_holds_more_agents" {
  command = plan

  variables {
    agent_role_arns             = [for number in range(45) : "arn:aws:iam::111122223333:role/agents-${number}"]
    trust_policy_max_characters = 4096
  }
}

run "thirty_agents" {
  command = plan

  variables {
    agent_role_arns = [for number in range(30) : "arn:aws:iam::111122223333:role/agents-${number}"]
  }
}

run "a_package_for_another_processor" {
  command = plan

  variables {
    function_zip_path     = "tests/packages/agent-arm64-py3.13.zip"
    function_architecture = "x86_64"
  }

  expect_failures = [aws_lambda_function.agent]
}

run "a_package_for_another_python" {
  command = plan

  variables {
    function_zip_path = "tests/packages/agent-arm64-py3.11.zip"
  }

  expect_failures = [aws_lambda_function.agent]
}

run "a_package_that_is_not_there" {
  command = plan

  variables {
    function_zip_path = "build/lambda/none.zip"
  }

  expect_failures = [var.function_zip_path]
}

run "an_empty_segment_in_the_prefix" {
  command = plan

  variables {
    prefix = "prod//"
  }

  expect_failures = [var.prefix]
}

run "an_api_without_tls_or_an_audience" {
  command = plan

  variables {
    function_zip_path = "versions.tf"
    api               = { issuer = "http://i", audience = "", jwks_url = "http://i/jwks" }
  }

  expect_failures = [var.api]
}

run "an_api_that_waits_for_longer_than_api_gateway" {
  command = plan

  variables {
    function_zip_path = "versions.tf"
    api               = { issuer = "https://i", audience = "a", jwks_url = "https://i/jwks", timeout_seconds = 301 }
  }

  expect_failures = [var.api]
}

run "an_api_that_a_function_can_not_answer_in_time" {
  command = plan

  variables {
    function_zip_path = "versions.tf"
    api               = { issuer = "https://i", audience = "a", jwks_url = "https://i/jwks", timeout_seconds = 24 }
  }

  expect_failures = [var.api]
}

run "a_function_that_outlasts_its_api" {
  command = plan

  variables {
    function_zip_path        = "versions.tf"
    function_timeout_seconds = 30
    api                      = { issuer = "https://i", audience = "a", jwks_url = "https://i/jwks" }
  }

  expect_failures = [var.api]
}

run "an_api_without_a_function" {
  command = plan

  variables {
    api = { issuer = "https://i", audience = "a", jwks_url = "https://i/jwks" }
  }

  expect_failures = [var.api]
}

run "a_tenants_key_without_the_tenant_in_its_alias" {
  command = plan

  variables {
    tenant_kms_keys = { alias = "alias/memory" }
  }

  expect_failures = [var.tenant_kms_keys]
}

run "a_tenants_key_by_an_alias_of_awss" {
  command = plan

  variables {
    tenant_kms_keys = { alias = "alias/aws/{tenant}" }
  }

  expect_failures = [var.tenant_kms_keys]
}

run "a_shared_key_that_is_named_and_left_out" {
  command = plan

  variables {
    kms_key         = { arn = "arn:aws:kms:eu-central-1:111122223333:key/0" }
    tenant_kms_keys = { alias = "alias/memory-{tenant}", with_shared_key = false }
  }

  expect_failures = [var.tenant_kms_keys]
}

run "an_older_key_by_its_alias" {
  command = plan

  variables {
    older_kms_key_arns = ["arn:aws:kms:eu-central-1:111122223333:alias/memory"]
  }

  expect_failures = [var.older_kms_key_arns]
}

run "a_key_that_is_of_today_and_older" {
  command = plan

  variables {
    kms_key            = { arn = "arn:aws:kms:eu-central-1:111122223333:key/0" }
    older_kms_key_arns = ["arn:aws:kms:eu-central-1:111122223333:key/0"]
  }

  expect_failures = [var.older_kms_key_arns]
}

run "an_external_id_that_sts_refuses" {
  command = plan

  variables {
    external_id = "a b"
  }

  expect_failures = [var.external_id]
}

run "a_release_that_codedeploy_does_not_know" {
  command = plan

  variables {
    function_release = "Canary"
  }

  expect_failures = [var.function_release]
}

run "a_release_by_codedeploy_and_by_hand" {
  command = plan

  variables {
    function_zip_path       = "versions.tf"
    function_release        = "LambdaCanary10Percent15Minutes"
    function_stable_version = "7"
  }

  expect_failures = [var.function_release]
}

run "endpoints_without_a_subnet" {
  command = plan

  variables {
    vpc_endpoints = { vpc_id = "vpc-1", route_table_ids = ["rtb-1"], subnet_ids = [], security_group_ids = ["sg-1"] }
  }

  expect_failures = [var.vpc_endpoints]
}

run "an_inventory_into_no_bucket" {
  command = plan

  variables {
    inventory = { bucket = "A bucket" }
  }

  expect_failures = [var.inventory]
}

run "an_inventory_of_no_account" {
  command = plan

  variables {
    inventory = { bucket = "inventories", account_id = "1111-2222-3333" }
  }

  expect_failures = [var.inventory]
}

run "credentials_of_another_account" {
  command = plan

  variables {
    bucket_owner = "444455556666"
  }

  expect_failures = [aws_s3_bucket.memory]
}

run "a_claim_of_the_tenant_that_the_authorizer_does_not_hand_on" {
  command = plan

  variables {
    function_zip_path    = "versions.tf"
    function_environment = { AGENT_TENANT_CLAIM = "org" }
    api                  = { issuer = "https://i", audience = "a", jwks_url = "https://i/jwks" }
  }

  expect_failures = [var.api]
}

run "a_variable_that_lambda_sets_itself" {
  command = plan

  variables {
    function_environment = { AWS_REGION = "eu-west-1" }
  }

  expect_failures = [var.function_environment]
}

run "a_bucket_policy_that_s3_refuses" {
  command = plan

  variables {
    operator_role_arns = [for number in range(40) : format("arn:aws:iam::111122223333:role/%064d", number)]
  }

  expect_failures = [aws_s3_bucket_policy.memory]
}

run "operators_and_replication_of_another_account" {
  command = plan

  variables {
    operator_role_arns    = ["arn:aws:iam::444455556666:role/operator"]
    replication_role_arns = ["arn:aws:iam::444455556666:role/replication"]
  }

  expect_failures = [var.operator_role_arns, var.replication_role_arns]
}

run "an_operators_policy_that_no_role_holds" {
  command = plan

  variables {
    operator_role_arns = ["arn:aws:iam::111122223333:role/operator"]
    older_kms_key_arns = [for number in range(150) : format("arn:aws:kms:eu-central-1:111122223333:key/00000000-0000-0000-0000-%012d", number)]
  }

  expect_failures = [output.policies]
}

run "a_release_in_steps_that_codedeploy_does_not_know" {
  command = plan

  variables {
    function_zip_path = "versions.tf"
    function_release  = "LambdaLinear10PercentEvery1Minutes"
  }

  expect_failures = [var.function_release]
}

run "a_release_by_codedeploy_without_alarms_to_go_back_on" {
  command = plan

  variables {
    function_zip_path = "versions.tf"
    function_release  = "LambdaCanary10Percent15Minutes"
    alarms_enabled    = false
  }

  expect_failures = [var.function_release]
}

run "all_requests_as_a_share" {
  command = plan

  variables {
    function_zip_path            = "versions.tf"
    function_stable_version      = "7"
    function_new_version_percent = 100
  }

  expect_failures = [var.function_new_version_percent]
}

run "limits_of_nothing" {
  command = plan

  variables {
    function_zip_path = "versions.tf"
    tenant_limits     = { messages_per_minute = 0, tokens_per_day = 1000 }
  }

  expect_failures = [var.tenant_limits]
}

run "a_share_for_a_new_version_beside_none" {
  command = plan

  variables {
    function_zip_path            = "versions.tf"
    function_new_version_percent = 10
  }

  expect_failures = [var.function_new_version_percent]
}

run "a_limit_that_the_function_can_not_read" {
  command = plan

  variables {
    function_zip_path = "versions.tf"
    tenant_limits     = { messages_per_minute = 1.5, tokens_per_day = 1000 }
  }

  expect_failures = [var.tenant_limits]
}

run "limits_that_nobody_counts" {
  command = plan

  variables {
    tenant_limits = { messages_per_minute = 30, tokens_per_day = 1000 }
  }

  expect_failures = [var.tenant_limits]
}

run "maps_for_no_work" {
  command = plan

  variables {
    bulk_maps_enabled = true
  }

  expect_failures = [var.bulk_maps_enabled]
}

run "tenants_on_no_dashboard" {
  command = plan

  variables {
    dashboard_by_tenant = true
  }

  expect_failures = [var.dashboard_by_tenant]
}

# The account's region is eu-central-1.
run "a_key_in_another_region" {
  command = plan

  variables {
    kms_key          = { arn = "arn:aws:kms:us-east-1:111122223333:key/00000000-0000-0000-0000-000000000000" }
    logs_kms_key_arn = "arn:aws-us-gov:kms:us-gov-west-1:111122223333:key/00000000-0000-0000-0000-000000000002"
    alarm_topic_arns = ["arn:aws:sns:us-east-1:111122223333:alarms"]
  }

  expect_failures = [var.kms_key, var.logs_kms_key_arn, var.alarm_topic_arns]
}

run "tenants_keys_and_older_ones_in_another_region" {
  command = plan

  variables {
    older_kms_key_arns = ["arn:aws:kms:eu-west-1:111122223333:key/00000000-0000-0000-0000-000000000001"]
    tenant_kms_keys    = { alias = "arn:aws:kms:us-east-1:444455556666:alias/memory-{tenant}" }
  }

  expect_failures = [var.older_kms_key_arns, var.tenant_kms_keys]
}
