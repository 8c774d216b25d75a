# A home for memory, without a function: agents that run elsewhere become a tenant through their own role.

provider "aws" {
  region = var.region
}

module "memory" {
  source = "../.."

  name            = "memory-minimal"
  agent_role_arns = [var.agent_role_arn]

  deletion_protection = var.deletion_protection
}
