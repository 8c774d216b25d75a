# One tenant's own KMS key, in the deployment's account or in the tenant's. Whoever applies this can take the key away.

data "aws_caller_identity" "current" {}

data "aws_partition" "current" {}

locals {
  has_operators = length(var.operator_role_arns) > 0
  context_keys  = ["s3memory:tenant", "s3memory:purpose", "s3memory:generation", "s3memory:name-mode"]

  # This tenant's data keys and nothing else, whoever asks and whatever session it has.
  context_condition = {
    StringEquals = {
      "kms:EncryptionContext:s3memory:tenant"  = var.tenant
      "kms:EncryptionContext:s3memory:purpose" = "data-key"
    }
    "ForAllValues:StringEquals" = { "kms:EncryptionContextKeys" = local.context_keys }
  }

  policy = {
    Version = "2012-10-17"
    Statement = concat(
      [
        {
          # No use of the key, and no grants: IAM policies can't give what is not here.
          Sid       = "AccountAdministers"
          Effect    = "Allow"
          Principal = { AWS = "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:root" }
          Action = concat(
            [
              "kms:CancelKeyDeletion", "kms:CreateAlias", "kms:DescribeKey", "kms:DisableKey", "kms:DisableKeyRotation",
              "kms:EnableKey", "kms:EnableKeyRotation", "kms:GetKeyPolicy", "kms:GetKeyRotationStatus", "kms:ListGrants",
              "kms:ListKeyPolicies", "kms:ListKeyRotations", "kms:ListResourceTags", "kms:PutKeyPolicy", "kms:RevokeGrant",
              "kms:RotateKeyOnDemand", "kms:TagResource", "kms:UntagResource", "kms:UpdateAlias", "kms:UpdateKeyDescription",
            ],
            # The alias, too: Terraform destroys it before the key, and a key without it opens nothing.
            var.deletion_protection ? [] : ["kms:DeleteAlias", "kms:ScheduleKeyDeletion"],
          )
          Resource = "*"
        },
        {
          Sid       = "TenantUsesOwnDataKeys"
          Effect    = "Allow"
          Principal = { AWS = var.tenant_role_arn }
          Action    = concat(["kms:Decrypt"], var.tenants_make_key_rings ? ["kms:GenerateDataKey"] : [])
          Resource  = "*"
          # The session's tag as well: all tenants share the role.
          Condition = merge(local.context_condition, {
            StringEquals = merge(local.context_condition.StringEquals, { "aws:PrincipalTag/tenant" = var.tenant })
          })
        },
      ],
      [
        for statement in [
          {
            Sid       = "OperatorsUseDataKeys"
            Effect    = "Allow"
            Principal = { AWS = var.operator_role_arns }
            Action    = ["kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey"]
            Resource  = "*"
            Condition = local.context_condition
          },
        ] : statement if local.has_operators
      ],
    )
  }
}

resource "aws_kms_key" "tenant" {
  description             = "Wraps the data keys of tenant ${var.tenant}"
  enable_key_rotation     = true
  deletion_window_in_days = var.deletion_window_days
  policy                  = jsonencode(local.policy)
  tags                    = var.tags
}

resource "aws_kms_alias" "tenant" {
  name          = replace(var.alias, "{tenant}", var.tenant)
  target_key_id = aws_kms_key.tenant.key_id
}
