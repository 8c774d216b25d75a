# The policies for tests/iam, which evaluates them request by request. `make rendered-policies` writes them down there.

mock_provider "aws" {
  source = "./tests/mocks"
}

variables {
  bucket_name        = "store"
  function_zip_path  = "versions.tf" # any file: nothing is uploaded
  agent_role_arns    = ["arn:aws:iam::111122223333:role/agents"]
  operator_role_arns = ["arn:aws:iam::111122223333:role/operators"]
}

run "complete" {
  variables {
    batch_function        = { arn = "arn:aws:lambda:eu-central-1:111122223333:function:bulk" }
    bulk_operations       = ["verify", "scan", "reseal"]
    bulk_maps_enabled     = true
    ring_register_enabled = true
  }
}

run "strict" {
  variables {
    prefix                      = "prod/"
    replication_role_arns       = ["arn:aws:iam::111122223333:role/replication"]
    agents_have_source_identity = true
    tenants_make_key_rings      = false
    tenant_patterns             = ["acme", "team-*"]
  }
}

# What is off by default, all at once.
run "fenced" {
  variables {
    bulk_operations       = ["verify"]
    bulk_maps_enabled     = true
    tenant_kms_keys       = { alias = "arn:aws:kms:eu-central-1:444455556666:alias/memory-{tenant}", with_shared_key = false }
    ring_register_enabled = true
    object_lock_enabled   = true
    external_id           = "memory-7f3a"
    function_release      = "LambdaCanary10Percent15Minutes"
    vpc_endpoints = {
      vpc_id             = "vpc-1"
      route_table_ids    = ["rtb-1"]
      subnet_ids         = ["subnet-1"]
      security_group_ids = ["sg-1"]
    }
  }
}

run "tenant_key" {
  module {
    source = "./modules/tenant_key"
  }

  variables {
    tenant             = "acme"
    tenant_role_arn    = "arn:aws:iam::111122223333:role/agent-memory-tenant"
    operator_role_arns = ["arn:aws:iam::111122223333:role/operators"]
  }
}
