# Functions for bulk work, one for each kind of it: the package of the agent has them all, and the handler says which.
# Like the agent's, they have no memory of their own and become one tenant at a time.
resource "aws_iam_role" "bulk" {
  count = local.has_bulk ? 1 : 0

  name                 = local.bulk_role_name
  description          = "Bulk work of ${var.name}: becomes a tenant, and writes logs"
  assume_role_policy   = jsonencode(local.function_role_trust)
  permissions_boundary = var.permissions_boundary_arn
  tags                 = var.tags
}

resource "aws_iam_role_policy" "bulk" {
  count = local.has_bulk ? 1 : 0

  name   = "memory"
  role   = aws_iam_role.bulk[0].id
  policy = jsonencode(local.bulk_role_policy)
}

resource "aws_cloudwatch_log_group" "bulk" {
  for_each = var.bulk_operations

  name              = "/aws/lambda/${local.bulk_function_names[each.key]}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.logs_kms_key_arn
  tags              = var.tags
}

resource "aws_lambda_function" "bulk" {
  # checkov:skip=CKV_AWS_50:Batch Operations sends no trace header, and a job of millions would be as many traces.
  # checkov:skip=CKV_AWS_116:The function is invoked synchronously: the job gets the error, and a dead letter queue would get nothing.
  # checkov:skip=CKV_AWS_117:It talks to S3, KMS and STS alone, over TLS.
  # checkov:skip=CKV_AWS_173:The environment names things and holds no secrets.
  # checkov:skip=CKV_AWS_272:Signing belongs to the pipeline that builds the package.
  for_each = var.bulk_operations

  function_name                  = local.bulk_function_names[each.key]
  description                    = "Bulk work on memory: ${each.key} (${var.name})"
  role                           = aws_iam_role.bulk[0].arn
  filename                       = var.function_zip_path
  source_code_hash               = filebase64sha256(var.function_zip_path)
  handler                        = "s3memory.bulk.${each.key}"
  runtime                        = var.function_runtime
  architectures                  = [var.function_architecture]
  memory_size                    = 512
  timeout                        = 60
  reserved_concurrent_executions = var.bulk_reserved_concurrency
  layers                         = var.function_layer_arns
  tags                           = var.tags

  environment {
    variables = {
      for name, value in local.function_environment : name => value if startswith(name, "S3MEMORY_")
    }
  }

  depends_on = [aws_cloudwatch_log_group.bulk, aws_iam_role_policy.bulk]
}
