variable "region" {
  description = "Region of the memory."
  type        = string
  default     = "eu-central-1"
}

variable "agent_role_arn" {
  description = "ARN of the role that the agents run under. Attach output `assume_tenant_policy` to it."
  type        = string
}

variable "operator_role_arns" {
  description = "ARNs of the roles that rotate keys, restore and erase tenants. Attach output `operator_policy` to them. Without any, nobody can."
  type        = list(string)
  default     = []
}

variable "deletion_protection" {
  description = "Whether bucket and key refuse to be deleted. Set it to `false` and apply before `terraform destroy`."
  type        = bool
  default     = true
}

variable "force_destroy" {
  description = "Whether `terraform destroy` deletes the memory in the bucket, too. Set it and apply before `terraform destroy`."
  type        = bool
  default     = false
}
