output "kms_key_arn" {
  description = "ARN of the key."
  value       = aws_kms_key.tenant.arn
}

output "alias_arn" {
  description = "ARN of its alias."
  value       = aws_kms_alias.tenant.arn
}

output "policies" {
  description = "The key's policy as JSON."
  value       = { kms_key = jsonencode(local.policy) }
}
