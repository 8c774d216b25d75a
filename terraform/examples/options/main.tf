# What is off by default, switched on: a register and holds of key rings, a KMS key for each tenant, endpoints, releases
# by CodeDeploy, Distributed Maps over an inventory, an external id. Take from it what you need.

provider "aws" {
  region = var.region

  default_tags {
    tags = { project = "agent-memory" }
  }
}

module "memory" {
  source = "../.."

  name                = var.name
  force_destroy       = var.force_destroy
  deletion_protection = !var.force_destroy
  operator_role_arns  = var.operator_role_arns

  tenant_kms_keys       = { alias = "alias/${var.name}-{tenant}" }
  ring_register_enabled = true
  object_lock_enabled   = true
  external_id           = var.external_id

  function_zip_path     = var.function_zip_path
  function_architecture = var.function_architecture
  function_release      = "LambdaCanary10Percent15Minutes"
  function_vpc          = { subnet_ids = var.subnet_ids, security_group_ids = var.security_group_ids }

  vpc_endpoints = {
    vpc_id             = var.vpc_id
    route_table_ids    = var.route_table_ids
    subnet_ids         = var.subnet_ids
    security_group_ids = var.security_group_ids
  }

  tenant_limits     = { messages_per_minute = 30, tokens_per_day = 2000000 }
  bulk_operations   = ["verify", "reseal"]
  bulk_maps_enabled = true
  inventory         = { bucket = aws_s3_bucket_policy.inventory.bucket }
}

module "keys" {
  source   = "../../modules/tenant_key"
  for_each = var.tenants

  tenant              = each.key
  alias               = "alias/${var.name}-{tenant}"
  tenant_role_arn     = module.memory.tenant_role_arn
  operator_role_arns  = var.operator_role_arns
  deletion_protection = !var.force_destroy
}
