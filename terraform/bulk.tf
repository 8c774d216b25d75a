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
    # Settings of the memory and of AWS's SDK. Metrics are the dashboard's, of agents: a job would print a line for each
    # object, and its times would hide theirs.
    variables = {
      for name, value in local.function_environment : name => value
      if can(regex("^(S3MEMORY|AWS)_", name)) && (name != "S3MEMORY_AUDIT" || contains(keys(var.function_environment), name))
    }
  }

  depends_on = [aws_cloudwatch_log_group.bulk, aws_iam_role_policy.bulk]
}

# A Distributed Map over batches, each of one tenant: an invocation needs one session of STS, whatever its size.
resource "aws_iam_role" "bulk_map" {
  count = local.has_bulk_maps ? 1 : 0

  name                 = local.bulk_map_role_name
  description          = "Distributed Maps of ${var.name}: invoke the functions for bulk work"
  assume_role_policy   = jsonencode(local.bulk_map_role_trust)
  permissions_boundary = var.permissions_boundary_arn
  tags                 = var.tags
}

resource "aws_iam_role_policy" "bulk_map" {
  count = local.has_bulk_maps ? 1 : 0

  name   = "batches"
  role   = aws_iam_role.bulk_map[0].id
  policy = jsonencode(local.bulk_map_role_policy)
}

resource "aws_sfn_state_machine" "bulk" {
  # checkov:skip=CKV_AWS_284:A job of thousands of batches would be as many traces.
  # checkov:skip=CKV_AWS_285:The execution's history and the results in the bucket say what became of each batch.
  for_each = local.has_bulk_maps ? var.bulk_operations : toset([])

  name     = local.bulk_map_names[each.key]
  role_arn = aws_iam_role.bulk_map[0].arn
  tags     = var.tags

  definition = jsonencode({
    Comment = "Bulk work on memory: ${each.key}. Input: {\"manifest\": the key of a manifest of batches}."
    StartAt = "EachBatch"
    States = {
      EachBatch = {
        Type = "Map"
        ItemReader = {
          Resource     = "arn:${local.partition}:states:::s3:getObject"
          ReaderConfig = { InputType = "JSONL" }
          Parameters   = { Bucket = local.bucket_name, "Key.$" = "$.manifest" }
        }
        # Of an account without reserved concurrency for this, live agents still get most.
        MaxConcurrency = max(var.bulk_reserved_concurrency, 1) == var.bulk_reserved_concurrency ? var.bulk_reserved_concurrency : 10
        # A batch that fails for good stops nothing: the results name it.
        ToleratedFailurePercentage = 100
        ItemProcessor = {
          ProcessorConfig = { Mode = "DISTRIBUTED", ExecutionType = "STANDARD" }
          StartAt         = "Work"
          States = {
            Work = {
              Type       = "Task"
              Resource   = "arn:${local.partition}:states:::lambda:invoke"
              Parameters = { FunctionName = aws_lambda_function.bulk[each.key].arn, "Payload.$" = "$" }
              OutputPath = "$.Payload"
              Retry = [{
                ErrorEquals = [
                  "UnfinishedBatchError", "Lambda.TooManyRequestsException", "Lambda.ServiceException",
                  "Lambda.SdkClientException", "Lambda.AWSLambdaException", "States.Timeout",
                  "Lambda.Unknown", "Sandbox.Timedout", # a function that took too long, or too much memory
                ]
                IntervalSeconds = 5
                BackoffRate     = 2
                MaxAttempts     = 6
                JitterStrategy  = "FULL"
              }]
              End = true
            }
          }
        }
        ResultWriter = {
          Resource   = "arn:${local.partition}:states:::s3:putObject"
          Parameters = { Bucket = local.bucket_name, Prefix = "${var.prefix}batch/reports/${each.key}" }
        }
        End = true
      }
    }
  })

  depends_on = [aws_iam_role_policy.bulk_map]
}
