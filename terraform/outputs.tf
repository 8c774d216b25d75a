output "bucket_name" {
  description = "Name of the bucket (`S3MEMORY_BUCKET`)."
  value       = aws_s3_bucket.memory.id
}

output "bucket_arn" {
  description = "ARN of the bucket."
  value       = local.bucket_arn
}

output "kms_key_arn" {
  description = "ARN of the KMS key that wraps data keys of all tenants, or `null`."
  value       = local.kms_key_arn
}

output "tenant_role_arn" {
  description = "ARN of the role that a tenant's session is made from, with the session tag `tenant`."
  value       = aws_iam_role.tenant.arn
}

output "environment" {
  description = "Environment variables of an agent: the function has them, and other agents need the same."
  value       = local.function_environment
}

output "function_name" {
  description = "Name of the function, or `null`."
  value       = one(aws_lambda_function.agent[*].function_name)
}

output "function_arn" {
  description = "ARN of the function, or `null`."
  value       = one(aws_lambda_function.agent[*].arn)
}

output "function_version" {
  description = "Newest version of the function, or `null`."
  value       = one(aws_lambda_function.agent[*].version)
}

output "function_alias_arn" {
  description = "ARN of the alias `live`, which is what callers invoke, or `null`."
  value       = try(local.live_alias.arn, null)
}

output "function_role_arn" {
  description = "ARN of the function's role, or `null`."
  value       = one(aws_iam_role.function[*].arn)
}

output "api_url" {
  description = "Where messages are posted to, or `null`."
  value       = local.has_api ? "${aws_api_gateway_stage.live[0].invoke_url}/messages" : null
}

output "log_group_name" {
  description = "Name of the function's log group, or `null`."
  value       = one(aws_cloudwatch_log_group.function[*].name)
}

output "batch_role_arn" {
  description = "ARN of the role for jobs of S3 Batch Operations, or `null`."
  value       = one(aws_iam_role.batch[*].arn)
}

output "bulk_function_arns" {
  description = "ARNs of the functions for bulk work, by what they do."
  value       = { for operation, function in aws_lambda_function.bulk : operation => function.arn }
}

output "bulk_state_machine_arns" {
  description = "ARNs of the Distributed Maps for bulk work, by what they do."
  value       = { for operation, machine in aws_sfn_state_machine.bulk : operation => machine.arn }
}

output "ring_register_table" {
  description = "Name of the table with each tenant's newest key ring (`S3MEMORY_KEY_RING_TABLE`), or `null`."
  value       = one(aws_dynamodb_table.key_rings[*].name)
}

output "vpc_endpoint_ids" {
  description = "IDs of the VPC endpoints, by service."
  value       = { for service, endpoint in merge(aws_vpc_endpoint.gateway, aws_vpc_endpoint.interface) : service => endpoint.id }
}

output "audit_bucket_name" {
  description = "Name of the audit trail's bucket, or `null`."
  value       = one(aws_s3_bucket.audit[*].id)
}

output "alarm_names" {
  description = "Names of the alarms."
  value       = concat(values(aws_cloudwatch_metric_alarm.of_a_metric)[*].alarm_name, aws_cloudwatch_metric_alarm.kms_quota[*].alarm_name)
}

output "policies" {
  description = "Every policy as JSON: what the module put where, and `assume_tenant` and `operator` for roles of your own."
  value = {
    tenant_role         = jsonencode(local.tenant_role_policy)
    tenant_role_trust   = jsonencode(local.tenant_role_trust)
    function_role       = jsonencode(local.function_role_policy)
    function_role_trust = jsonencode(local.function_role_trust)
    assume_tenant       = jsonencode(local.assume_tenant_policy)
    operator            = jsonencode(local.operator_policy)
    kms_key             = jsonencode(local.kms_key_policies[var.kms_key == null ? "made" : "own"])
    bucket              = jsonencode(local.bucket_policy)
    bulk_role           = jsonencode(local.bulk_role_policy)
    authorizer_role     = jsonencode(local.authorizer_role_policy)
    bulk_map_role       = jsonencode(local.bulk_map_role_policy)
    bulk_map_role_trust = jsonencode(local.bulk_map_role_trust)
    batch_role          = jsonencode(local.batch_role_policy)
    batch_role_trust    = jsonencode(local.batch_role_trust)
    audit_bucket        = jsonencode(local.audit_bucket_policy)
    ring_table          = jsonencode(local.ring_table_policy)
    release_role        = jsonencode(local.release_role_policy)
    release_role_trust  = jsonencode(local.release_role_trust)

    endpoint_s3             = jsonencode(local.endpoint_policies["s3"])
    endpoint_kms            = jsonencode(local.endpoint_policies["kms"])
    endpoint_sts            = jsonencode(local.endpoint_policies["sts"])
    endpoint_secretsmanager = jsonencode(local.endpoint_policies["secretsmanager"])
    endpoint_dynamodb       = jsonencode(local.endpoint_policies["dynamodb"])
  }

  precondition {
    condition     = !local.has_operators || local.operator_policy_characters <= 10240
    error_message = "The operators' policy would have ${local.operator_policy_characters} characters, and IAM takes 10240 in all inline policies of a role. Name fewer older_kms_key_arns, or take a shorter prefix."
  }
}

check "operator_policy_length" {
  assert {
    # The output says what is wrong with one that is longer yet.
    condition     = !local.has_operators || local.operator_policy_characters <= 6144 || local.operator_policy_characters > 10240
    error_message = "The operators' policy has ${local.operator_policy_characters} characters, and IAM takes 6144 in a managed policy. Attach it to their roles as an inline policy, or take a shorter prefix."
  }
}
