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
    batch_function_arn = "arn:aws:lambda:eu-central-1:111122223333:function:bulk"
    bulk_operations    = ["verify", "scan", "reseal"]
  }
}

run "strict" {
  variables {
    prefix                      = "prod/"
    agents_have_source_identity = true
    tenants_make_key_rings      = false
    tenant_patterns             = ["acme", "team-*"]
  }
}
