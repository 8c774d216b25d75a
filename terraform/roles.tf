# A tenant's own permissions, one role for all: whose they are is in the session's tag.
resource "aws_iam_role" "tenant" {
  name                 = local.tenant_role_name
  description          = "One tenant of ${var.name}, named by the session tag `tenant`"
  assume_role_policy   = jsonencode(local.tenant_role_trust)
  permissions_boundary = var.permissions_boundary_arn
  # STS gives no more when one role assumes another.
  max_session_duration = 3600
  tags                 = var.tags

  # IAM refuses a trust policy that names a role which does not exist.
  depends_on = [aws_iam_role.function, aws_iam_role.bulk]

  lifecycle {
    precondition {
      condition     = length(jsonencode(local.tenant_role_trust)) <= var.trust_policy_max_characters
      error_message = <<-EOT
        The tenant role's trust policy would have ${length(jsonencode(local.tenant_role_trust))} characters, and IAM takes ${var.trust_policy_max_characters}. Name fewer agent_role_arns or tenant_patterns, let several agents share a role, or have the account's IAM quota "Role trust policy length" raised and set trust_policy_max_characters to it.
      EOT
    }

    postcondition {
      condition     = !contains([for key in keys(coalesce(self.tags_all, {})) : lower(key)], "tenant")
      error_message = "The provider's default tags must not have a tag `tenant`: on this role it would pass for a session's tenant."
    }
  }
}

resource "aws_iam_role_policy" "tenant" {
  name   = "memory"
  role   = aws_iam_role.tenant.id
  policy = jsonencode(local.tenant_role_policy)
}

resource "aws_iam_role" "function" {
  count = local.has_function ? 1 : 0

  name                 = local.function_role_name
  description          = "The function of ${var.name}: becomes a tenant, and writes logs"
  assume_role_policy   = jsonencode(local.function_role_trust)
  permissions_boundary = var.permissions_boundary_arn
  tags                 = var.tags
}

resource "aws_iam_role_policy" "function" {
  count = local.has_function ? 1 : 0

  name   = "memory"
  role   = aws_iam_role.function[0].id
  policy = jsonencode(local.function_role_policy)
}

resource "aws_iam_role_policy_attachment" "function" {
  for_each = { for name, arn in var.function_policy_arns : name => arn if local.has_function }

  role       = aws_iam_role.function[0].name
  policy_arn = each.value
}
