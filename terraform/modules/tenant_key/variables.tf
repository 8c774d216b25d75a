variable "tenant" {
  description = "Name of the tenant that the key is for. It must not contain a dot, because an alias can't."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$", var.tenant))
    error_message = "A tenant with a key of its own is 1 to 64 letters, digits, `_` and `-`, the first a letter or digit."
  }
}

variable "alias" {
  description = "Alias of the key, with `{tenant}` in it: the alias in the deployment's `tenant_kms_keys`, without an account."
  type        = string
  default     = "alias/memory-{tenant}"
  nullable    = false

  validation {
    condition     = can(regex("^alias/[A-Za-z0-9_/-]*\\{tenant\\}[A-Za-z0-9_/-]*$", var.alias)) && !startswith(var.alias, "alias/aws/")
    error_message = "The alias is alias/... and has {tenant} in it once."
  }
}

variable "tenant_role_arn" {
  description = "ARN of the deployment's tenant role, from its output `tenant_role_arn`."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^arn:[a-z-]+:iam::[0-9]{12}:role/[!-~]+$", var.tenant_role_arn))
    error_message = "The tenant role is given by its ARN."
  }
}

variable "operator_role_arns" {
  description = "ARNs of the deployment's operators. Without them, nobody can rotate, rewrap or verify with this key."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for arn in var.operator_role_arns : can(regex("^arn:[a-z-]+:iam::[0-9]{12}:role/[!-~]+$", arn))])
    error_message = "Operators are roles, given by their ARNs."
  }
}

variable "tenants_make_key_rings" {
  description = "Whether the tenant's first write may create its key ring, as set in the deployment."
  type        = bool
  default     = true
  nullable    = false

  validation {
    condition     = var.tenants_make_key_rings || length(var.operator_role_arns) > 0
    error_message = "Nobody could make a key ring: let the tenant make its own, or name operator_role_arns."
  }
}

variable "deletion_protection" {
  description = "Whether the key and its alias are protected from deletion by anyone. Set it to `false` and apply before you remove the tenant or change the alias."
  type        = bool
  default     = true
  nullable    = false
}

variable "deletion_window_days" {
  description = "Days that KMS waits before it deletes the key. Without the key, the tenant's memory can never be read again."
  type        = number
  default     = 30
  nullable    = false

  validation {
    condition     = var.deletion_window_days >= 7 && var.deletion_window_days <= 30
    error_message = "KMS waits for 7 to 30 days."
  }
}

variable "tags" {
  description = "Tags of the key."
  type        = map(string)
  default     = {}
  nullable    = false
}
