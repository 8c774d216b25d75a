output "function_name" {
  description = "Name of the function, for `aws lambda invoke`."
  value       = module.memory.function_name
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
