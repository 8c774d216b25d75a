# Alarms on what an operator has to do something about. docs/deploy.md says what.

locals {
  has_function_alarms = local.has_function && var.alarms_enabled

  # Where s3memory of this deployment writes its log.
  watched_logs = local.has_function_alarms ? merge(
    { agent = aws_cloudwatch_log_group.function[0].name },
    { for operation, group in aws_cloudwatch_log_group.bulk : operation => group.name },
  ) : {}

  # By the end of their names. Where nothing else is said: a sum over 300 s.
  alarms = {
    for name, alarm in {
      errors = {
        is_wanted   = local.has_function_alarms
        description = "The function ended in an error."
        namespace   = "AWS/Lambda"
        metric      = "Errors"
        dimensions  = { FunctionName = local.function_name }
        threshold   = 1
      }
      throttles = {
        is_wanted   = local.has_function_alarms
        description = "Lambda refused invocations: more at once than is reserved, or than the account has."
        namespace   = "AWS/Lambda"
        metric      = "Throttles"
        dimensions  = { FunctionName = local.function_name }
        threshold   = 1
      }
      duration = {
        is_wanted   = local.has_function_alarms
        description = "One in a hundred invocations comes close to the timeout of ${local.function_timeout_seconds} s."
        namespace   = "AWS/Lambda"
        metric      = "Duration"
        dimensions  = { FunctionName = local.function_name }
        percentile  = "p99"
        periods     = 3
        threshold   = local.function_timeout_seconds * 1000 * var.alarm_percent / 100
      }
      memory-failures = {
        is_wanted   = local.has_function_alarms
        description = "Memory commands failed: access, throttling, network, keys or settings. The function's log says which."
        namespace   = "s3memory"
        metric      = "${var.name}-memory-failures"
        threshold   = 1
      }
      sts-throttles = {
        is_wanted      = local.has_function_alarms
        description    = "STS throttled AssumeRole of the function or of bulk work, each after three tries: memory is not available then."
        namespace      = "s3memory"
        metric         = "${var.name}-sts-throttles"
        period_seconds = 60
        threshold      = 1
      }
      older-key-ring = {
        is_wanted      = local.has_function_alarms && var.ring_register_enabled
        description    = "A tenant's key ring is older than one that was used before. It was refused: the tenant's memory can't be used."
        namespace      = "s3memory"
        metric         = "${var.name}-older-key-ring"
        period_seconds = 60
        threshold      = 1
      }
      # Where the authorizer fails, or the function can't be invoked, the function's own alarms see nothing of it.
      api-errors = {
        is_wanted   = local.has_api && var.alarms_enabled
        description = "The API answered one request in ten with 5xx: authorizer, function, memory or model. Its logs say which."
        namespace   = "AWS/ApiGateway"
        metric      = "5XXError"
        dimensions  = { ApiName = var.name, Stage = "live" }
        statistic   = "Average" # of ones and noughts
        periods     = 2
        threshold   = 0.1
      }
      s3-errors = {
        is_wanted   = var.alarms_enabled && var.request_metrics_enabled
        description = "S3 answered requests with 5xx: it is splitting a busy prefix, or has a fault of its own."
        namespace   = "AWS/S3"
        metric      = "5xxErrors"
        dimensions  = { BucketName = local.bucket_name, FilterId = one(aws_s3_bucket_metric.memory[*].name) }
        periods     = 2
        threshold   = 10
      }
    } : name => alarm if alarm.is_wanted
  }
}

resource "aws_cloudwatch_metric_alarm" "of_a_metric" {
  for_each = merge(local.alarms, local.watched_alarms)

  alarm_name          = "${var.name}-${each.key}"
  alarm_description   = each.value.description
  namespace           = each.value.namespace
  metric_name         = each.value.metric
  dimensions          = try(each.value.dimensions, null)
  statistic           = can(each.value.percentile) ? null : try(each.value.statistic, "Sum")
  extended_statistic  = try(each.value.percentile, null)
  period              = try(each.value.period_seconds, 300)
  evaluation_periods  = try(each.value.periods, 1)
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = each.value.threshold
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = var.tags

  depends_on = [
    aws_cloudwatch_log_metric_filter.memory_failures, aws_cloudwatch_log_metric_filter.sts_throttles,
    aws_cloudwatch_log_metric_filter.older_key_ring,
  ]
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
