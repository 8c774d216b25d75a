# Alarms on what CloudTrail saw. Data events reach EventBridge only with a trail that records them: audit_trail_enabled.
# KMS's and STS's requests are management events, which the account's own trail has to record. CloudTrail takes them for
# read-only, and EventBridge hands such events on only to rules whose state says so.

locals {
  is_watched = var.audit_trail_enabled && var.alarms_enabled
  watched = {
    for name, rule in local.watch_rules : name => rule
    if local.is_watched && lookup({
      ring-record-changes = var.ring_register_enabled
      kms-key-changes     = local.has_shared_key || length(local.older_kms_key_arns) > 0
    }, name, true)
  }

  watched_alarms = {
    for name, rule in local.watched : name => {
      description = rule.description
      namespace   = "AWS/Events"
      metric      = "Invocations"
      dimensions  = { RuleName = aws_cloudwatch_event_rule.watched[name].name }
      threshold   = rule.threshold
    }
  }

  # A tenant's own session can only make a ring where there is none, and writes its own record. Users and root have no
  # session issuer.
  not_a_tenant = { sessionContext = { sessionIssuer = { arn = [{ anything-but = [local.tenant_role_arn] }, { exists = false }] } } }

  watch_rules = {
    key-ring-changes = {
      description = "A key ring was replaced or deleted: an operator's work, or an attack."
      threshold   = 1
      pattern = jsonencode({
        source      = ["aws.s3"]
        detail-type = ["AWS API Call via CloudTrail"]
        detail = {
          # A batch of deletes names no key: anyone but a tenant sends one to erase, or to attack.
          "$or" = [
            {
              eventName         = ["PutObject", "CopyObject", "DeleteObject"]
              requestParameters = { bucketName = [local.bucket_name], key = [{ prefix = "${var.prefix}keyrings/" }] }
            },
            {
              eventName         = ["DeleteObjects"]
              requestParameters = { bucketName = [local.bucket_name] }
            },
          ]
          userIdentity = local.not_a_tenant
        }
      })
    }
    ring-record-changes = {
      description = "A record of the newest key ring was written or deleted: an operator's work, or an older ring is about to be let in."
      threshold   = 1
      pattern = jsonencode({
        source      = ["aws.dynamodb"]
        detail-type = ["AWS API Call via CloudTrail"]
        detail = {
          readOnly     = [false]
          resources    = { ARN = [local.ring_table_arn] }
          userIdentity = local.not_a_tenant
        }
      })
    }
    # KMS waits some days before it deletes a key, and that can be cancelled: the last moment to save all memory.
    kms-key-changes = {
      description = "A KMS key of the memory was disabled, is to be deleted, or has another policy: yours to do, or soon nothing opens."
      threshold   = 1
      pattern = jsonencode({
        source      = ["aws.kms"]
        detail-type = ["AWS API Call via CloudTrail"]
        detail = {
          eventName = ["DisableKey", "ScheduleKeyDeletion", "PutKeyPolicy", "DeleteImportedKeyMaterial"]
          errorCode = [{ exists = false }]
          resources = { ARN = compact(concat([local.kms_key_arn], local.older_kms_key_arns)) }
        }
      })
    }
    # The policy is what keeps old versions from being put back; versioning and lifecycle rules say how long there are any.
    bucket-changes = {
      description = "The bucket's policy, versioning, lifecycle or another setting was changed: yours to do, or memory is no longer protected."
      threshold   = 1
      pattern = jsonencode({
        source      = ["aws.s3"]
        detail-type = ["AWS API Call via CloudTrail"]
        detail = {
          eventName         = [{ prefix = "PutBucket" }, { prefix = "DeleteBucket" }]
          errorCode         = [{ exists = false }]
          requestParameters = { bucketName = [local.bucket_name] }
        }
      })
    }
    denied-calls = {
      description = "A tenant's session was refused: a program mixes tenants up, or a policy is wrong."
      threshold   = 1
      pattern = jsonencode({
        source      = ["aws.s3", "aws.kms"]
        detail-type = ["AWS API Call via CloudTrail"]
        detail = {
          errorCode    = ["AccessDenied", "AccessDeniedException"]
          userIdentity = { sessionContext = { sessionIssuer = { arn = [local.tenant_role_arn] } } }
          # To read a key ring that is not there is a 403 by design: every tenant's first command meets one. To write or
          # delete one is not.
          "$or" = [
            { eventName = [{ anything-but = ["GetObject", "HeadObject"] }] },
            { requestParameters = { key = [{ anything-but = { prefix = "${var.prefix}keyrings/" } }] } },
            { requestParameters = { key = [{ exists = false }] } },
          ]
        }
      })
    }
    assume-role-throttles = {
      description = "STS throttled AssumeRole, of which an account has some 600 a second: group bulk work by tenant, or run less of it."
      threshold   = 10
      pattern = jsonencode({
        source      = ["aws.sts"]
        detail-type = ["AWS API Call via CloudTrail"]
        detail = {
          eventName = ["AssumeRole"]
          errorCode = [{ prefix = "Throttling" }]
        }
      })
    }
  }
}

resource "aws_cloudwatch_event_rule" "watched" {
  for_each = local.watched

  name          = "${var.name}-${each.key}"
  description   = each.value.description
  event_pattern = each.value.pattern
  state         = "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS"
  tags          = var.tags
}

# Where the events themselves can be read when an alarm goes off. EventBridge writes only to groups below /aws/events/.
resource "aws_cloudwatch_log_group" "watched" {
  count = local.is_watched ? 1 : 0

  name              = "/aws/events/${var.name}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.logs_kms_key_arn
  tags              = var.tags
}

resource "aws_cloudwatch_log_resource_policy" "watched" {
  count = local.is_watched ? 1 : 0

  policy_name     = "${var.name}-events"
  policy_document = jsonencode(local.watched_log_policy)
}

resource "aws_cloudwatch_event_target" "watched" {
  for_each = local.watched

  rule = aws_cloudwatch_event_rule.watched[each.key].name
  arn  = aws_cloudwatch_log_group.watched[0].arn
}
