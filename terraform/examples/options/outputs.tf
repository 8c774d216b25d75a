output "environment" {
  description = "Environment variables of an agent."
  value       = module.memory.environment
}

output "function_name" {
  description = "Name of the function."
  value       = module.memory.function_name
}

output "function_version" {
  description = "Newest version of the function."
  value       = module.memory.function_version
}

output "bulk_state_machine_arns" {
  description = "ARNs of the Distributed Maps, by what they do."
  value       = module.memory.bulk_state_machine_arns
}

output "vpc_endpoint_ids" {
  description = "IDs of the endpoints, by service."
  value       = module.memory.vpc_endpoint_ids
}

output "tenant_key_aliases" {
  description = "ARN of the alias of each tenant's key."
  value       = { for tenant, key in module.keys : tenant => key.alias_arn }
}

output "name" {
  description = "What the names of everything begin with."
  value       = var.name
}
