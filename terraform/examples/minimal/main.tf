# A home for memory, without a function: agents that run elsewhere become a tenant through their own role.

provider "aws" {
  region = var.region
}

module "memory" {
  source = "../.."

  name               = "memory-minimal"
  agent_role_arns    = [var.agent_role_arn]
  operator_role_arns = var.operator_role_arns

  deletion_protection = var.deletion_protection
  force_destroy       = var.force_destroy
}
