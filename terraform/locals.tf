data "aws_caller_identity" "current" {}

data "aws_partition" "current" {}

data "aws_region" "current" {}

locals {
  account_id = data.aws_caller_identity.current.account_id
  partition  = data.aws_partition.current.partition
  # `id` is the one attribute that holds the region's name in versions 5 and 6 of the provider.
  region = data.aws_region.current.id

  # Whose buckets and keys a tenant's session may use: these accounts', and nobody else's.
  own_account_ids = distinct(compact([
    local.account_id, var.bucket_owner, var.kms_key_arn == null ? null : split(":", var.kms_key_arn)[4],
  ]))

  bucket_name = coalesce(var.bucket_name, "${var.name}-${local.account_id}-${local.region}")

  has_function   = var.function_zip_path != null
  has_bulk       = length(var.bulk_operations) > 0
  has_batch_role = var.batch_function_arn != null || local.has_bulk

  tenant_role_name   = "${var.name}-tenant"
  function_role_name = "${var.name}-function"
  batch_role_name    = "${var.name}-batch"
  bulk_role_name     = "${var.name}-bulk"
  function_name      = "${var.name}-agent"
  log_group_name     = "/aws/lambda/${local.function_name}"

  # Made up from names rather than taken from resources: the key's policy and the roles' can then name each other, and a
  # plan shows what it can of the policies.
  bucket_arn        = "arn:${local.partition}:s3:::${local.bucket_name}"
  role_arn_prefix   = "arn:${local.partition}:iam::${local.account_id}:role/"
  tenant_role_arn   = "${local.role_arn_prefix}${local.tenant_role_name}"
  function_role_arn = "${local.role_arn_prefix}${local.function_role_name}"
  bulk_role_arn     = "${local.role_arn_prefix}${local.bulk_role_name}"
  function_arn      = "arn:${local.partition}:lambda:${local.region}:${local.account_id}:function:${local.function_name}"
  log_group_arn     = "arn:${local.partition}:logs:${local.region}:${local.account_id}:log-group:${local.log_group_name}"

  bulk_function_names = { for operation in var.bulk_operations : operation => "${var.name}-bulk-${operation}" }
  bulk_function_arns = {
    for operation, name in local.bulk_function_names :
    operation => "arn:${local.partition}:lambda:${local.region}:${local.account_id}:function:${name}"
  }
  bulk_log_group_arns = [
    for name in values(local.bulk_function_names) :
    "arn:${local.partition}:logs:${local.region}:${local.account_id}:log-group:/aws/lambda/${name}:*"
  ]

  has_limits        = local.has_function && var.tenant_limits != null
  limits_table_name = "${var.name}-limits"
  limits_table_arn  = "arn:${local.partition}:dynamodb:${local.region}:${local.account_id}:table/${local.limits_table_name}"

  memories_arn   = "${local.bucket_arn}/${var.prefix}memories"
  intents_arn    = "${local.bucket_arn}/${var.prefix}intents"
  key_rings_arn  = "${local.bucket_arn}/${var.prefix}keyrings"
  redactions_arn = "${local.bucket_arn}/${var.prefix}redactions"
  folder_arns    = [for folder in [local.memories_arn, local.intents_arn, local.key_rings_arn, local.redactions_arn] : "${folder}/*"]

  kms_key_arn = var.kms_key_arn != null ? var.kms_key_arn : aws_kms_key.memory[0].arn

  audit_bucket_name = "${var.name}-audit-${local.account_id}-${local.region}"
  audit_bucket_arn  = "arn:${local.partition}:s3:::${local.audit_bucket_name}"
  trail_name        = "${var.name}-data-events"
  trail_arn         = "arn:${local.partition}:cloudtrail:${local.region}:${local.account_id}:trail/${local.trail_name}"
}
