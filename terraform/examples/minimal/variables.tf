variable "region" {
  description = "Region of the memory."
  type        = string
  default     = "eu-central-1"
}

variable "agent_role_arn" {
  description = "ARN of the role that the agents run under. Attach output `assume_tenant_policy` to it."
  type        = string
}

variable "deletion_protection" {
  description = "Whether bucket and key refuse to be deleted. Set it to `false` and apply before `terraform destroy`."
  type        = bool
  default     = true
}
