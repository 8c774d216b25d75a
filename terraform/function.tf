locals {
  # Behind an API, a cold start may take 5 s of what that waits before the function's own time begins.
  function_timeout_seconds = coalesce(var.function_timeout_seconds, try(var.api.timeout_seconds - 5, 120))

  function_environment = merge(
    var.dashboard_enabled ? { S3MEMORY_AUDIT = "emf" } : {},
    var.function_environment,
    {
      S3MEMORY_BUCKET            = local.bucket_name
      S3MEMORY_BUCKET_OWNER      = local.account_id
      S3MEMORY_PREFIX            = var.prefix
      S3MEMORY_KMS_KEY_ID        = join(",", local.kms_key_ids)
      S3MEMORY_NAME_MODE         = var.name_mode
      S3MEMORY_KEY_CACHE_SECONDS = tostring(var.key_cache_seconds)
      S3MEMORY_TENANT_ROLE_ARN   = local.tenant_role_arn
    },
    var.ring_register_enabled ? { S3MEMORY_KEY_RING_TABLE = local.ring_table_name } : {},
    var.external_id == null ? {} : { S3MEMORY_TENANT_EXTERNAL_ID = var.external_id },
    local.has_limits ? {
      AGENT_LIMITS_TABLE      = local.limits_table_name
      AGENT_MESSAGES_A_MINUTE = tostring(var.tenant_limits.messages_per_minute)
      AGENT_TOKENS_A_DAY      = tostring(var.tenant_limits.tokens_per_day)
    } : {},
    { for name, value in coalesce(var.mcp, {}) : "S3MEMORY_MCP_${upper(name)}" => value if value != null },
  )
}

resource "aws_cloudwatch_log_group" "function" {
  count = local.has_function ? 1 : 0

  name              = local.log_group_name
  retention_in_days = var.log_retention_days
  kms_key_id        = var.logs_kms_key_arn
  tags              = var.tags
}

resource "aws_lambda_function" "agent" {
  # checkov:skip=CKV_AWS_116:The function is invoked synchronously: its caller gets the error, and a dead letter queue would get nothing.
  # checkov:skip=CKV_AWS_173:The environment names things and holds no secrets.
  # checkov:skip=CKV_AWS_272:Signing belongs to the pipeline that builds the package.
  count = local.has_function ? 1 : 0

  function_name                  = local.function_name
  description                    = "Agent with memory (${var.name})"
  role                           = aws_iam_role.function[0].arn
  filename                       = var.function_zip_path
  source_code_hash               = filebase64sha256(var.function_zip_path)
  handler                        = var.mcp == null ? var.function_handler : "s3memory.adapters.mcp.lambda_handler"
  runtime                        = var.function_runtime
  architectures                  = [var.function_architecture]
  memory_size                    = var.function_memory_mb
  timeout                        = local.function_timeout_seconds
  reserved_concurrent_executions = coalesce(var.function_reserved_concurrency, -1)
  layers                         = var.function_layer_arns
  publish                        = true
  tags                           = var.tags

  environment {
    variables = local.function_environment
  }

  tracing_config {
    mode = var.function_tracing ? "Active" : "PassThrough"
  }

  dynamic "snap_start" {
    for_each = var.function_snap_start ? ["PublishedVersions"] : []

    content {
      apply_on = snap_start.value
    }
  }

  dynamic "vpc_config" {
    for_each = var.function_vpc == null ? [] : [var.function_vpc]

    content {
      subnet_ids         = vpc_config.value.subnet_ids
      security_group_ids = vpc_config.value.security_group_ids
    }
  }

  lifecycle {
    precondition {
      # `make lambda-zip` names what a package is for. Its wheels are of no use to another processor or Python.
      condition = alltrue([
        for built_for in regexall("-(arm64|x86_64)-py([0-9.]+)\\.zip$", coalesce(var.function_zip_path, "none")) :
        built_for == [var.function_architecture, trimprefix(var.function_runtime, "python")]
      ])
      error_message = "The package's name says that it was built for another processor or Python than function_architecture and function_runtime."
    }
  }

  # Lambda would make the log group itself, kept for ever. And it takes a role only once that can write logs.
  depends_on = [aws_cloudwatch_log_group.function, aws_iam_role_policy.function]
}

# What callers invoke: the newest version, or two of them while a release is tried on a share of the requests.
resource "aws_lambda_alias" "live" {
  count = local.has_function && !local.releases_by_codedeploy ? 1 : 0

  name             = "live"
  description      = "What is in use of ${var.name}"
  function_name    = aws_lambda_function.agent[0].function_name
  function_version = coalesce(var.function_stable_version, aws_lambda_function.agent[0].version)

  dynamic "routing_config" {
    for_each = var.function_stable_version != null && var.function_new_version_percent > 0 ? [var.function_new_version_percent] : []

    content {
      additional_version_weights = { (aws_lambda_function.agent[0].version) = routing_config.value / 100 }
    }
  }
}
