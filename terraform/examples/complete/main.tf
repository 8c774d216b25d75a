# Everything: a function, alarms with a topic, the audit trail, operators, and a role for bulk work.

provider "aws" {
  region = var.region

  default_tags {
    tags = { project = "agent-memory" }
  }
}

module "memory" {
  source = "../.."

  name   = var.name
  prefix = "prod/"
  tags   = { service = "agent" }

  memory_expiry_days      = 180
  noncurrent_version_days = 14
  force_destroy           = var.force_destroy
  deletion_protection     = !var.force_destroy
  name_mode               = "encrypted"

  ring_register_enabled = true

  agent_role_arns    = var.agent_role_arns
  operator_role_arns = concat([aws_iam_role.operator.arn], var.operator_role_arns)

  function_zip_path     = var.function_zip_path
  function_handler      = var.function_handler
  function_runtime      = var.function_runtime
  function_architecture = var.function_architecture

  function_release             = var.function_release
  function_stable_version      = var.function_stable_version
  function_new_version_percent = var.function_new_version_percent

  function_environment = {
    AGENT_API_KEY_SECRET_ID   = var.api_key_secret_name
    S3MEMORY_TOUCH_AFTER_DAYS = "30" # so that files expire for want of use, and not for want of changes
  }
  function_policy_arns = { api_key = aws_iam_policy.api_key.arn }

  api           = merge(var.api, { timeout_seconds = var.api_timeout_seconds })
  tenant_limits = { messages_per_minute = 30, tokens_per_day = 2000000 }

  alarm_topic_arns        = [aws_sns_topic.alarms.arn]
  access_logs             = one([for policy in aws_s3_bucket_policy.access_logs : { bucket = policy.bucket }])
  request_metrics_enabled = var.request_metrics_enabled
  audit_trail_enabled     = true

  batch_function            = var.batch_function
  bulk_operations           = var.bulk_operations
  bulk_maps_enabled         = var.bulk_maps_enabled
  bulk_reserved_concurrency = var.bulk_reserved_concurrency
}

# Whoever rotates, restores and erases. In an account with IAM Identity Center this is a permission set's role: its
# sessions need not say that MFA was used, so they could not assume this one.
resource "aws_iam_role" "operator" {
  name               = "${var.name}-operator"
  assume_role_policy = jsonencode(local.operator_trust)
}

resource "aws_iam_role_policy" "operator" {
  name   = "memory"
  role   = aws_iam_role.operator.id
  policy = module.memory.policies["operator"]
}

# The function reads its API key from Secrets Manager. Make the secret before the first request, and not with Terraform,
# whose state would hold its value: aws secretsmanager create-secret --name agent/api-key --secret-string file://key
resource "aws_iam_policy" "api_key" {
  name   = "${var.name}-api-key"
  policy = jsonencode(local.api_key_policy)
}

resource "aws_sns_topic" "alarms" {
  name              = "${var.name}-alarms"
  kms_master_key_id = aws_kms_key.alarms.id
}

resource "aws_sns_topic_subscription" "alarms" {
  count = var.alarm_email == null ? 0 : 1

  topic_arn = aws_sns_topic.alarms.arn
  protocol  = "email"
  endpoint  = var.alarm_email
}

# CloudWatch can't publish through AWS's own key of SNS.
resource "aws_kms_key" "alarms" {
  description         = "Alarms of ${var.name}"
  enable_key_rotation = true
  policy              = jsonencode(local.alarms_key_policy)
}

data "aws_caller_identity" "current" {}

data "aws_partition" "current" {}

locals {
  account_id = data.aws_caller_identity.current.account_id
  root_arn   = "arn:${data.aws_partition.current.partition}:iam::${local.account_id}:root"

  operator_trust = {
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = { AWS = local.root_arn }
      Condition = { Bool = { "aws:MultiFactorAuthPresent" = "true" } }
    }]
  }

  api_key_policy = {
    Version = "2012-10-17"
    Statement = [{
      Effect   = "Allow"
      Action   = "secretsmanager:GetSecretValue"
      Resource = "arn:${data.aws_partition.current.partition}:secretsmanager:${var.region}:${local.account_id}:secret:${var.api_key_secret_name}-??????"
    }]
  }

  alarms_key_policy = {
    Version = "2012-10-17"
    Statement = [
      {
        Sid       = "AccountAdministers"
        Effect    = "Allow"
        Action    = "kms:*"
        Principal = { AWS = local.root_arn }
        Resource  = "*"
      },
      {
        Sid       = "AlarmsPublish"
        Effect    = "Allow"
        Action    = ["kms:Decrypt", "kms:GenerateDataKey*"]
        Principal = { Service = "cloudwatch.amazonaws.com" }
        Resource  = "*"
        Condition = { StringEquals = { "aws:SourceAccount" = local.account_id } }
      },
    ]
  }
}
