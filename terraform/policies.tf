# Every policy of the module, as a value. README.md says what each is for and what follows from it.
# A policy variable, `$${...}` here, is filled in by IAM when a request is made, not by Terraform.

locals {
  tenant_tag = "$${aws:PrincipalTag/tenant}"

  # What s3memory puts into the encryption context of a wrap, and nothing else (docs/format.md).
  context_keys = ["s3memory:tenant", "s3memory:purpose", "s3memory:generation", "s3memory:name-mode"]

  unwrap_actions = concat(["kms:Decrypt"], var.tenants_make_key_rings ? ["kms:GenerateDataKey"] : [])

  # A key can't be named by its alias as a resource: the condition says by which alias a request may name it.
  tenant_keys_arn = "arn:${local.partition}:kms:${local.tenant_keys.region}:${local.tenant_keys.account_id}:key/*"

  ring_table_conditions = {
    # Where a request names no record there is none of the keys: Null keeps it from matching.
    Null                        = { "dynamodb:LeadingKeys" = "false" }
    "ForAllValues:StringEquals" = { "dynamodb:LeadingKeys" = [local.tenant_tag] }
  }

  tenant_context_condition = {
    StringEquals = {
      "kms:EncryptionContext:s3memory:tenant"  = local.tenant_tag
      "kms:EncryptionContext:s3memory:purpose" = "data-key"
    }
    "ForAllValues:StringEquals" = { "kms:EncryptionContextKeys" = local.context_keys }
  }

  # The tenant role: one tenant's files, intents and key ring, by the session's tag.

  tenant_role_policy = {
    Version = "2012-10-17"
    Statement = concat(
      [
        {
          Sid      = "OwnFilesAndIntents"
          Effect   = "Allow"
          Action   = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"]
          Resource = ["${local.memories_arn}/${local.tenant_tag}/*", "${local.intents_arn}/${local.tenant_tag}/*"]
        },
        {
          # S3 also asks for this when an object is missing, with the object key as the prefix: allowed, it says 404,
          # refused, 403. The slash keeps tenant `a` from listing `ab`, and a listing without a prefix matches nothing.
          Sid       = "ListOwnFilesAndIntents"
          Effect    = "Allow"
          Action    = "s3:ListBucket"
          Resource  = local.bucket_arn
          Condition = { StringLike = { "s3:prefix" = ["${var.prefix}memories/${local.tenant_tag}/*", "${var.prefix}intents/${local.tenant_tag}/*"] } }
        },
        {
          # Without s3:ListBucket, on purpose: a listing that begins with the key ring of `a` would show that of `ab`.
          # A missing key ring is a 403 therefore.
          Sid      = "ReadOwnKeyRing"
          Effect   = "Allow"
          Action   = "s3:GetObject"
          Resource = "${local.key_rings_arn}/${local.tenant_tag}"
        },
      ],
      [
        for statement in [
          {
            Sid       = "MakeOwnKeyRing"
            Effect    = "Allow"
            Action    = "s3:PutObject"
            Resource  = "${local.key_rings_arn}/${local.tenant_tag}"
            Condition = { Null = { "s3:if-none-match" = "false" } }
          },
        ] : statement if var.tenants_make_key_rings
      ],
      [
        for statement in [
          {
            Sid       = "OwnDataKeys"
            Effect    = "Allow"
            Action    = local.unwrap_actions
            Resource  = local.kms_key_arn
            Condition = local.tenant_context_condition
          },
        ] : statement if local.has_shared_key
      ],
      [
        for statement in [
          {
            Sid       = "OwnOlderDataKeys"
            Effect    = "Allow"
            Action    = "kms:Decrypt"
            Resource  = local.older_kms_key_arns
            Condition = local.tenant_context_condition
          },
        ] : statement if length(local.older_kms_key_arns) > 0
      ],
      [
        for statement in [
          {
            Sid      = "OwnKey"
            Effect   = "Allow"
            Action   = local.unwrap_actions
            Resource = local.tenant_keys_arn
            Condition = merge(local.tenant_context_condition, {
              StringEquals = merge(local.tenant_context_condition.StringEquals, {
                "kms:RequestAlias" = replace(local.tenant_keys.alias_name, "{tenant}", local.tenant_tag)
              })
            })
          },
        ] : statement if local.tenant_keys.are_used
      ],
      [
        for statement in [
          {
            Sid       = "OwnRingRecord"
            Effect    = "Allow"
            Action    = ["dynamodb:GetItem", "dynamodb:PutItem"]
            Resource  = local.ring_table_arn
            Condition = local.ring_table_conditions
          },
        ] : statement if var.ring_register_enabled
      ],
      [
        {
          # A key or bucket of somebody else's that has this one's name, or that a mistaken policy lets in.
          Sid       = "NothingOfOtherAccounts"
          Effect    = "Deny"
          Action    = concat(["s3:*", "kms:*"], var.ring_register_enabled ? ["dynamodb:*"] : [])
          Resource  = "*"
          Condition = { StringNotEquals = { "aws:ResourceAccount" = local.own_account_ids } }
        },
        {
          # Without the tag no statement above matches. This one keeps it so, whatever is attached to the role later.
          Sid       = "NothingWithoutTenant"
          Effect    = "Deny"
          Action    = "*"
          Resource  = "*"
          Condition = { Null = { "aws:PrincipalTag/tenant" = "true" } }
        },
      ],
    )
  }

  # STS takes letters, spaces, digits and `_.:/=+-@` in a tag's value, so no wildcard can come in by one. Of those,
  # s3memory's tenants have letters, digits, `.`, `_` and `-`: a tenant `a/b` would lie within the files of `a`.
  tenant_tag_condition = {
    StringLike                  = { "aws:RequestTag/tenant" = var.tenant_patterns }
    StringNotLike               = { "aws:RequestTag/tenant" = ["", "*/*", "*:*", "*=*", "*+*", "*@*", "* *", "*..*", ".*", "-*", "_*"] }
    "ForAllValues:StringEquals" = { "aws:TagKeys" = ["tenant"] }
  }

  # A session with a source identity, as IAM Roles Anywhere makes, hands it on to the next.
  become_actions = concat(["sts:AssumeRole", "sts:TagSession"], var.agents_have_source_identity ? ["sts:SetSourceIdentity"] : [])

  tenant_role_trust = {
    Version = "2012-10-17"
    Statement = concat(
      [
        {
          Sid       = "OneTenantAtATime"
          Effect    = "Allow"
          Action    = local.become_actions
          Principal = { AWS = concat(local.has_function ? [local.function_role_arn] : [], local.has_bulk ? [local.bulk_role_arn] : [], var.agent_role_arns) }
          # A session is named by its tenant, so that CloudTrail names no other. (TagSession is asked without the name.)
          Condition = merge(local.tenant_tag_condition, {
            StringLikeIfExists = { "sts:RoleSessionName" = ["$${aws:RequestTag/tenant}@*", "$${aws:RequestTag/tenant}"] }
          })
        },
      ],
      [
        for statement in [
          {
            # AssumeRole alone has an external id in its request: TagSession goes by the statement above.
            Sid       = "NotWithoutExternalId"
            Effect    = "Deny"
            Action    = "sts:AssumeRole"
            Principal = { AWS = "*" }
            Condition = { StringNotEquals = { "sts:ExternalId" = coalesce(var.external_id, "none") } }
          },
        ] : statement if var.external_id != null
      ],
    )
  }

  # The function: no memory of its own. It becomes a tenant, or reads nothing.

  assume_tenant_statement = {
    Sid       = "BecomeOneTenant"
    Effect    = "Allow"
    Action    = local.become_actions
    Resource  = local.tenant_role_arn
    Condition = local.tenant_tag_condition
  }

  # Lambda says in each request of a function's code which function it is. Another one that was given the role becomes no
  # tenant. The key is for identity policies alone, so the trust can't ask for it; and it has no version, but nothing is lost
  # if it had.
  only_from_functions_statement = {
    for role, arns in { function = [local.function_arn], bulk = values(local.bulk_function_arns) } : role => {
      Sid                        = "NotFromAnotherFunction"
      Effect                     = "Deny"
      Action                     = "sts:AssumeRole"
      Resource                   = "*"
      Condition                  = { ArnNotEquals = { "lambda:SourceFunctionArn" = flatten([for arn in arns : [arn, "${arn}:*"]]) } }
    }
  }

  assume_tenant_policy = {
    Version   = "2012-10-17"
    Statement = [local.assume_tenant_statement]
  }

  # Those of AWS's AWSLambdaVPCAccessExecutionRole.
  network_interface_actions = [
    "ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface", "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets", "ec2:AssignPrivateIpAddresses", "ec2:UnassignPrivateIpAddresses",
  ]

  function_role_policy = {
    Version = "2012-10-17"
    Statement = concat(
      [
        local.assume_tenant_statement,
        local.only_from_functions_statement["function"],
        {
          Sid      = "WriteLogs"
          Effect   = "Allow"
          Action   = ["logs:CreateLogStream", "logs:PutLogEvents"]
          Resource = "${local.log_group_arn}:*"
        },
      ],
      [
        for statement in [
          {
            # X-Ray has no resources to name.
            Sid      = "WriteTraces"
            Effect   = "Allow"
            Action   = ["xray:PutTraceSegments", "xray:PutTelemetryRecords"]
            Resource = "*"
          },
        ] : statement if var.function_tracing
      ],
      [
        for statement in [
          {
            Sid      = "CountWhatTenantsUse"
            Effect   = "Allow"
            Action   = ["dynamodb:GetItem", "dynamodb:UpdateItem"]
            Resource = local.limits_table_arn
          },
        ] : statement if local.has_limits
      ],
      [
        for statement in [
          {
            # Lambda's own need in a VPC; EC2 has no resources to name before there is an interface.
            Sid      = "ManageNetworkInterfaces"
            Effect   = "Allow"
            Action   = local.network_interface_actions
            Resource = "*"
          },
          {
            # Lambda names the function in requests of its code, and not in its own for the VPC: the code could take away
            # the interfaces of others.
            Sid       = "NotFromTheCode"
            Effect    = "Deny"
            Action    = local.network_interface_actions
            Resource  = "*"
            Condition = { ArnEquals = { "lambda:SourceFunctionArn" = local.function_arn } }
          },
        ] : statement if var.function_vpc != null
      ],
    )
  }

  function_role_trust = {
    Version = "2012-10-17"
    Statement = [
      {
        Sid       = "LambdaOnly"
        Effect    = "Allow"
        Action    = "sts:AssumeRole"
        Principal = { Service = "lambda.amazonaws.com" }
      },
    ]
  }

  # The KMS key: administered through IAM, used for data keys of a tenant and nothing else, by nobody else.

  kms_use_actions = [
    "kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey", "kms:GenerateDataKeyPair",
    "kms:GenerateDataKeyPairWithoutPlaintext", "kms:GenerateDataKeyWithoutPlaintext", "kms:ReEncryptFrom", "kms:ReEncryptTo",
  ]

  # A key of one's own may be one of several regions, or have imported material: whoever made it has to go on with that.
  kms_own_key_actions = ["kms:GetParametersForImport", "kms:ImportKeyMaterial", "kms:ReplicateKey", "kms:UpdatePrimaryRegion"]

  # Of the key that this module makes, and of one's own, which may be another account's.
  kms_key_policies = {
    for whose, key in {
      made = { account_id = local.account_id, actions = [] }
      own  = { account_id = local.kms_key_account_id, actions = local.kms_own_key_actions }
      } : whose => {
      Version = "2012-10-17"
      Statement = concat(
        [
          {
            # What is not here, IAM policies can't give: no use of the key, and no grants. PutKeyPolicy keeps the account
            # from locking itself out.
            Sid       = "AccountAdministers"
            Effect    = "Allow"
            Principal = { AWS = "arn:${local.partition}:iam::${key.account_id}:root" }
            Action = concat(
              [
                "kms:CancelKeyDeletion", "kms:CreateAlias", "kms:DeleteAlias", "kms:DescribeKey", "kms:DisableKey",
                "kms:DisableKeyRotation", "kms:EnableKey", "kms:EnableKeyRotation", "kms:GetKeyPolicy", "kms:GetKeyRotationStatus",
                "kms:ListGrants", "kms:ListKeyPolicies", "kms:ListKeyRotations", "kms:ListResourceTags", "kms:PutKeyPolicy",
                "kms:RevokeGrant", "kms:RotateKeyOnDemand", "kms:TagResource", "kms:UntagResource", "kms:UpdateAlias",
                "kms:UpdateKeyDescription",
              ],
              key.actions,
              var.deletion_protection ? [] : ["kms:ScheduleKeyDeletion"],
            )
            Resource = "*"
          },
          {
            Sid       = "TenantUsesOwnDataKeys"
            Effect    = "Allow"
            Principal = { AWS = local.tenant_role_arn }
            Action    = local.unwrap_actions
            Resource  = "*"
            Condition = local.tenant_context_condition
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
              Condition = {
                StringEquals                = { "kms:EncryptionContext:s3memory:purpose" = "data-key" }
                Null                        = { "kms:EncryptionContext:s3memory:tenant" = "false" }
                "ForAllValues:StringEquals" = { "kms:EncryptionContextKeys" = local.context_keys }
              }
            },
          ] : statement if local.has_operators
        ],
        [
          {
            Sid       = "NothingWithoutTenant"
            Effect    = "Deny"
            Principal = "*"
            Action    = local.kms_use_actions
            Resource  = "*"
            Condition = { Null = { "kms:EncryptionContext:s3memory:tenant" = "true" } }
          },
          {
            # Holds where there is no purpose, too: a negated operator matches a missing key.
            Sid       = "NothingButDataKeys"
            Effect    = "Deny"
            Principal = "*"
            Action    = local.kms_use_actions
            Resource  = "*"
            Condition = { StringNotEquals = { "kms:EncryptionContext:s3memory:purpose" = "data-key" } }
          },
        ],
      )
    }
  }

  # The bucket. It allows nothing: it refuses what no role should do, whatever else a role was given.

  has_operators = length(var.operator_role_arns) > 0
  unless_operator = {
    for operator, context in { ArnNotEquals = { "aws:PrincipalArn" = var.operator_role_arns } } : operator => context if local.has_operators
  }

  bucket_policy = {
    Version = "2012-10-17"
    Statement = concat(
      local.bucket_statements,
      [local.nobody_reencrypts_statement, local.operators_hold_statement],
      var.deletion_protection ? [local.bucket_stays_statement] : [],
    )
  }

  # S3 can put an object under another key in place, old versions too, and nobody reads it once that key is gone. The bucket
  # is under SSE-S3, and nobody has a reason to change that for one object.
  # https://docs.aws.amazon.com/AmazonS3/latest/API/API_UpdateObjectEncryption.html
  nobody_reencrypts_statement = {
    Sid       = "NobodyReencrypts"
    Effect    = "Deny"
    Principal = "*"
    Action    = "s3:UpdateObjectEncryption"
    Resource  = local.folder_arns
  }

  # A hold on a memory would keep it from being erased, and nobody could tell by whom. A retention can't be lifted at all.
  # Without object_lock_enabled, too: S3 lets a bucket's lock be switched on at any time, and never off.
  operators_hold_statement = merge(
    {
      Sid       = "OperatorsHold"
      Effect    = "Deny"
      Principal = "*"
      Action    = ["s3:PutObjectLegalHold", "s3:PutObjectRetention", "s3:BypassGovernanceRetention"]
      Resource  = local.folder_arns
    },
    { for element, condition in { Condition = local.unless_operator } : element => condition if local.has_operators },
  )

  # Deleting the policy would be the first step of deleting the bucket. Replacing it, which ends the protection, is not
  # refused.
  bucket_stays_statement = {
    Sid       = "BucketStays"
    Effect    = "Deny"
    Principal = "*"
    Action    = ["s3:DeleteBucket", "s3:DeleteBucketPolicy"]
    Resource  = local.bucket_arn
  }

  bucket_statements = [
    {
      Sid       = "TlsOnly"
      Effect    = "Deny"
      Principal = "*"
      Action    = "s3:*"
      Resource  = [local.bucket_arn, "${local.bucket_arn}/*"]
      Condition = { Bool = { "aws:SecureTransport" = "false" } }
    },
    {
      Sid       = "Tls12OrLater"
      Effect    = "Deny"
      Principal = "*"
      Action    = "s3:*"
      Resource  = [local.bucket_arn, "${local.bucket_arn}/*"]
      Condition = { NumericLessThan = { "s3:TlsVersion" = "1.2" } }
    },
    {
      # s3:PutObject also stands for CopyObject, POST uploads and every step of a multipart upload. None of them is
      # excepted, since s3memory uses none.
      Sid       = "NoUnconditionalWrite"
      Effect    = "Deny"
      Principal = "*"
      Action    = "s3:PutObject"
      Resource  = local.folder_arns
      Condition = { Null = { "s3:if-match" = "true", "s3:if-none-match" = "true" } }
    },
    {
      # Of the current version, that is. To delete an old one is another action, which operators alone have.
      Sid       = "NoUnconditionalDelete"
      Effect    = "Deny"
      Principal = "*"
      Action    = "s3:DeleteObject"
      Resource  = ["${local.memories_arn}/*", "${local.intents_arn}/*"]
      Condition = { Null = { "s3:if-match" = "true" } }
    },
    {
      Sid       = "OperatorsReplaceKeyRings"
      Effect    = "Deny"
      Principal = "*"
      Action    = "s3:PutObject"
      Resource  = "${local.key_rings_arn}/*"
      Condition = merge({ Null = { "s3:if-none-match" = "true" } }, local.unless_operator)
    },
    merge(
      {
        Sid       = "OperatorsDeleteKeyRings"
        Effect    = "Deny"
        Principal = "*"
        Action    = "s3:DeleteObject"
        Resource  = "${local.key_rings_arn}/*"
      },
      { for element, condition in { Condition = local.unless_operator } : element => condition if local.has_operators },
    ),
    merge(
      {
        Sid       = "OperatorsDeleteVersions"
        Effect    = "Deny"
        Principal = "*"
        Action    = "s3:DeleteObjectVersion"
        Resource  = local.folder_arns
      },
      { for element, condition in { Condition = local.unless_operator } : element => condition if local.has_operators },
    ),
    {
      # A service that acts for itself has no role to name.
      Sid       = "NobodyElseWrites"
      Effect    = "Deny"
      Principal = "*"
      Action    = ["s3:PutObject", "s3:DeleteObject"]
      Resource  = local.folder_arns
      Condition = {
        ArnNotEquals = { "aws:PrincipalArn" = concat([local.tenant_role_arn], var.operator_role_arns) }
        BoolIfExists = { "aws:PrincipalIsAWSService" = "false" }
      }
    },
    {
      # S3 replicates under a role, which gets no other write than this.
      Sid       = "NobodyElseReplicates"
      Effect    = "Deny"
      Principal = "*"
      Action    = ["s3:ReplicateObject", "s3:ReplicateDelete"]
      Resource  = local.folder_arns
      Condition = {
        ArnNotEquals = { "aws:PrincipalArn" = concat([local.tenant_role_arn], var.operator_role_arns, var.replication_role_arns) }
        BoolIfExists = { "aws:PrincipalIsAWSService" = "false" }
      }
    },
  ]

  # Operators: for their own roles to take up (output `policies["operator"]`). The key's policy names the roles itself.

  operator_policy = {
    Version   = "2012-10-17"
    Statement = concat(local.operator_statements, local.operator_key_statements)
  }

  # What the policy will measure, before there are keys: all ARNs of keys are of one length.
  operator_policy_characters = length(jsonencode(merge(local.operator_policy, {
    Statement = concat(local.operator_statements, [
      for statement in local.operator_key_statements : merge(statement, { Resource = local.any_keys[statement.Sid] })
    ])
  })))
  any_key_arn = "arn:${local.partition}:kms:${local.region}:${local.account_id}:key/00000000-0000-0000-0000-000000000000"
  any_keys = {
    DataKeys      = local.any_key_arn
    OlderDataKeys = [for arn in local.older_kms_key_arns : local.any_key_arn]
  }

  operator_key_statements = concat(
    [
      for statement in [
        {
          Sid      = "DataKeys"
          Effect   = "Allow"
          Action   = ["kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey"]
          Resource = local.kms_key_arn
        },
      ] : statement if local.has_shared_key
    ],
    [
      for statement in [
        {
          Sid      = "OlderDataKeys"
          Effect   = "Allow"
          Action   = "kms:Decrypt"
          Resource = local.older_kms_key_arns
        },
      ] : statement if length(local.older_kms_key_arns) > 0
    ],
  )

  operator_statements = concat(
    [
      {
        Sid    = "EveryTenantsObjects"
        Effect = "Allow"
        Action = [
          "s3:GetObject", "s3:GetObjectVersion", "s3:PutObject", "s3:DeleteObject", "s3:DeleteObjectVersion",
          "s3:AbortMultipartUpload",
        ]
        Resource = local.folder_arns
      },
      {
        # An erasure names the manifests and reports that name the tenant's objects; who runs jobs puts manifests there.
        Sid    = "ManifestsAndReports"
        Effect = "Allow"
        Action = [
          "s3:GetObject", "s3:GetObjectVersion", "s3:PutObject", "s3:DeleteObject", "s3:DeleteObjectVersion",
        ]
        Resource = "${local.bucket_arn}/${var.prefix}batch/*"
      },
      {
        # S3 has no resource to name before there is a job.
        Sid      = "BeginJobs"
        Effect   = "Allow"
        Action   = ["s3:CreateJob", "s3:ListJobs"]
        Resource = "*"
      },
      {
        Sid       = "FollowJobs"
        Effect    = "Allow"
        Action    = ["s3:DescribeJob", "s3:UpdateJobPriority", "s3:UpdateJobStatus"]
        Resource  = "*"
        Condition = { StringEquals = { "aws:ResourceAccount" = local.account_id } }
      },
      {
        Sid       = "GiveJobsTheirRole"
        Effect    = "Allow"
        Action    = "iam:PassRole"
        Resource  = "${local.role_arn_prefix}${local.batch_role_name}"
        Condition = { StringEquals = { "iam:PassedToService" = "batchoperations.s3.amazonaws.com" } }
      },
      {
        Sid    = "ReadWhatTheDoctorReads"
        Effect = "Allow"
        Action = [
          "s3:GetBucketVersioning", "s3:GetEncryptionConfiguration", "s3:GetLifecycleConfiguration",
          "s3:GetBucketObjectLockConfiguration", "s3:GetReplicationConfiguration", "s3:GetBucketPublicAccessBlock",
          "s3:GetBucketPolicy",
        ]
        Resource = local.bucket_arn
      },
      {
        Sid      = "List"
        Effect   = "Allow"
        Action   = ["s3:ListBucket", "s3:ListBucketVersions", "s3:ListBucketMultipartUploads"]
        Resource = local.bucket_arn
      },
    ],
    [
      for statement in [
        {
          Sid       = "TenantsKeys"
          Effect    = "Allow"
          Action    = ["kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey"]
          Resource  = local.tenant_keys_arn
          Condition = { StringLike = { "kms:RequestAlias" = replace(local.tenant_keys.alias_name, "{tenant}", "*") } }
        },
      ] : statement if local.tenant_keys.are_used
    ],
    [
      for statement in [
        {
          # To delete a record is to let an older ring in: after a restore that was meant.
          Sid      = "RingRecords"
          Effect   = "Allow"
          Action   = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem"]
          Resource = local.ring_table_arn
        },
        {
          Sid      = "ReadWhatTheDoctorReadsOfTheRegister"
          Effect   = "Allow"
          Action   = ["dynamodb:DescribeTable", "dynamodb:DescribeContinuousBackups"]
          Resource = local.ring_table_arn
        },
      ] : statement if var.ring_register_enabled
    ],
    [
      for statement in [
        {
          Sid      = "HoldKeyRings"
          Effect   = "Allow"
          Action   = ["s3:GetObjectLegalHold", "s3:PutObjectLegalHold"]
          Resource = "${local.key_rings_arn}/*"
        },
      ] : statement if var.object_lock_enabled
    ],
    [
      for statement in [
        {
          Sid      = "BeginMaps"
          Effect   = "Allow"
          Action   = "states:StartExecution"
          Resource = values(local.bulk_map_arns)
        },
        {
          Sid      = "FollowMaps"
          Effect   = "Allow"
          Action   = ["states:DescribeExecution", "states:DescribeMapRun", "states:ListMapRuns", "states:StopExecution"]
          Resource = local.bulk_execution_arns
        },
      ] : statement if local.has_bulk_maps
    ],
  )

  # Functions for bulk work: no memory of their own either.

  bulk_role_policy = {
    Version = "2012-10-17"
    Statement = [
      local.assume_tenant_statement,
      local.only_from_functions_statement["bulk"],
      {
        Sid      = "WriteLogs"
        Effect   = "Allow"
        Action   = ["logs:CreateLogStream", "logs:PutLogEvents"]
        Resource = local.bulk_log_group_arns
      },
    ]
  }

  # The register of key rings: nobody but tenants and operators writes in it, whatever else a role was given.

  ring_table_policy = {
    Version = "2012-10-17"
    Statement = [
      {
        Sid       = "NobodyElseWrites"
        Effect    = "Deny"
        Principal = "*"
        Action = [
          "dynamodb:BatchWriteItem", "dynamodb:DeleteItem", "dynamodb:PartiQLDelete", "dynamodb:PartiQLInsert",
          "dynamodb:PartiQLUpdate", "dynamodb:PutItem", "dynamodb:UpdateItem",
        ]
        Resource  = local.ring_table_arn
        Condition = { ArnNotEquals = { "aws:PrincipalArn" = concat([local.tenant_role_arn], var.operator_role_arns) } }
      },
    ]
  }

  # Step Functions: reads manifests of batches, invokes the functions for bulk work, writes what they answer.

  bulk_map_role_policy = {
    Version = "2012-10-17"
    Statement = [
      {
        Sid      = "ReadManifests"
        Effect   = "Allow"
        Action   = ["s3:GetObject", "s3:GetObjectVersion"]
        Resource = "${local.bucket_arn}/${var.prefix}batch/manifests/*"
      },
      {
        # A Distributed Map writes its results by multipart uploads, and reads them again where it is redriven.
        Sid      = "WriteReports"
        Effect   = "Allow"
        Action   = ["s3:GetObject", "s3:PutObject", "s3:ListMultipartUploadParts", "s3:AbortMultipartUpload"]
        Resource = "${local.bucket_arn}/${var.prefix}batch/reports/*"
      },
      {
        Sid      = "InvokeForEachBatch"
        Effect   = "Allow"
        Action   = "lambda:InvokeFunction"
        Resource = values(local.bulk_function_arns)
      },
      {
        # Each batch is an execution of its own.
        Sid      = "BeginBatches"
        Effect   = "Allow"
        Action   = "states:StartExecution"
        Resource = values(local.bulk_map_arns)
      },
      {
        # https://docs.aws.amazon.com/step-functions/latest/dg/iam-policies-eg-dist-map.html
        Sid      = "FollowBatches"
        Effect   = "Allow"
        Action   = ["states:DescribeExecution", "states:RedriveExecution", "states:StopExecution"]
        Resource = local.bulk_execution_arns
      },
    ]
  }

  bulk_map_role_trust = {
    Version = "2012-10-17"
    Statement = [
      {
        Sid       = "MapsOfThisAccount"
        Effect    = "Allow"
        Action    = "sts:AssumeRole"
        Principal = { Service = "states.amazonaws.com" }
        Condition = {
          StringEquals = { "aws:SourceAccount" = local.account_id }
          ArnLike      = { "aws:SourceArn" = "arn:${local.partition}:states:${local.region}:${local.account_id}:stateMachine:${var.name}-bulk-*" }
        }
      },
    ]
  }

  # CodeDeploy: moves the alias, and looks at the alarms.

  # Of the services that take up roles here, it alone has another name in China: https://github.com/aws/aws-cdk/pull/18505
  codedeploy_principal = local.partition == "aws-cn" ? "codedeploy.amazonaws.com.cn" : "codedeploy.amazonaws.com"

  release_role_policy = {
    Version = "2012-10-17"
    Statement = [
      {
        Sid      = "MoveTheAlias"
        Effect   = "Allow"
        Action   = ["lambda:GetAlias", "lambda:GetProvisionedConcurrencyConfig", "lambda:UpdateAlias"]
        Resource = [local.function_arn, "${local.function_arn}:*"]
      },
      {
        Sid      = "LookAtAlarms"
        Effect   = "Allow"
        Action   = "cloudwatch:DescribeAlarms"
        Resource = "arn:${local.partition}:cloudwatch:${local.region}:${local.account_id}:alarm:*"
      },
    ]
  }

  release_role_trust = {
    Version = "2012-10-17"
    Statement = [
      {
        # AWS does not say that CodeDeploy names an account when it takes the role. If it does, it has to be this one; and
        # nobody of another account can pass the role to it.
        Sid       = "CodeDeployOnly"
        Effect    = "Allow"
        Action    = "sts:AssumeRole"
        Principal = { Service = local.codedeploy_principal }
        Condition = { StringEqualsIfExists = { "aws:SourceAccount" = local.account_id } }
      },
    ]
  }

  # VPC endpoints: what lies behind each is the deployment's, and nothing else. Function, agents, bulk work and operators
  # share them.

  endpoint_statements = {
    s3 = [{
      Action    = "s3:*"
      Resource  = [local.bucket_arn, "${local.bucket_arn}/*"]
      Condition = { StringEquals = { "aws:ResourceAccount" = local.account_id } }
    }]
    kms = [{
      Action    = concat(["kms:Decrypt", "kms:GenerateDataKey"], local.has_operators ? ["kms:Encrypt"] : [])
      Resource  = "*"
      Condition = { StringEquals = { "aws:ResourceAccount" = local.own_account_ids } }
    }]
    sts = concat(
      [
        {
          Action   = local.become_actions
          Resource = local.tenant_role_arn
        },
        {
          # Who am I: operators are told, before they erase.
          Action   = ["sts:GetCallerIdentity"]
          Resource = "*"
        },
      ],
      [
        for statement in [
          {
            # How agents and operators' jobs in EKS get their own role, by a token (IRSA). Their trust says whose.
            Action   = ["sts:AssumeRoleWithWebIdentity"]
            Resource = concat(var.agent_role_arns, var.operator_role_arns)
          },
        ] : statement if length(var.agent_role_arns) > 0 || local.has_operators
      ],
    )
    secretsmanager = [{
      Action    = "secretsmanager:GetSecretValue"
      Resource  = "*"
      Condition = { StringEquals = { "aws:ResourceAccount" = local.account_id } }
    }]
    dynamodb = concat(
      [
        for statement in [
          {
            Action   = ["dynamodb:GetItem", "dynamodb:UpdateItem"]
            Resource = local.limits_table_arn
          },
        ] : statement if local.has_limits
      ],
      [
        for statement in [
          {
            Action = concat(
              ["dynamodb:GetItem", "dynamodb:PutItem"],
              local.has_operators ? ["dynamodb:DeleteItem", "dynamodb:DescribeContinuousBackups", "dynamodb:DescribeTable"] : [],
            )
            Resource = local.ring_table_arn
          },
        ] : statement if var.ring_register_enabled
      ],
    )
  }

  endpoint_policies = {
    for service, statements in local.endpoint_statements : service => {
      Version   = "2012-10-17"
      Statement = [for statement in statements : merge({ Effect = "Allow", Principal = "*" }, statement)]
    }
  }

  # The API's authorizer: it checks signatures, and has nothing of AWS to do but to write logs.

  authorizer_role_policy = {
    Version = "2012-10-17"
    Statement = [
      {
        Sid      = "WriteLogs"
        Effect   = "Allow"
        Action   = ["logs:CreateLogStream", "logs:PutLogEvents"]
        Resource = "arn:${local.partition}:logs:${local.region}:${local.account_id}:log-group:/aws/lambda/${var.name}-authorizer:*"
      },
    ]
  }

  api_logs_role_trust = {
    Version = "2012-10-17"
    Statement = [
      {
        Sid       = "ApiGatewayOnly"
        Effect    = "Allow"
        Action    = "sts:AssumeRole"
        Principal = { Service = "apigateway.amazonaws.com" }
      },
    ]
  }

  # EventBridge writes down what the alarms of watch.tf are about.

  watched_log_policy = {
    Version = "2012-10-17"
    Statement = [
      {
        Sid       = "EventsAreWritten"
        Effect    = "Allow"
        Principal = { Service = ["events.amazonaws.com", "delivery.logs.amazonaws.com"] }
        Action    = ["logs:CreateLogStream", "logs:PutLogEvents"]
        Resource  = "arn:${local.partition}:logs:${local.region}:${local.account_id}:log-group:/aws/events/${var.name}:*"
      },
    ]
  }

  # S3 Batch Operations: reads manifests, invokes the function for bulk work, writes reports. It never sees a memory.

  batch_role_policy = {
    Version = "2012-10-17"
    Statement = [
      {
        Sid      = "ReadManifests"
        Effect   = "Allow"
        Action   = ["s3:GetObject", "s3:GetObjectVersion"]
        Resource = "${local.bucket_arn}/${var.prefix}batch/manifests/*"
      },
      {
        Sid      = "WriteReports"
        Effect   = "Allow"
        Action   = "s3:PutObject"
        Resource = "${local.bucket_arn}/${var.prefix}batch/reports/*"
      },
      {
        Sid      = "InvokeForEachObject"
        Effect   = "Allow"
        Action   = "lambda:InvokeFunction"
        Resource = flatten([for arn in concat([for function in [var.batch_function] : function.arn if function != null], values(local.bulk_function_arns)) : [arn, "${arn}:*"]])
      },
    ]
  }

  batch_role_trust = {
    Version = "2012-10-17"
    Statement = [
      {
        # AWS's trust for such a role has no condition: whether a job names itself and its account is not said. What it
        # names has to be this account's; and nobody of another account can pass the role to a job.
        Sid       = "JobsOfThisAccount"
        Effect    = "Allow"
        Action    = "sts:AssumeRole"
        Principal = { Service = "batchoperations.s3.amazonaws.com" }
        Condition = {
          StringEqualsIfExists = { "aws:SourceAccount" = local.account_id }
          ArnLikeIfExists      = { "aws:SourceArn" = "arn:${local.partition}:s3:${local.region}:${local.account_id}:job/*" }
        }
      },
    ]
  }

  # The audit trail's own bucket.

  audit_bucket_policy = {
    Version = "2012-10-17"
    Statement = [
      {
        Sid       = "TlsOnly"
        Effect    = "Deny"
        Principal = "*"
        Action    = "s3:*"
        Resource  = [local.audit_bucket_arn, "${local.audit_bucket_arn}/*"]
        Condition = { Bool = { "aws:SecureTransport" = "false" } }
      },
      {
        Sid       = "TrailChecks"
        Effect    = "Allow"
        Principal = { Service = "cloudtrail.amazonaws.com" }
        Action    = "s3:GetBucketAcl"
        Resource  = local.audit_bucket_arn
        Condition = { StringEquals = { "aws:SourceArn" = local.trail_arn } }
      },
      {
        Sid       = "TrailWrites"
        Effect    = "Allow"
        Principal = { Service = "cloudtrail.amazonaws.com" }
        Action    = "s3:PutObject"
        Resource  = "${local.audit_bucket_arn}/AWSLogs/${local.account_id}/*"
        Condition = { StringEquals = { "aws:SourceArn" = local.trail_arn, "s3:x-amz-acl" = "bucket-owner-full-control" } }
      },
    ]
  }
}
