variable "region" {
  description = "Region of the memory."
  type        = string
  default     = "eu-central-1"
}

variable "agent_role_arn" {
  description = "ARN of the role that the agents run under. Attach output `assume_tenant_policy` to it."
  type        = string
}
