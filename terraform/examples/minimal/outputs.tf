output "environment" {
  description = "Environment variables for the agents."
  value       = module.memory.environment
}

output "assume_tenant_policy" {
  description = "What the agents' role needs: permission to become a tenant."
  value       = module.memory.policies["assume_tenant"]
}

output "operator_policy" {
  description = "What the operators' roles need: permission to rotate, restore and erase."
  value       = module.memory.policies["operator"]
}
