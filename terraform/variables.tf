# What the deployment is called and whose it is

variable "name" {
  description = "Name of the deployment. The names of its roles, key alias, function and alarms begin with it. IAM has no regions, so a second deployment in the same account needs another name, even in another region."
  type        = string
  default     = "agent-memory"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{1,22}[a-z0-9]$", var.name))
    error_message = "The name must be 3 to 24 lower-case letters, digits and hyphens, beginning with a letter and not ending in a hyphen."
  }
}

variable "tags" {
  description = "Tags for every resource. A tag named `tenant` is refused: on a role, it would be mistaken for a session's tenant."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    # Tag keys of IAM are not case-sensitive.
    condition     = !contains([for key in keys(var.tags) : lower(key)], "tenant")
    error_message = "No resource may be tagged `tenant`: the policies take that tag of a session for its tenant."
  }
}

variable "permissions_boundary_arn" {
  description = "ARN of a permissions boundary for every role that the module creates."
  type        = string
  default     = null

  validation {
    condition     = var.permissions_boundary_arn == null || can(regex("^arn:[a-z-]+:iam::([0-9]{12}|aws):policy/[!-~]+$", var.permissions_boundary_arn))
    error_message = "The permissions boundary must be the ARN of an IAM policy."
  }
}

# The bucket

variable "bucket_name" {
  description = "Name of the bucket. Default: `{name}-{account}-{region}`."
  type        = string
  default     = null

  validation {
    condition     = var.bucket_name == null || can(regex("^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$", var.bucket_name))
    error_message = "The bucket's name must be 3 to 63 lower-case letters, digits and hyphens. (A dot breaks TLS to the bucket's own host name.)"
  }
}

variable "bucket_owner" {
  description = "Account that the deployment is meant for. A plan with the credentials of another account is refused. Default: any account."
  type        = string
  default     = null

  validation {
    condition     = var.bucket_owner == null || can(regex("^[0-9]{12}$", var.bucket_owner))
    error_message = "The bucket's owner must be the 12 digits of an AWS account."
  }
}

variable "prefix" {
  description = "Prefix of all object keys (`S3MEMORY_PREFIX`): empty, or ending in `/`."
  type        = string
  default     = ""
  nullable    = false

  validation {
    # s3memory allows more; `*`, `?` and `$` would be wildcards and variables in the policies.
    condition     = var.prefix == "" || can(regex("^([A-Za-z0-9!_.'()=@+:,-]+/)+$", var.prefix))
    error_message = "The prefix must be empty, or segments of letters, digits and !_.'()=@+:,- that each end in one `/`."
  }

  validation {
    condition     = length(setintersection(split("/", var.prefix), [".", ".."])) == 0
    error_message = "The prefix must not have a segment `.` or `..`: what resolves paths would find the objects elsewhere."
  }

  validation {
    condition     = length(var.prefix) <= 512
    error_message = "The prefix must have at most 512 characters."
  }
}

variable "force_destroy" {
  description = "Whether `terraform destroy` deletes a bucket that still contains memories. Only for trials."
  type        = bool
  default     = false
  nullable    = false
}

variable "memory_expiry_days" {
  description = "Days after which a memory file expires if it is not written. `null`: never. Key rings never expire. With `S3MEMORY_TOUCH_AFTER_DAYS` in `function_environment`, viewing counts as writing."
  type        = number
  default     = null

  validation {
    condition     = var.memory_expiry_days == null || try(var.memory_expiry_days >= 1 && floor(var.memory_expiry_days) == var.memory_expiry_days, false)
    error_message = "Memory expires after a whole number of days, at least 1, or never (null)."
  }
}

variable "noncurrent_version_days" {
  description = "Days for which a replaced or deleted version of a memory file can be restored."
  type        = number
  default     = 30
  nullable    = false

  validation {
    condition     = var.noncurrent_version_days >= 1 && floor(var.noncurrent_version_days) == var.noncurrent_version_days
    error_message = "Old versions are kept for a whole number of days, at least 1."
  }
}

variable "newer_noncurrent_versions" {
  description = "How many old versions of a memory file are kept forever, in addition to those that `noncurrent_version_days` keeps. They stay after the file is deleted, until an operator erases them. `null`: none."
  type        = number
  default     = null

  validation {
    condition     = var.newer_noncurrent_versions == null || try(var.newer_noncurrent_versions >= 1 && var.newer_noncurrent_versions <= 100, false)
    error_message = "S3 keeps 1 to 100 newer versions."
  }
}

variable "deletion_protection" {
  description = "Whether the bucket and the key are protected from deletion by anyone. Set it to `false` and apply before `terraform destroy`."
  type        = bool
  default     = true
  nullable    = false
}

variable "inventory" {
  description = "Existing bucket for a daily S3 Inventory of memory files, from which you can make manifests for bulk work. Set `account_id` if it belongs to another account. `null`: no inventory."
  type = object({
    bucket     = string
    account_id = optional(string)
  })
  default = null

  validation {
    condition     = var.inventory == null ? true : can(regex("^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$", var.inventory.bucket))
    error_message = "The bucket for the inventory must be the name of a bucket."
  }

  validation {
    condition     = try(var.inventory.account_id, null) == null ? true : can(regex("^[0-9]{12}$", var.inventory.account_id))
    error_message = "The owner of the inventory's bucket must be the 12 digits of an AWS account."
  }
}

variable "access_logs" {
  description = "Existing bucket in this account and region for S3 server access logs. `null`: no access logs."
  type        = object({ bucket = string })
  default     = null

  validation {
    condition     = var.access_logs == null ? true : can(regex("^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$", var.access_logs.bucket))
    error_message = "The bucket for access logs must be the name of a bucket."
  }
}

# Keys

variable "kms_key" {
  description = "ARN of an existing KMS key that wraps data keys. `null`: the module creates one. Give your own key the policy in output `policies[\"kms_key\"]`: see [a key of your own](#a-key-of-your-own)."
  type        = object({ arn = string })
  default     = null

  validation {
    # An alias won't do: policies name keys.
    condition     = var.kms_key == null ? true : can(regex("^arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+$", var.kms_key.arn))
    error_message = "The KMS key must be given by the ARN of a key, not of an alias."
  }

  validation {
    # KMS knows nothing of another region's keys: apply would succeed, and the first write fail.
    condition     = try(split(":", var.kms_key.arn)[3] == local.region, true)
    error_message = "The KMS key must be in the deployment's region, ${local.region}. Of a multi-Region key, name the replica there."
  }
}

variable "older_kms_key_arns" {
  description = "ARNs of KMS keys that wrapped key rings before. Processes can still decrypt with them until the rings are moved to the current key."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for arn in var.older_kms_key_arns : can(regex("^arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+$", arn))])
    error_message = "Older KMS keys must be given by the ARNs of keys, not of aliases."
  }

  validation {
    condition     = alltrue([for arn in var.older_kms_key_arns : try(split(":", arn)[3] == local.region, true)])
    error_message = "Older KMS keys must be in the deployment's region, ${local.region}: KMS opens nothing with others."
  }

  validation {
    condition     = var.kms_key == null ? true : !contains(var.older_kms_key_arns, var.kms_key.arn)
    error_message = "kms_key is the key of today: leave it out of older_kms_key_arns."
  }
}

variable "keep_made_kms_key" {
  description = "Whether to keep the KMS key that the module created, as an older key, when `kms_key` or `with_shared_key = false` replaces it. Set it in the same apply, or the plan destroys the key."
  type        = bool
  default     = false
  nullable    = false
}

variable "tenant_kms_keys" {
  description = "Alias of each tenant's own KMS key, with `{tenant}` for the tenant's name: `alias/memory-{tenant}`, or the ARN of an alias in another account. With `with_shared_key = false`, the deployment has no shared key."
  type = object({
    alias           = string
    with_shared_key = optional(bool, true)
  })
  default = null

  validation {
    condition     = var.tenant_kms_keys == null || can(regex("^(arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:)?alias/[A-Za-z0-9_/-]*\\{tenant\\}[A-Za-z0-9_/-]*$", var.tenant_kms_keys.alias))
    error_message = "The alias is alias/..., or the ARN of one, and has {tenant} in it once."
  }

  validation {
    condition     = try(split(":", var.tenant_kms_keys.alias)[3] == local.region, true)
    error_message = "Tenants' KMS keys must be in the deployment's region, ${local.region}."
  }

  validation {
    # `aws/` is AWS's own.
    condition     = var.tenant_kms_keys == null || !strcontains(try(var.tenant_kms_keys.alias, ""), "alias/aws/")
    error_message = "Aliases that begin with alias/aws/ are AWS's."
  }

  validation {
    condition     = var.kms_key == null || try(var.tenant_kms_keys.with_shared_key, true)
    error_message = "kms_key is a key for all tenants: leave it out, or leave out with_shared_key."
  }
}

variable "ring_register_enabled" {
  description = "Whether a DynamoDB table records each tenant's newest key ring (`S3MEMORY_KEY_RING_TABLE`), so that every process refuses an older key ring that somebody puts back."
  type        = bool
  default     = false
  nullable    = false
}

variable "object_lock_enabled" {
  description = "Whether operators can put legal holds on versions of key rings (S3 Object Lock). It can't be switched off again. Nothing is held by default, and a held version can't be erased."
  type        = bool
  default     = false
  nullable    = false
}

variable "kms_deletion_window_days" {
  description = "Days that KMS waits before it deletes the key. Without the key, no memory can ever be read again."
  type        = number
  default     = 30
  nullable    = false

  validation {
    condition     = var.kms_deletion_window_days >= 7 && var.kms_deletion_window_days <= 30
    error_message = "KMS waits between 7 and 30 days."
  }
}

variable "name_mode" {
  description = "`plain` or `encrypted` file names for new tenants, or `encrypted-required`, which also refuses tenants that have plain ones (`S3MEMORY_NAME_MODE`)."
  type        = string
  default     = "plain"
  nullable    = false

  validation {
    condition     = contains(["plain", "encrypted", "encrypted-required"], var.name_mode)
    error_message = "The name mode is plain, encrypted or encrypted-required."
  }
}

variable "key_cache_seconds" {
  description = "How long a process keeps unwrapped data keys (`S3MEMORY_KEY_CACHE_SECONDS`)."
  type        = number
  default     = 900
  nullable    = false

  validation {
    condition     = var.key_cache_seconds >= 1 && var.key_cache_seconds <= 86400 && floor(var.key_cache_seconds) == var.key_cache_seconds
    error_message = "Keys are cached for 1 to 86400 whole seconds."
  }
}

# Who may do what

variable "agent_role_arns" {
  description = "ARNs of further roles that may assume a tenant's role, such as those of tasks or other functions. Give each of them the policy in output `policies[\"assume_tenant\"]`."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for arn in var.agent_role_arns : can(regex("^arn:[a-z-]+:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]+$", arn))])
    error_message = "Agents are named by the ARNs of their roles, without wildcards."
  }

  validation {
    condition     = length(var.agent_role_arns) > 0 || var.function_zip_path != null
    error_message = "Nobody could reach a memory: set function_zip_path, agent_role_arns or both."
  }
}

variable "agents_have_source_identity" {
  description = "Whether sessions of agents have a source identity, as those of IAM Roles Anywhere do. A tenant's session then keeps it."
  type        = bool
  default     = false
  nullable    = false
}

variable "operator_role_arns" {
  description = "ARNs of the operators' roles, in this account: people and jobs that rotate, restore and erase. Nobody else may replace or delete a key ring, or delete old versions."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for arn in var.operator_role_arns : can(regex("^arn:[a-z-]+:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]+$", arn))])
    error_message = "Operators are named by the ARNs of their roles, without wildcards."
  }

  validation {
    # The bucket's policy allows nothing, and S3 asks it to allow what another account does.
    condition     = alltrue([for arn in var.operator_role_arns : try(split(":", arn)[4] == local.account_id, true)])
    error_message = "Operators are roles of the deployment's account, ${local.account_id}: S3 would refuse others. Let people of other accounts assume a role of this one."
  }
}

variable "replication_role_arns" {
  description = "ARNs of the roles, in this account, with which S3 replicates another bucket into this one. They can replicate, but not write in any other way. Anyone who configures that replication can put older versions here."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for arn in var.replication_role_arns : can(regex("^arn:[a-z-]+:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]+$", arn))])
    error_message = "Roles for replication are named by their ARNs, without wildcards."
  }

  validation {
    condition     = alltrue([for arn in var.replication_role_arns : try(split(":", arn)[4] == local.account_id, true)])
    error_message = "Roles for replication belong to the deployment's account, ${local.account_id}: S3 would refuse those of others, because the bucket's policy allows nothing."
  }
}

variable "external_id" {
  description = "External ID that is required to assume a tenant's role (`S3MEMORY_TENANT_EXTERNAL_ID`), for agents of other accounts. It is not a secret. `null`: none is required."
  type        = string
  default     = null

  validation {
    condition     = var.external_id == null || try(can(regex("^[A-Za-z0-9_+=,.@:/-]+$", var.external_id)) && length(var.external_id) >= 2 && length(var.external_id) <= 1224, false)
    error_message = "STS takes 2 to 1,224 letters, digits and _+=,.@:/- as an external id."
  }
}

variable "tenant_patterns" {
  description = "Tenants whose memory agents may use: names, with `*` and `?` as wildcards."
  type        = list(string)
  default     = ["*"]
  nullable    = false

  validation {
    condition     = length(var.tenant_patterns) > 0 && alltrue([for pattern in var.tenant_patterns : can(regex("^[A-Za-z0-9*?][A-Za-z0-9._*?-]{0,63}$", pattern)) && !strcontains(pattern, "..")])
    error_message = "Tenants are letters, digits, `.`, `_` and `-`, at most 64, without `..`; a pattern may hold `*` and `?` too. At least one is needed."
  }
}

variable "trust_policy_max_characters" {
  description = "Maximum length of the tenant role's trust policy: the account's IAM quota \"Role trust policy length\". The default is AWS's, with room for about 30 agents."
  type        = number
  default     = 2048
  nullable    = false

  validation {
    condition     = var.trust_policy_max_characters >= 2048 && var.trust_policy_max_characters <= 8192
    error_message = "IAM's quota for trust policies is 2048 characters, and can be raised to 8192."
  }
}

variable "tenants_make_key_rings" {
  description = "Whether a tenant's first write may create its key ring. If not, an operator creates it, and agents don't get `kms:GenerateDataKey`."
  type        = bool
  default     = true
  nullable    = false

  validation {
    condition     = var.tenants_make_key_rings || length(var.operator_role_arns) > 0
    error_message = "Nobody could make a key ring: let tenants make theirs, or name operator_role_arns."
  }
}

# The function

variable "function_zip_path" {
  description = "Path of the function's deployment package, as `make lambda-zip` builds it for the same processor and Python. `null`: no function."
  type        = string
  default     = null

  validation {
    condition     = var.function_zip_path == null ? true : fileexists(var.function_zip_path)
    error_message = "There is no file at function_zip_path. Build it with `make lambda-zip`, and give its path from the folder that you run Terraform in."
  }
}

variable "function_handler" {
  description = "Handler of the function, as a path in the package."
  type        = string
  default     = "handler.handler"
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9_./-]+\\.[A-Za-z0-9_]+$", var.function_handler))
    error_message = "The handler is written module.function."
  }
}

variable "mcp" {
  description = "Makes the function an MCP server, in place of `function_handler`, and says which tokens it accepts. Its package needs the extra `mcp`. `null`: no MCP server."
  type = object({
    issuer       = string
    audience     = string
    jwks_url     = string
    tenant_claim = string
    resource_url = optional(string)
  })
  default = null

  validation {
    condition     = var.mcp == null ? true : alltrue([for url in [var.mcp.issuer, var.mcp.jwks_url, var.mcp.resource_url] : startswith(coalesce(url, "https://"), "https://")])
    error_message = "URLs begin with https://."
  }

  validation {
    condition     = var.mcp == null ? true : var.mcp.audience != "" && var.mcp.tenant_claim != ""
    error_message = "A token is for somebody, and names a tenant."
  }
}

variable "function_runtime" {
  description = "Runtime of the function."
  type        = string
  default     = "python3.13"
  nullable    = false

  validation {
    condition     = can(regex("^python3\\.1[1-9]$", var.function_runtime))
    error_message = "s3memory needs Python 3.11 or later."
  }
}

variable "function_architecture" {
  description = "Processor of the function: the package's wheels must match it."
  type        = string
  default     = "arm64"
  nullable    = false

  validation {
    condition     = contains(["arm64", "x86_64"], var.function_architecture)
    error_message = "The architecture is arm64 or x86_64."
  }
}

variable "function_memory_mb" {
  description = "Memory of the function in MB. Its processor time, and so its cold start, depends on it."
  type        = number
  default     = 1024
  nullable    = false

  validation {
    condition     = var.function_memory_mb >= 256 && var.function_memory_mb <= 10240
    error_message = "The function needs at least 256 MB, and Lambda gives at most 10240."
  }
}

variable "function_timeout_seconds" {
  description = "Time limit of one invocation, which is a conversation with its tool calls. `null`: 120 or, behind an API, `api.timeout_seconds` minus 5 for a cold start."
  type        = number
  default     = null

  validation {
    # One S3 request that is not answered takes 3 tries of 5 s.
    condition     = var.function_timeout_seconds == null || try(var.function_timeout_seconds >= 20 && var.function_timeout_seconds <= 900, false)
    error_message = "The timeout must leave room for one unanswered request (20 s), and Lambda allows at most 900 s."
  }
}

variable "function_reserved_concurrency" {
  description = "How many invocations may run at once. `null`: as many as the account has left."
  type        = number
  default     = null

  validation {
    condition     = var.function_reserved_concurrency == null || try(var.function_reserved_concurrency >= 0, false)
    error_message = "The reserved concurrency can't be negative. (0 stops the function.)"
  }
}

variable "function_environment" {
  description = "Further environment variables of the function, such as `AGENT_API_KEY_SECRET_ID`. Not for secrets: anyone who may view the function can read them."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = alltrue([for name in keys(var.function_environment) : can(regex("^[A-Za-z][A-Za-z0-9_]*$", name))])
    error_message = "Names of environment variables are letters, digits and underscores, the first a letter."
  }

  validation {
    # Not all of AWS_*: AWS_USE_FIPS_ENDPOINT and AWS_LAMBDA_EXEC_WRAPPER are a function's to set.
    condition = length(setintersection(keys(var.function_environment), [
      "AWS_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "AWS_DEFAULT_REGION", "AWS_EXECUTION_ENV", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
      "AWS_LAMBDA_FUNCTION_NAME", "AWS_LAMBDA_FUNCTION_VERSION", "AWS_LAMBDA_INITIALIZATION_TYPE", "AWS_LAMBDA_LOG_GROUP_NAME",
      "AWS_LAMBDA_LOG_STREAM_NAME", "AWS_LAMBDA_RUNTIME_API", "AWS_REGION", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
      "LAMBDA_RUNTIME_DIR", "LAMBDA_TASK_ROOT",
    ])) == 0
    error_message = "Lambda sets these variables itself, and refuses them: region, credentials, and what it says of the function."
  }

  validation {
    condition = length(setintersection(keys(var.function_environment), [
      "S3MEMORY_BUCKET", "S3MEMORY_BUCKET_OWNER", "S3MEMORY_PREFIX", "S3MEMORY_KMS_KEY_ID", "S3MEMORY_NAME_MODE", "S3MEMORY_KEY_CACHE_SECONDS",
      "S3MEMORY_KEY_RING_TABLE", "S3MEMORY_TENANT_EXTERNAL_ID", "S3MEMORY_TENANT", "S3MEMORY_LOCAL_KEY", "S3MEMORY_LOCAL_KEY_FILE", "S3MEMORY_TENANT_ROLE_ARN",
    ])) == 0
    error_message = "The module sets the bucket, prefix, keys, name mode and tenant role itself; the tenant is a request's, and a local key would not be secret here."
  }
}

variable "function_policy_arns" {
  description = "ARNs of further IAM policies for the function's role, by a name of your choice, such as one that lets it read an API key from Secrets Manager."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = alltrue([for arn in values(var.function_policy_arns) : can(regex("^arn:[a-z-]+:iam::([0-9]{12}|aws):policy/[!-~]+$", arn))])
    error_message = "Policies of the function are given by their ARNs."
  }
}

variable "function_layer_arns" {
  description = "ARNs of layer versions for the function, such as one with the dependencies."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = length(var.function_layer_arns) <= 5
    error_message = "Lambda takes at most 5 layers."
  }
}

variable "function_snap_start" {
  description = "Whether versions of the function start from a snapshot (SnapStart). Callers use it through the alias `live`."
  type        = bool
  default     = false
  nullable    = false

  validation {
    condition     = !var.function_snap_start || contains(["python3.12", "python3.13", "python3.14"], var.function_runtime)
    error_message = "SnapStart needs Python 3.12 or later."
  }
}

variable "function_stable_version" {
  description = "Version of the function that keeps serving while a new one is tried. `null`: the newest version serves all invocations. See [releases](#releases)."
  type        = string
  default     = null

  validation {
    condition     = var.function_stable_version == null || can(regex("^[0-9]+$", var.function_stable_version))
    error_message = "A version of a function is a number."
  }
}

variable "function_new_version_percent" {
  description = "Percentage of invocations that go to the newest version while `function_stable_version` serves the others. Set it to 0 to roll back."
  type        = number
  default     = 0
  nullable    = false

  validation {
    condition     = var.function_new_version_percent >= 0 && var.function_new_version_percent < 100
    error_message = "The share of the new version must be 0 to below 100 percent: leave out function_stable_version for all."
  }

  validation {
    condition     = var.function_new_version_percent == 0 || var.function_stable_version != null
    error_message = "A share for the new version needs function_stable_version, which serves the rest."
  }
}

variable "function_release" {
  description = "How CodeDeploy moves callers to a new version (and back on an alarm), such as `LambdaCanary10Percent15Minutes`. `null`: Terraform moves the alias. Choose it with the first apply. See [releases](#releases)."
  type        = string
  default     = null

  validation {
    condition     = var.function_release == null || can(regex("^Lambda(AllAtOnce|Canary10Percent(5|10|15|30)Minutes|Linear10PercentEvery(1Minute|(2|3|10)Minutes))$", var.function_release))
    error_message = "It is one of CodeDeploy's configurations for Lambda, without `CodeDeployDefault.`: LambdaCanary10Percent15Minutes, say."
  }

  validation {
    condition     = var.function_release == null || var.function_stable_version == null
    error_message = "CodeDeploy moves the alias: function_stable_version is for releases without it."
  }

  validation {
    condition     = var.function_release == null || (var.function_zip_path != null && var.alarms_enabled)
    error_message = "CodeDeploy releases the function, and goes back on its alarms: function_release needs function_zip_path and alarms_enabled."
  }
}

variable "function_tracing" {
  description = "Whether X-Ray traces invocations."
  type        = bool
  default     = false
  nullable    = false
}

variable "function_vpc" {
  description = "Subnets and security groups of the function. `null`: none. There, it needs access to S3, KMS, STS, Secrets Manager and Claude, through endpoints or NAT."
  type = object({
    subnet_ids         = list(string)
    security_group_ids = list(string)
  })
  default = null

  validation {
    condition     = var.function_vpc == null || try(length(var.function_vpc.subnet_ids) > 0 && length(var.function_vpc.security_group_ids) > 0, false)
    error_message = "A function in a VPC needs at least one subnet and one security group."
  }
}

variable "vpc_endpoints" {
  description = "VPC, route tables, subnets and security groups for endpoints to S3, DynamoDB, KMS, STS and Secrets Manager, each with a policy. `null`: no endpoints."
  type = object({
    vpc_id             = string
    route_table_ids    = list(string)
    subnet_ids         = list(string)
    security_group_ids = list(string)
  })
  default = null

  validation {
    condition = var.vpc_endpoints == null || try(alltrue([
      startswith(var.vpc_endpoints.vpc_id, "vpc-"), length(var.vpc_endpoints.route_table_ids) > 0,
      length(var.vpc_endpoints.subnet_ids) > 0, length(var.vpc_endpoints.security_group_ids) > 0,
    ]), false)
    error_message = "Endpoints need a VPC, and at least one route table, subnet and security group."
  }
}

# Logs, alarms, audit

variable "api" {
  description = "An API in front of the function: which tokens it accepts, and how many requests it serves. `null`: no API."
  type = object({
    issuer              = string
    audience            = string
    jwks_url            = string
    tenant_claim        = optional(string, "tenant")
    account_log_role    = optional(bool, true)
    timeout_seconds     = optional(number, 29)
    requests_per_second = optional(number, 50)
    burst               = optional(number, 100)
    web_acl             = optional(object({ arn = string }))
  })
  default = null

  validation {
    condition     = var.api == null || try(startswith(var.api.issuer, "https://") && startswith(var.api.jwks_url, "https://") && var.api.audience != "" && var.api.tenant_claim != "", false)
    error_message = "The API needs an issuer and its keys at https:// URLs, an audience, and the claim that names the tenant."
  }

  validation {
    condition     = var.api == null || try(var.api.timeout_seconds >= 25 && var.api.timeout_seconds <= 300 && var.api.requests_per_second >= 1 && var.api.burst >= 1, false)
    error_message = "The API waits for 25 to 300 s, of which the function gets 20 or more, and serves at least one request a second. Over 29 s takes a quota of the account: \"Maximum integration timeout in milliseconds\"."
  }

  validation {
    condition     = try(var.function_timeout_seconds <= var.api.timeout_seconds, true)
    error_message = "The function would go on after the API has given its caller up: leave function_timeout_seconds out, or raise api.timeout_seconds."
  }

  validation {
    condition     = var.api == null || (var.function_zip_path != null && var.mcp == null)
    error_message = "The API is in front of the example's function: it needs function_zip_path, and mcp has to be left out."
  }

  validation {
    condition     = var.api == null || !contains(keys(var.function_environment), "AGENT_TENANT_CLAIM")
    error_message = "The claim that names the tenant is api.tenant_claim, which the authorizer hands on as `tenant`: leave AGENT_TENANT_CLAIM out of function_environment."
  }
}

variable "tenant_limits" {
  description = "Limits of each tenant: messages per minute and tokens per day (weighted by price), which the function counts in a DynamoDB table. `null`: no limits."
  type        = object({ messages_per_minute = number, tokens_per_day = number })
  default     = null

  validation {
    # The function reads them with Python's `int`.
    condition     = alltrue([for limit in values(coalesce(var.tenant_limits, {})) : try(limit >= 1 && floor(limit) == limit, false)])
    error_message = "A tenant's limits must be whole numbers, 1 or more."
  }

  validation {
    condition     = var.tenant_limits == null || (var.function_zip_path != null && var.mcp == null)
    error_message = "The example's function counts: tenant_limits needs function_zip_path, and mcp has to be left out."
  }
}

variable "log_retention_days" {
  description = "Days for which the logs of functions and API, and the audit trail, are kept."
  type        = number
  default     = 365
  nullable    = false

  validation {
    condition     = contains([1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653], var.log_retention_days)
    error_message = "CloudWatch Logs keeps logs for certain numbers of days only, such as 30, 90, 365 or 3653."
  }
}

variable "logs_kms_key_arn" {
  description = "ARN of a KMS key for the logs and the audit trail. `null`: AWS's own key. Don't use the memory's key: its policy refuses AWS services."
  type        = string
  default     = null

  validation {
    condition     = var.logs_kms_key_arn == null || can(regex("^arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+$", var.logs_kms_key_arn))
    error_message = "The KMS key of the logs must be given by the ARN of a key, not of an alias."
  }

  validation {
    condition     = try(split(":", var.logs_kms_key_arn)[3] == local.region, true)
    error_message = "The KMS key of the logs must be in the deployment's region, ${local.region}."
  }
}

variable "alarms_enabled" {
  description = "Whether to create alarms."
  type        = bool
  default     = true
  nullable    = false
}

variable "dashboard_enabled" {
  description = "Whether to create a CloudWatch dashboard. The function then prints metrics of every command (`S3MEMORY_AUDIT=emf`). All deployments in the account and region share these metrics."
  type        = bool
  default     = false
  nullable    = false
}

variable "dashboard_by_tenant" {
  description = "Whether the dashboard has a table of tenants. This queries the function's log each time somebody opens it."
  type        = bool
  default     = false
  nullable    = false

  validation {
    condition     = !var.dashboard_by_tenant || var.dashboard_enabled
    error_message = "There is no dashboard to name tenants: dashboard_by_tenant needs dashboard_enabled."
  }
}

variable "alarm_topic_arns" {
  description = "ARNs of the SNS topics that alarms notify."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for arn in var.alarm_topic_arns : can(regex("^arn:[a-z-]+:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_.-]+$", arn))])
    error_message = "Alarms notify SNS topics, given by their ARNs."
  }

  validation {
    condition     = alltrue([for arn in var.alarm_topic_arns : try(split(":", arn)[3] == local.region, true)])
    error_message = "CloudWatch notifies topics of its own region only: alarm_topic_arns must be in ${local.region}."
  }
}

variable "alarm_percent" {
  description = "Percentage at which alarms go off: of the timeout (for 99 of 100 invocations), and of the account's KMS quota."
  type        = number
  default     = 80
  nullable    = false

  validation {
    condition     = var.alarm_percent >= 1 && var.alarm_percent <= 100
    error_message = "A percentage is between 1 and 100."
  }
}

variable "request_metrics_enabled" {
  description = "Whether S3 publishes request metrics of the bucket to CloudWatch, at extra cost. The alarm on S3 errors needs them."
  type        = bool
  default     = false
  nullable    = false
}

variable "audit_trail_enabled" {
  description = "Whether CloudTrail records each request for an object (data events) in a separate bucket. Billed per event."
  type        = bool
  default     = false
  nullable    = false
}

# Bulk work

variable "bulk_operations" {
  description = "Kinds of bulk work to create a function for: `verify`, `scan` and `reseal`. The package of `function_zip_path` contains all of them."
  type        = set(string)
  default     = []
  nullable    = false

  validation {
    condition     = length(setsubtract(var.bulk_operations, ["verify", "scan", "reseal"])) == 0
    error_message = "Bulk work is verify, scan or reseal. A function that erases is an operator's own."
  }

  validation {
    condition     = length(var.bulk_operations) == 0 || var.function_zip_path != null
    error_message = "The functions for bulk work need function_zip_path."
  }
}

variable "bulk_maps_enabled" {
  description = "Whether to create a Distributed Map of Step Functions for each of `bulk_operations`. Each of its batches belongs to one tenant."
  type        = bool
  default     = false
  nullable    = false

  validation {
    condition     = !var.bulk_maps_enabled || length(var.bulk_operations) > 0
    error_message = "A map hands out work of a kind: bulk_maps_enabled needs bulk_operations."
  }
}

variable "bulk_reserved_concurrency" {
  description = "How many invocations of each function for bulk work may run at once, so that live agents keep their share of STS and KMS. `-1`: as many as the account has left. Use `-1` in a new account, whose quota may leave nothing to reserve."
  type        = number
  default     = 10
  nullable    = false

  validation {
    condition     = var.bulk_reserved_concurrency == -1 || var.bulk_reserved_concurrency >= 1
    error_message = "Reserved concurrency must be 1 or more, or -1."
  }
}

variable "batch_function" {
  description = "ARN of one more Lambda function that S3 Batch Operations may invoke, such as an operator's function that erases."
  type        = object({ arn = string })
  default     = null

  validation {
    condition     = var.batch_function == null ? true : can(regex("^arn:[a-z-]+:lambda:[a-z0-9-]+:[0-9]{12}:function:[A-Za-z0-9_-]+$", var.batch_function.arn))
    error_message = "The function for bulk work must be given by its unqualified ARN."
  }
}
