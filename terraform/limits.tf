# How much each tenant has asked for: the example's limits.py counts here.
resource "aws_dynamodb_table" "limits" {
  # checkov:skip=CKV_AWS_28:It holds counts of today.
  # checkov:skip=CKV_AWS_119:It holds names of tenants and counts.
  # checkov:skip=CKV2_AWS_16:It is billed by request.
  count = local.has_limits ? 1 : 0

  name         = local.limits_table_name
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "id"
  tags         = var.tags

  attribute {
    name = "id"
    type = "S"
  }

  ttl {
    attribute_name = "expires_at"
    enabled        = true
  }
}
