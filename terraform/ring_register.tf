# The newest key ring that each tenant has had, outside the bucket: who can put an older one back can't change this too.
resource "aws_dynamodb_table" "key_rings" {
  # checkov:skip=CKV_AWS_119:It holds names of tenants, numbers, and fingerprints from which nothing follows.
  # checkov:skip=CKV2_AWS_16:It is billed by request.
  count = var.ring_register_enabled ? 1 : 0

  name                        = local.ring_table_name
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "tenant"
  deletion_protection_enabled = var.deletion_protection
  tags                        = var.tags

  attribute {
    name = "tenant"
    type = "S"
  }

  point_in_time_recovery {
    enabled = true
  }
}

resource "aws_dynamodb_resource_policy" "key_rings" {
  count = var.ring_register_enabled ? 1 : 0

  resource_arn = aws_dynamodb_table.key_rings[0].arn
  policy       = jsonencode(local.ring_table_policy)
}

# Agents elsewhere log to where you choose: watch for the same line there.
resource "aws_cloudwatch_log_metric_filter" "older_key_ring" {
  for_each = { for name, group in local.watched_logs : name => group if var.ring_register_enabled }

  name           = "${var.name}-older-key-ring-${each.key}"
  log_group_name = each.value
  pattern        = "\"an older key ring was put back\""

  metric_transformation {
    namespace     = "s3memory"
    name          = "${var.name}-older-key-ring"
    value         = "1"
    default_value = "0"
  }
}
