output "function_name" {
  description = "Name of the function, for `aws lambda invoke`."
  value       = module.memory.function_name
}

output "function_version" {
  description = "Newest version of the function."
  value       = module.memory.function_version
}

output "api_url" {
  description = "Where messages are posted to."
  value       = module.memory.api_url
}

output "environment" {
  description = "Environment variables of the function."
  value       = module.memory.environment
}

output "bucket_name" {
  description = "Name of the bucket."
  value       = module.memory.bucket_name
}

output "alarm_names" {
  description = "Names of the alarms."
  value       = module.memory.alarm_names
}

output "policies" {
  description = "Every policy of the module, as JSON."
  value       = module.memory.policies
}

output "batch_role_arn" {
  description = "ARN of the role for jobs of S3 Batch Operations."
  value       = module.memory.batch_role_arn
}

output "bulk_state_machine_arns" {
  description = "ARNs of the Distributed Maps for bulk work, by what they do."
  value       = module.memory.bulk_state_machine_arns
}

output "bulk_function_arns" {
  description = "ARNs of the functions for bulk work, by what they do."
  value       = module.memory.bulk_function_arns
}
