data "aws_caller_identity" "current" {}

data "aws_partition" "current" {}

data "aws_region" "current" {}

locals {
  account_id = data.aws_caller_identity.current.account_id
  partition  = data.aws_partition.current.partition
  # `id` is the one attribute that holds the region's name in versions 5 and 6 of the provider.
  region = data.aws_region.current.id

  # Who administers the key: the account that it is in.
  kms_key_account_id = var.kms_key == null ? local.account_id : split(":", var.kms_key.arn)[4]

  # Whose buckets and keys a tenant's session may use: these accounts', and nobody else's.
  own_account_ids = distinct(compact(concat(
    [local.account_id, local.kms_key_account_id, local.tenant_keys.account_id],
    [for arn in var.older_kms_key_arns : split(":", arn)[4]],
  )))

  bucket_name = coalesce(var.bucket_name, "${var.name}-${local.account_id}-${local.region}")

  has_function   = var.function_zip_path != null
  has_bulk       = length(var.bulk_operations) > 0
  has_bulk_maps  = local.has_bulk && var.bulk_maps_enabled
  has_batch_role = var.batch_function != null || local.has_bulk

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
  bulk_map_role_name = "${var.name}-bulk-map"
  bulk_map_names     = { for operation in var.bulk_operations : operation => "${var.name}-bulk-${operation}" }
  bulk_map_arns = {
    for operation, name in local.bulk_map_names :
    operation => "arn:${local.partition}:states:${local.region}:${local.account_id}:stateMachine:${name}"
  }
  # Those of the maps, of their batches, and the runs between them.
  bulk_execution_arns = flatten([
    for name in values(local.bulk_map_names) : [
      for resource in ["execution:${name}:*", "execution:${name}/*:*", "mapRun:${name}/*:*"] :
      "arn:${local.partition}:states:${local.region}:${local.account_id}:${resource}"
    ]
  ])
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

  # One key for all tenants, a key for each of them, or both: then the first wraps, and either unwraps. Older keys come
  # last, and only unwrap.
  has_shared_key     = try(var.tenant_kms_keys.with_shared_key, true)
  shares_made_key    = local.has_shared_key && var.kms_key == null
  makes_key          = local.shares_made_key || var.keep_made_kms_key
  kms_key_arn        = local.shares_made_key ? one(aws_kms_key.memory[*].arn) : try(var.kms_key.arn, null)
  older_kms_key_arns = concat(local.shares_made_key ? [] : aws_kms_key.memory[*].arn, var.older_kms_key_arns)
  kms_key_ids        = concat(compact([try(var.tenant_kms_keys.alias, null), local.kms_key_arn]), local.older_kms_key_arns)

  # What the alias of a tenant's key says: `alias/...` here, or the ARN of one in another account.
  tenant_key_alias_parts = split(":", try(var.tenant_kms_keys.alias, ""))
  tenant_keys = {
    are_used   = var.tenant_kms_keys != null
    alias_name = element(local.tenant_key_alias_parts, length(local.tenant_key_alias_parts) - 1)
    region     = try(local.tenant_key_alias_parts[3], local.region)
    account_id = try(local.tenant_key_alias_parts[4], local.account_id)
  }

  ring_table_name = "${var.name}-key-rings"
  ring_table_arn  = "arn:${local.partition}:dynamodb:${local.region}:${local.account_id}:table/${local.ring_table_name}"

  audit_bucket_name = "${var.name}-audit-${local.account_id}-${local.region}"
  audit_bucket_arn  = "arn:${local.partition}:s3:::${local.audit_bucket_name}"
  trail_name        = "${var.name}-data-events"
  trail_arn         = "arn:${local.partition}:cloudtrail:${local.region}:${local.account_id}:trail/${local.trail_name}"
}
