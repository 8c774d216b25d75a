variable "region" {
  description = "Region of the memory."
  type        = string
  default     = "eu-central-1"
}

variable "name" {
  description = "What the names of everything begin with."
  type        = string
  default     = "memory-options"
}

variable "function_zip_path" {
  description = "Path of the function's deployment package: `make lambda-zip` builds one."
  type        = string
}

variable "function_architecture" {
  description = "Processor that the package was built for."
  type        = string
  default     = "arm64"
}

variable "operator_role_arns" {
  description = "ARNs of operators' roles. Without one nobody holds, replaces or erases a key ring."
  type        = list(string)
}

variable "tenants" {
  description = "Tenants that a KMS key is made for. Others have none, and are refused."
  type        = set(string)
}

variable "external_id" {
  description = "External id without which nobody becomes a tenant."
  type        = string
}

variable "vpc_id" {
  description = "VPC of the function and the endpoints."
  type        = string
}

variable "subnet_ids" {
  description = "Subnets of the function and the endpoints."
  type        = list(string)
}

variable "route_table_ids" {
  description = "Route tables of these subnets."
  type        = list(string)
}

variable "security_group_ids" {
  description = "Security groups of the function and the endpoints: members have to reach each other at port 443."
  type        = list(string)
}

variable "force_destroy" {
  description = "Whether `terraform destroy` deletes the memory too."
  type        = bool
  default     = false
}
