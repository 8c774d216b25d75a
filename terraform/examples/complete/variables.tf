variable "region" {
  description = "Region of the memory."
  type        = string
  default     = "eu-central-1"
}

variable "function_zip_path" {
  description = "Path of the function's deployment package: `make lambda-zip` builds one."
  type        = string
}

variable "function_handler" {
  description = "Handler of the function, as a path in the package."
  type        = string
  default     = "handler.handler"
}

variable "function_runtime" {
  description = "Runtime of the function."
  type        = string
  default     = "python3.13"
}

variable "function_architecture" {
  description = "Processor that the package was built for."
  type        = string
  default     = "arm64"
}

variable "api_key_secret_name" {
  description = "Name of the secret in Secrets Manager that is the model's API key."
  type        = string
  default     = "agent/api-key"
}

variable "api" {
  description = "Whose tokens the API takes: `issuer`, `audience` and `jwks_url` of an OpenID Connect provider, `tenant_claim` if it is not `tenant`."
  type        = map(string)
}

variable "api_timeout_seconds" {
  description = "How long the API waits for the function. Over 29 takes a quota of the account: \"Maximum integration timeout in milliseconds\"."
  type        = number
  default     = 29
}

variable "name" {
  description = "What the names of everything begin with."
  type        = string
  default     = "memory-complete"
}

variable "agent_role_arns" {
  description = "ARNs of roles, besides the function's, that may become a tenant."
  type        = list(string)
  default     = []
}

variable "operator_role_arns" {
  description = "ARNs of operators' roles besides the one that is made here."
  type        = list(string)
  default     = []
}

variable "function_release" {
  description = "How CodeDeploy moves callers to a new version: `LambdaCanary10Percent15Minutes`, say. Choose it with the first apply."
  type        = string
  default     = null
}

variable "function_stable_version" {
  description = "Version that keeps serving while a new one is tried."
  type        = string
  default     = null
}

variable "function_new_version_percent" {
  description = "Percentage of requests that the newest version gets beside the stable one."
  type        = number
  default     = 0
}

variable "bulk_operations" {
  description = "Kinds of bulk work to make a function for."
  type        = set(string)
  default     = []
}

variable "bulk_maps_enabled" {
  description = "Whether a Distributed Map is made for each kind of bulk work."
  type        = bool
  default     = false
}

variable "bulk_reserved_concurrency" {
  description = "How many invocations of each function for bulk work may run at once. -1 on a new account, whose quota may leave nothing to reserve."
  type        = number
  default     = 10
}

variable "alarm_email" {
  description = "Address that alarms are sent to, once it is confirmed."
  type        = string
  default     = null
}

variable "access_logs_enabled" {
  description = "Whether S3 writes down each request for the bucket, into a bucket of its own."
  type        = bool
  default     = true
}

variable "batch_function" {
  description = "A function for bulk work, by its ARN, if there is one."
  type        = object({ arn = string })
  default     = null
}

variable "request_metrics_enabled" {
  description = "Whether S3 counts requests, with an alarm on its errors."
  type        = bool
  default     = true
}

variable "force_destroy" {
  description = "Whether `terraform destroy` deletes the memory too."
  type        = bool
  default     = false
}
