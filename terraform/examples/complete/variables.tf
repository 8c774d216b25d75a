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
  description = "Where the handler is in the package."
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

variable "batch_function_arn" {
  description = "ARN of a function for bulk work, if there is one."
  type        = string
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
