# A root module that makes what it gives to the module, as yours may: nothing of it is known before the apply but its names.

resource "aws_kms_key" "memory" {}

# Apart from the key: the policy names what the module makes, and the module names the key.
resource "aws_kms_key_policy" "memory" {
  key_id = aws_kms_key.memory.key_id
  policy = module.memory.policies["kms_key"]

  depends_on = [module.memory] # KMS refuses a policy that names a role which does not exist
}

resource "aws_kms_key" "older" {}

resource "aws_kms_key" "logs" {}

resource "aws_s3_bucket" "access_logs" {
  bucket_prefix = "access-logs-"
}

resource "aws_s3_bucket" "inventory" {
  bucket_prefix = "inventory-"
}

resource "aws_iam_role" "agents" {
  assume_role_policy = "{}"
}

resource "aws_iam_policy" "boundary" {
  policy = "{}"
}

resource "aws_sns_topic" "alarms" {}

resource "aws_lambda_function" "erase" {
  function_name = "erase"
  role          = aws_iam_role.agents.arn
  filename      = "versions.tf"
  handler       = "s3memory.bulk.erase"
  runtime       = "python3.13"
}

resource "aws_wafv2_web_acl" "api" {
  scope = "REGIONAL"

  default_action {
    allow {}
  }

  visibility_config {
    cloudwatch_metrics_enabled = false
    metric_name                = "api"
    sampled_requests_enabled   = false
  }
}

module "memory" {
  source = "../.."

  permissions_boundary_arn = aws_iam_policy.boundary.arn
  kms_key                  = { arn = aws_kms_key.memory.arn }
  older_kms_key_arns       = [aws_kms_key.older.arn]
  logs_kms_key_arn         = aws_kms_key.logs.arn
  access_logs              = { bucket = aws_s3_bucket.access_logs.id }
  inventory                = { bucket = aws_s3_bucket.inventory.id, account_id = "444455556666" }
  agent_role_arns          = [aws_iam_role.agents.arn]
  operator_role_arns       = [aws_iam_role.agents.arn]
  replication_role_arns    = [aws_iam_role.agents.arn]
  alarm_topic_arns         = [aws_sns_topic.alarms.arn]
  audit_trail_enabled      = true
  ring_register_enabled    = true
  batch_function           = { arn = aws_lambda_function.erase.arn }
  function_zip_path        = "versions.tf" # any file: nothing is uploaded
  function_policy_arns     = { boundary = aws_iam_policy.boundary.arn }

  api = {
    issuer   = "https://login.example.com"
    audience = "agents"
    jwks_url = "https://login.example.com/jwks"
    web_acl  = { arn = aws_wafv2_web_acl.api.arn }
  }
}

terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.100, < 7"
    }
  }
}
