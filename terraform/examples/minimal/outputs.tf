output "environment" {
  description = "Environment variables for the agents."
  value       = module.memory.environment
}

output "assume_tenant_policy" {
  description = "What the agents' role needs: leave to become a tenant."
  value       = module.memory.policies["assume_tenant"]
}
