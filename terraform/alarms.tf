# Alarms on what an operator has to do something about. docs/operations.md says what.

locals {
  has_function_alarms = local.has_function && var.alarms_enabled

  # Where s3memory of this deployment writes its log.
  watched_logs = local.has_function_alarms ? merge(
    { agent = aws_cloudwatch_log_group.function[0].name },
    { for operation, group in aws_cloudwatch_log_group.bulk : operation => group.name },
  ) : {}
}

resource "aws_cloudwatch_metric_alarm" "errors" {
  count = local.has_function_alarms ? 1 : 0

  alarm_name          = "${var.name}-errors"
  alarm_description   = "The function ended in an error."
  namespace           = "AWS/Lambda"
  metric_name         = "Errors"
  dimensions          = { FunctionName = local.function_name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = var.tags
}

resource "aws_cloudwatch_metric_alarm" "throttles" {
  count = local.has_function_alarms ? 1 : 0

  alarm_name          = "${var.name}-throttles"
  alarm_description   = "Lambda refused invocations: more at once than is reserved, or than the account has."
  namespace           = "AWS/Lambda"
  metric_name         = "Throttles"
  dimensions          = { FunctionName = local.function_name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = var.tags
}

resource "aws_cloudwatch_metric_alarm" "duration" {
  count = local.has_function_alarms ? 1 : 0

  alarm_name          = "${var.name}-duration"
  alarm_description   = "One in a hundred invocations comes close to the timeout of ${local.function_timeout_seconds} s."
  namespace           = "AWS/Lambda"
  metric_name         = "Duration"
  dimensions          = { FunctionName = local.function_name }
  extended_statistic  = "p99"
  period              = 300
  evaluation_periods  = 3
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = local.function_timeout_seconds * 1000 * var.alarm_percent / 100
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = var.tags
}

# Failed commands are answers to the model, no errors of the function: only s3memory's log tells of them. Where the memory
# of a conversation fails, the example answers with one of the last two, and logs it.
resource "aws_cloudwatch_log_metric_filter" "memory_failures" {
  count = local.has_function_alarms ? 1 : 0

  name           = "${var.name}-memory-failures"
  log_group_name = aws_cloudwatch_log_group.function[0].name
  pattern        = "?\"a memory command failed\" ?\"the memory is misconfigured\" ?\"a memory command met an internal error\" ?\"memory_unavailable\" ?\"memory_locked\""

  metric_transformation {
    namespace     = "s3memory"
    name          = "${var.name}-memory-failures"
    value         = "1"
    default_value = "0"
  }
}

resource "aws_cloudwatch_metric_alarm" "memory_failures" {
  count = local.has_function_alarms ? 1 : 0

  alarm_name          = "${var.name}-memory-failures"
  alarm_description   = "Memory commands failed: access, throttling, network, keys or settings. The function's log says which."
  namespace           = "s3memory"
  metric_name         = aws_cloudwatch_log_metric_filter.memory_failures[0].metric_transformation[0].name
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = var.tags
}

# s3memory logs what STS answers. CloudTrail's events are of the whole account, and need a trail: see watch.tf.
resource "aws_cloudwatch_log_metric_filter" "sts_throttles" {
  for_each = local.watched_logs

  name           = "${var.name}-sts-throttles-${each.key}"
  log_group_name = each.value
  pattern        = "?\"AssumeRole: Throttling\" ?\"AssumeRole: ThrottlingException\" ?\"AssumeRole: RequestLimitExceeded\""

  metric_transformation {
    namespace     = "s3memory"
    name          = "${var.name}-sts-throttles"
    value         = "1"
    default_value = "0"
  }
}

resource "aws_cloudwatch_metric_alarm" "sts_throttles" {
  count = local.has_function_alarms ? 1 : 0

  alarm_name          = "${var.name}-sts-throttles"
  alarm_description   = "STS throttled AssumeRole of the function or of bulk work, each after three tries: memory is not available then."
  namespace           = "s3memory"
  metric_name         = "${var.name}-sts-throttles"
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = var.tags

  depends_on = [aws_cloudwatch_log_metric_filter.sts_throttles]
}

resource "aws_cloudwatch_metric_alarm" "s3_errors" {
  count = var.request_metrics_enabled && var.alarms_enabled ? 1 : 0

  alarm_name          = "${var.name}-s3-errors"
  alarm_description   = "S3 answered requests with 5xx: it is splitting a busy prefix, or has a fault of its own."
  namespace           = "AWS/S3"
  metric_name         = "5xxErrors"
  dimensions          = { BucketName = local.bucket_name, FilterId = aws_s3_bucket_metric.memory[0].name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 2
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 10
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = var.tags
}

# KMS has no metric of refused requests. Its quota is the account's: others may be using it up.
resource "aws_cloudwatch_metric_alarm" "kms_quota" {
  count = var.alarms_enabled ? 1 : 0

  alarm_name          = "${var.name}-kms-quota"
  alarm_description   = "The account uses over ${var.alarm_percent}% of its quota of KMS requests in this region; beyond it KMS refuses them."
  evaluation_periods  = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = var.alarm_percent
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = var.tags

  metric_query {
    id          = "percent"
    expression  = "usage / SERVICE_QUOTA(usage) * 100"
    label       = "Percent of the quota"
    return_data = true
  }

  metric_query {
    id = "usage"

    metric {
      namespace   = "AWS/Usage"
      metric_name = "CallCount"
      stat        = "Sum"
      period      = 60
      dimensions = {
        Class    = "None"
        Resource = "CryptographicOperationsSymmetric"
        Service  = "KMS"
        Type     = "API"
      }
    }
  }
}
