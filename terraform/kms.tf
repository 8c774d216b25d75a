# The key that wraps every tenant's data keys, or did before another took its place. Its policy alone says who uses it, and
# for what.
resource "aws_kms_key" "memory" {
  count = local.makes_key ? 1 : 0

  description             = "Wraps the data keys of ${var.name}"
  enable_key_rotation     = true
  deletion_window_in_days = var.kms_deletion_window_days
  policy                  = jsonencode(local.kms_key_policies.made)
  tags                    = var.tags

  # KMS refuses a policy that names a role which does not exist.
  depends_on = [aws_iam_role.tenant]
}

resource "aws_kms_alias" "memory" {
  count = local.makes_key ? 1 : 0

  name          = "alias/${var.name}"
  target_key_id = aws_kms_key.memory[0].key_id
}
