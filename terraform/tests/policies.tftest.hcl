# The policies as the JSON that AWS gets. What they allow and refuse, request by request, is tested by evaluating them;
# these runs hold their shape, and how variables change it.

mock_provider "aws" {
  source = "./tests/mocks"
}

variables {
  name              = "memory"
  bucket_name       = "store"
  prefix            = "prod/"
  function_zip_path = "versions.tf" # any file: nothing is uploaded
}

run "what_is_put_where_is_what_the_output_says" {
  variables {
    batch_function      = { arn = "arn:aws:lambda:eu-central-1:111122223333:function:bulk" }
    bulk_operations     = ["verify"]
    audit_trail_enabled = true
  }

  assert {
    condition = alltrue([for name, policy in {
      tenant_role         = aws_iam_role_policy.tenant.policy
      tenant_role_trust   = aws_iam_role.tenant.assume_role_policy
      function_role       = aws_iam_role_policy.function[0].policy
      function_role_trust = aws_iam_role.function[0].assume_role_policy
      kms_key             = aws_kms_key.memory[0].policy
      bucket              = aws_s3_bucket_policy.memory.policy
      bulk_role           = aws_iam_role_policy.bulk[0].policy
      batch_role          = aws_iam_role_policy.batch[0].policy
      batch_role_trust    = aws_iam_role.batch[0].assume_role_policy
      audit_bucket        = aws_s3_bucket_policy.audit[0].policy
    } : output.policies[name] == policy])
    error_message = "A policy in use differs from the one that is put out."
  }

  # STS: 2,048 characters for a role's trust. IAM: 10,240 for a role's own policies. S3: 20 KB. KMS: 32 KB.
  assert {
    condition = alltrue([
      length(output.policies["tenant_role_trust"]) < 1024,
      length(output.policies["tenant_role"]) < 4096,
      length(output.policies["bucket"]) < 10240,
      length(output.policies["kms_key"]) < 10240,
    ])
    error_message = "A policy comes near to AWS's limit on its length."
  }

  assert {
    condition     = alltrue([for statement in jsondecode(output.policies["bucket"]).Statement : statement.Effect == "Deny"])
    error_message = "The bucket policy allows nothing."
  }
}

run "a_tenant_reaches_its_own" {
  assert {
    condition = { for statement in jsondecode(aws_iam_role_policy.tenant.policy).Statement : statement.Sid => statement } == {
      OwnFilesAndIntents = {
        Sid    = "OwnFilesAndIntents"
        Effect = "Allow"
        Action = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"]
        Resource = [
          "arn:aws:s3:::store/prod/memories/$${aws:PrincipalTag/tenant}/*",
          "arn:aws:s3:::store/prod/intents/$${aws:PrincipalTag/tenant}/*",
        ]
      }
      ListOwnFilesAndIntents = {
        Sid      = "ListOwnFilesAndIntents"
        Effect   = "Allow"
        Action   = "s3:ListBucket"
        Resource = "arn:aws:s3:::store"
        Condition = {
          StringLike = {
            "s3:prefix" = ["prod/memories/$${aws:PrincipalTag/tenant}/*", "prod/intents/$${aws:PrincipalTag/tenant}/*"]
          }
        }
      }
      ReadOwnKeyRing = {
        Sid      = "ReadOwnKeyRing"
        Effect   = "Allow"
        Action   = "s3:GetObject"
        Resource = "arn:aws:s3:::store/prod/keyrings/$${aws:PrincipalTag/tenant}"
      }
      MakeOwnKeyRing = {
        Sid       = "MakeOwnKeyRing"
        Effect    = "Allow"
        Action    = "s3:PutObject"
        Resource  = "arn:aws:s3:::store/prod/keyrings/$${aws:PrincipalTag/tenant}"
        Condition = { Null = { "s3:if-none-match" = "false" } }
      }
      OwnDataKeys = {
        Sid      = "OwnDataKeys"
        Effect   = "Allow"
        Action   = ["kms:Decrypt", "kms:GenerateDataKey"]
        Resource = "arn:aws:kms:eu-central-1:111122223333:key/00000000-0000-0000-0000-000000000000"
        Condition = {
          StringEquals = {
            "kms:EncryptionContext:s3memory:tenant"  = "$${aws:PrincipalTag/tenant}"
            "kms:EncryptionContext:s3memory:purpose" = "data-key"
          }
          "ForAllValues:StringEquals" = {
            "kms:EncryptionContextKeys" = ["s3memory:tenant", "s3memory:purpose", "s3memory:generation", "s3memory:name-mode"]
          }
        }
      }
      NothingOfOtherAccounts = {
        Sid       = "NothingOfOtherAccounts"
        Effect    = "Deny"
        Action    = ["s3:*", "kms:*"]
        Resource  = "*"
        Condition = { StringNotEquals = { "aws:ResourceAccount" = ["111122223333"] } }
      }
      NothingWithoutTenant = {
        Sid       = "NothingWithoutTenant"
        Effect    = "Deny"
        Action    = "*"
        Resource  = "*"
        Condition = { Null = { "aws:PrincipalTag/tenant" = "true" } }
      }
    }
    error_message = "The tenant role's policy is not what it was."
  }
}

run "operators_make_key_rings" {
  variables {
    tenants_make_key_rings = false
    operator_role_arns     = ["arn:aws:iam::111122223333:role/operators"]
  }

  assert {
    condition     = !strcontains(aws_iam_role_policy.tenant.policy, "GenerateDataKey") && !strcontains(aws_iam_role_policy.tenant.policy, "MakeOwnKeyRing")
    error_message = "Tenants that make no key rings need neither leave to write one nor to generate data keys."
  }

  assert {
    condition     = [for statement in jsondecode(aws_kms_key.memory[0].policy).Statement : statement.Action if statement.Sid == "TenantUsesOwnDataKeys"] == [["kms:Decrypt"]]
    error_message = "Nor may the key give it to them."
  }
}

run "agents_become_some_tenants_only" {
  variables {
    agent_role_arns = ["arn:aws:iam::111122223333:role/agents"]
    tenant_patterns = ["acme-*", "globex"]
  }

  assert {
    condition     = jsondecode(aws_iam_role.tenant.assume_role_policy).Statement[0].Principal.AWS == ["arn:aws:iam::111122223333:role/memory-function", "arn:aws:iam::111122223333:role/agents"]
    error_message = "The function and the agents may become a tenant."
  }

  assert {
    condition = alltrue([
      for statement in [
        jsondecode(aws_iam_role.tenant.assume_role_policy).Statement[0],
        jsondecode(aws_iam_role_policy.function[0].policy).Statement[0],
        jsondecode(output.policies["assume_tenant"]).Statement[0],
      ] :
      statement.Condition.StringLike["aws:RequestTag/tenant"] == ["acme-*", "globex"]
      && statement.Condition["ForAllValues:StringEquals"]["aws:TagKeys"] == ["tenant"]
      && contains(statement.Condition.StringNotLike["aws:RequestTag/tenant"], "*/*")
    ])
    error_message = "Both sides hold the tag to the tenants that were named, and allow no other tag."
  }

  assert {
    condition     = jsondecode(aws_iam_role_policy.function[0].policy).Statement[0].Resource == "arn:aws:iam::111122223333:role/memory-tenant"
    error_message = "The function may assume the tenant role, and no other."
  }

  assert {
    condition     = length(regexall("s3:|kms:", aws_iam_role_policy.function[0].policy)) == 0
    error_message = "The function has no memory of its own."
  }
}

run "the_function_may_do_what_it_was_made_for" {
  assert {
    condition     = [for statement in jsondecode(aws_iam_role_policy.function[0].policy).Statement : statement.Sid] == ["BecomeOneTenant", "NotFromAnotherFunction", "WriteLogs"]
    error_message = "A plain function becomes a tenant and writes logs."
  }

  assert {
    condition     = jsondecode(aws_iam_role.function[0].assume_role_policy).Statement[0].Principal == { Service = "lambda.amazonaws.com" }
    error_message = "Lambda alone takes the function's role."
  }
}

run "a_traced_function_in_a_vpc_may_do_more" {
  variables {
    function_tracing = true
    function_vpc     = { subnet_ids = ["subnet-1"], security_group_ids = ["sg-1"] }
  }

  assert {
    condition     = [for statement in jsondecode(aws_iam_role_policy.function[0].policy).Statement : statement.Sid] == ["BecomeOneTenant", "NotFromAnotherFunction", "WriteLogs", "WriteTraces", "ManageNetworkInterfaces", "NotFromTheCode"]
    error_message = "Tracing and a VPC need rights of their own."
  }

  assert {
    condition = [for statement in jsondecode(aws_iam_role_policy.function[0].policy).Statement : statement.Condition if statement.Sid == "NotFromTheCode"] == [
      { ArnEquals = { "lambda:SourceFunctionArn" = "arn:aws:lambda:eu-central-1:111122223333:function:memory-agent" } }
    ]
    error_message = "Network interfaces are Lambda's to manage, not the code's."
  }

  # https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AWSLambdaVPCAccessExecutionRole.html, but for the logs.
  assert {
    condition = toset(flatten([for statement in jsondecode(aws_iam_role_policy.function[0].policy).Statement : statement.Action if statement.Sid == "ManageNetworkInterfaces"])) == toset([
      "ec2:CreateNetworkInterface", "ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets", "ec2:DeleteNetworkInterface",
      "ec2:AssignPrivateIpAddresses", "ec2:UnassignPrivateIpAddresses",
    ])
    error_message = "Lambda refuses to put a function into a VPC whose role lacks one of these."
  }
}

run "bulk_work_reaches_no_memory" {
  variables {
    batch_function = { arn = "arn:aws:lambda:eu-central-1:111122223333:function:bulk" }
  }

  assert {
    condition = flatten([for statement in jsondecode(aws_iam_role_policy.batch[0].policy).Statement : statement.Resource]) == [
      "arn:aws:s3:::store/prod/batch/manifests/*",
      "arn:aws:s3:::store/prod/batch/reports/*",
      "arn:aws:lambda:eu-central-1:111122223333:function:bulk",
      "arn:aws:lambda:eu-central-1:111122223333:function:bulk:*",
    ]
    error_message = "A job reads manifests, writes reports and invokes one function."
  }

  assert {
    condition     = jsondecode(aws_iam_role.batch[0].assume_role_policy).Statement[0].Condition.StringEqualsIfExists["aws:SourceAccount"] == "111122223333"
    error_message = "Jobs of other accounts don't get the role."
  }
}

run "functions_for_bulk_work_become_tenants_and_are_the_jobs_alone" {
  variables {
    bulk_operations = ["verify", "reseal"]
  }

  assert {
    condition     = { for operation, function in aws_lambda_function.bulk : operation => function.handler } == { verify = "s3memory.bulk.verify", reseal = "s3memory.bulk.reseal" }
    error_message = "What a function does is settled by its handler."
  }

  assert {
    condition     = [for statement in jsondecode(aws_iam_role_policy.bulk[0].policy).Statement : statement.Sid] == ["BecomeOneTenant", "NotFromAnotherFunction", "WriteLogs"]
    error_message = "Functions for bulk work reach no memory but as a tenant."
  }

  assert {
    condition     = jsondecode(aws_iam_role.tenant.assume_role_policy).Statement[0].Principal.AWS == ["arn:aws:iam::111122223333:role/memory-function", "arn:aws:iam::111122223333:role/memory-bulk"]
    error_message = "Both roles of functions become tenants."
  }

  assert {
    condition = [for statement in jsondecode(aws_iam_role_policy.batch[0].policy).Statement : statement.Resource if statement.Sid == "InvokeForEachObject"][0] == [
      "arn:aws:lambda:eu-central-1:111122223333:function:memory-bulk-reseal",
      "arn:aws:lambda:eu-central-1:111122223333:function:memory-bulk-reseal:*",
      "arn:aws:lambda:eu-central-1:111122223333:function:memory-bulk-verify",
      "arn:aws:lambda:eu-central-1:111122223333:function:memory-bulk-verify:*",
    ]
    error_message = "A job invokes the functions for bulk work, and not the agent."
  }

  assert {
    condition     = alltrue([for function in aws_lambda_function.bulk : alltrue([for name in keys(function.environment[0].variables) : startswith(name, "S3MEMORY_")])])
    error_message = "Functions for bulk work get settings, and nothing of the agent's own."
  }
}

run "without_operators_nobody_replaces_or_deletes_a_key_ring" {
  assert {
    condition = { for statement in jsondecode(aws_s3_bucket_policy.memory.policy).Statement : statement.Sid => lookup(statement, "Condition", {}) if startswith(statement.Sid, "Operators") } == {
      OperatorsReplaceKeyRings = { Null = { "s3:if-none-match" = "true" } }
      OperatorsDeleteKeyRings  = {}
      OperatorsDeleteVersions  = {}
      OperatorsHold            = {}
    }
    error_message = "Without operators these are refused to everybody."
  }

  assert {
    condition     = !strcontains(aws_kms_key.memory[0].policy, "OperatorsUseDataKeys")
    error_message = "There are no operators to use the key."
  }
}

run "operators_may" {
  variables {
    operator_role_arns = ["arn:aws:iam::111122223333:role/operator"]
  }

  assert {
    condition = alltrue([
      for statement in jsondecode(aws_s3_bucket_policy.memory.policy).Statement :
      statement.Condition.ArnNotEquals["aws:PrincipalArn"] == ["arn:aws:iam::111122223333:role/operator"]
      if startswith(statement.Sid, "Operators")
    ])
    error_message = "What is an operator's business is refused to everybody else."
  }

  assert {
    condition     = [for statement in jsondecode(aws_s3_bucket_policy.memory.policy).Statement : statement.Condition.ArnNotEquals["aws:PrincipalArn"] if statement.Sid == "NobodyElseWrites"] == [["arn:aws:iam::111122223333:role/memory-tenant", "arn:aws:iam::111122223333:role/operator"]]
    error_message = "Tenants and operators write, and nobody else."
  }

  assert {
    condition = [for statement in jsondecode(aws_s3_bucket_policy.memory.policy).Statement : [statement.Action, statement.Condition] if startswith(statement.Sid, "NoUnconditional")] == [
      ["s3:PutObject", { Null = { "s3:if-match" = "true", "s3:if-none-match" = "true" } }],
      ["s3:DeleteObject", { Null = { "s3:if-match" = "true" } }],
    ]
    error_message = "Nobody writes or deletes without a condition, operators included."
  }

  assert {
    condition     = [for statement in jsondecode(aws_kms_key.memory[0].policy).Statement : statement.Principal.AWS if statement.Sid == "OperatorsUseDataKeys"] == [["arn:aws:iam::111122223333:role/operator"]]
    error_message = "Operators use the data keys of every tenant."
  }
}

run "the_key_is_for_data_keys_of_a_tenant_only" {
  assert {
    condition     = alltrue([for statement in jsondecode(aws_kms_key.memory[0].policy).Statement : length(setintersection(flatten([statement.Action]), ["kms:*", "kms:Decrypt", "kms:GenerateDataKey", "kms:CreateGrant"])) == 0 if statement.Sid == "AccountAdministers"])
    error_message = "IAM policies of the account can't give use of the key, nor grants."
  }

  assert {
    condition = { for statement in jsondecode(aws_kms_key.memory[0].policy).Statement : statement.Sid => statement.Condition if statement.Effect == "Deny" } == {
      NothingWithoutTenant = { Null = { "kms:EncryptionContext:s3memory:tenant" = "true" } }
      NothingButDataKeys   = { StringNotEquals = { "kms:EncryptionContext:s3memory:purpose" = "data-key" } }
    }
    error_message = "Without a tenant and the purpose in its context, no request is served, whoever makes it."
  }
}

run "a_key_of_another_account_is_administered_there" {
  variables {
    kms_key = { arn = "arn:aws:kms:eu-central-1:444455556666:key/mrk-11111111111111111111111111111111" }
  }

  assert {
    condition     = [for statement in jsondecode(output.policies["kms_key"]).Statement : statement.Principal.AWS if statement.Sid == "AccountAdministers"] == ["arn:aws:iam::444455556666:root"]
    error_message = "The account that owns the key administers it, and no other."
  }

  assert {
    condition     = [for statement in jsondecode(output.policies["kms_key"]).Statement : statement.Principal.AWS if statement.Sid == "TenantUsesOwnDataKeys"] == ["arn:aws:iam::111122223333:role/memory-tenant"]
    error_message = "The tenant role stays the deployment's."
  }

  assert {
    condition     = [for statement in jsondecode(aws_iam_role_policy.tenant.policy).Statement : statement.Condition.StringNotEquals["aws:ResourceAccount"] if statement.Sid == "NothingOfOtherAccounts"] == [["111122223333", "444455556666"]]
    error_message = "The tenant role reaches the key's account, too."
  }
}

run "a_key_of_ones_own_is_replicated_and_gets_its_material_imported" {
  variables {
    kms_key = { arn = "arn:aws:kms:eu-central-1:111122223333:key/mrk-11111111111111111111111111111111" }
  }

  assert {
    condition = length(setsubtract(
      ["kms:GetParametersForImport", "kms:ImportKeyMaterial", "kms:ReplicateKey", "kms:UpdatePrimaryRegion"],
      flatten([for statement in jsondecode(output.policies["kms_key"]).Statement : statement.Action if statement.Sid == "AccountAdministers"]),
    )) == 0
    error_message = "docs/recover.md has the key replicated, and docs/deploy.md speaks of imported material."
  }
}

run "the_modules_own_key_is_neither_replicated_nor_imported" {
  assert {
    condition     = length(regexall("kms:ReplicateKey|kms:ImportKeyMaterial", aws_kms_key.memory[0].policy)) == 0
    error_message = "The module's own key is one of this region, with KMS's material."
  }
}

run "an_object_is_put_under_another_key_by_nobody" {
  variables {
    operator_role_arns = ["arn:aws:iam::111122223333:role/operator"]
  }

  assert {
    condition = [for statement in jsondecode(aws_s3_bucket_policy.memory.policy).Statement : statement if try(contains(flatten([statement.Action]), "s3:UpdateObjectEncryption"), false)] == [
      {
        Sid       = "NobodyReencrypts"
        Effect    = "Deny"
        Principal = "*"
        Action    = "s3:UpdateObjectEncryption"
        Resource  = [for folder in ["memories", "intents", "keyrings", "redactions"] : "arn:aws:s3:::store/prod/${folder}/*"]
      },
    ]
    error_message = "Nobody changes the encryption of an object in place, operators included."
  }
}

run "operators_hold_a_policy_of_a_long_prefix_themselves" {
  command = plan

  variables {
    name                  = "memory-with-a-long-name1"
    bucket_name           = format("%063d", 0)
    prefix                = "${join("", [for number in range(511) : "p"])}/"
    bulk_operations       = ["verify", "scan", "reseal"]
    bulk_maps_enabled     = true
    ring_register_enabled = true
    object_lock_enabled   = true
    tenant_kms_keys       = { alias = "alias/memory-{tenant}" }
    operator_role_arns    = ["arn:aws:iam::111122223333:role/operator"]
  }

  # A plan warns of it, and refuses it only where no role could hold it.
  expect_failures = [check.operator_policy_length]
}

run "a_tenants_key_that_may_go_gives_up_its_alias_too" {
  module {
    source = "./modules/tenant_key"
  }

  variables {
    tenant              = "acme"
    tenant_role_arn     = "arn:aws:iam::111122223333:role/memory-tenant"
    deletion_protection = false
  }

  assert {
    condition     = length(setsubtract(["kms:DeleteAlias", "kms:ScheduleKeyDeletion"], jsondecode(aws_kms_key.tenant.policy).Statement[0].Action)) == 0
    error_message = "Terraform deletes the alias and then the key: it needs leave for both."
  }
}
