resource "aws_s3_bucket" "memory" {
  # checkov:skip=CKV_AWS_144:Replication is a decision about regions that the caller takes; key rings are best kept out of it, so that erasing them is final.
  # checkov:skip=CKV_AWS_145:Memory is sealed before it gets here. The memory's KMS key must not serve S3: its policy refuses everything but data keys.
  # checkov:skip=CKV2_AWS_62:Nothing reacts to new objects.
  bucket        = local.bucket_name
  force_destroy = var.force_destroy
  tags          = var.tags

  # What is made first is destroyed last: where the bucket can't be deleted, because memory is in it, the key that opens
  # that stays, and so does the register.
  depends_on = [aws_kms_key.memory, aws_dynamodb_table.key_rings]

  lifecycle {
    precondition {
      # Requests expect it to be this account's: S3MEMORY_BUCKET_OWNER.
      condition     = coalesce(var.bucket_owner, local.account_id) == local.account_id
      error_message = "These are credentials of account ${local.account_id}, and bucket_owner is another one."
    }
  }
}

resource "aws_s3_bucket_public_access_block" "memory" {
  bucket = aws_s3_bucket.memory.id

  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_ownership_controls" "memory" {
  bucket = aws_s3_bucket.memory.id

  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

# The way back from a mistaken delete.
resource "aws_s3_bucket_versioning" "memory" {
  bucket = aws_s3_bucket.memory.id

  versioning_configuration {
    status = "Enabled"
  }
}

# Not an argument of the bucket: Terraform would replace a bucket that gets it later. No default retention: it would hold
# memories, too.
resource "aws_s3_bucket_object_lock_configuration" "memory" {
  count = var.object_lock_enabled ? 1 : 0

  bucket = aws_s3_bucket.memory.id

  # S3 locks objects of versioned buckets alone.
  depends_on = [aws_s3_bucket_versioning.memory]
}

# SSE-S3 under the client-side encryption: no call of KMS for each object, and no object keys in KMS's events.
resource "aws_s3_bucket_server_side_encryption_configuration" "memory" {
  bucket = aws_s3_bucket.memory.id

  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm = "AES256"
    }
  }
}

resource "aws_s3_bucket_policy" "memory" {
  bucket = aws_s3_bucket.memory.id
  policy = jsonencode(local.bucket_policy)

  # What is made last is destroyed first: where the policy keeps the bucket, Terraform stops before it has taken anything
  # else away. (S3 answers 409 to a policy and an access block at once, too.)
  depends_on = [
    aws_s3_bucket_public_access_block.memory, aws_s3_bucket_ownership_controls.memory, aws_s3_bucket_versioning.memory,
    aws_s3_bucket_server_side_encryption_configuration.memory, aws_s3_bucket_object_lock_configuration.memory,
    aws_s3_bucket_lifecycle_configuration.memory, aws_s3_bucket_logging.memory, aws_s3_bucket_inventory.memory,
    aws_s3_bucket_metric.memory,
  ]

  lifecycle {
    precondition {
      condition     = length(jsonencode(local.bucket_policy)) <= 20480
      error_message = <<-EOT
        The bucket's policy would have ${length(jsonencode(local.bucket_policy))} characters, and S3 takes 20480. Name fewer operator_role_arns or replication_role_arns, let several operators share a role, or take a shorter prefix.
      EOT
    }
  }
}

# No rule names keyrings/, nor all of the bucket but for uploads: without its key ring a tenant's memory is noise.
# The rules are always there and switched by their status, so that a plan shows which.
resource "aws_s3_bucket_lifecycle_configuration" "memory" {
  bucket = aws_s3_bucket.memory.id

  rule {
    id     = "expire-memories"
    status = var.memory_expiry_days == null ? "Disabled" : "Enabled"

    filter {
      prefix = "${var.prefix}memories/"
    }

    expiration {
      days = coalesce(var.memory_expiry_days, 36500)
    }
  }

  rule {
    id     = "forget-old-memories"
    status = "Enabled"

    filter {
      prefix = "${var.prefix}memories/"
    }

    noncurrent_version_expiration {
      noncurrent_days           = var.noncurrent_version_days
      newer_noncurrent_versions = var.newer_noncurrent_versions
    }

    # What is left when all versions are gone.
    expiration {
      expired_object_delete_marker = true
    }
  }

  rule {
    id     = "forget-old-intents"
    status = "Enabled"

    filter {
      prefix = "${var.prefix}intents/"
    }

    noncurrent_version_expiration {
      noncurrent_days = var.noncurrent_version_days
    }

    expiration {
      expired_object_delete_marker = true
    }
  }

  # A reseal replaces records of redacted versions, and the old ones would keep their key generation from being retired.
  rule {
    id     = "forget-old-records"
    status = "Enabled"

    filter {
      prefix = "${var.prefix}redactions/"
    }

    noncurrent_version_expiration {
      noncurrent_days = var.noncurrent_version_days
    }

    expiration {
      expired_object_delete_marker = true
    }
  }

  # Manifests and reports name files. Those of earlier jobs go, too, once nothing here runs jobs any more.
  rule {
    id     = "forget-batch-work"
    status = "Enabled"

    filter {
      prefix = "${var.prefix}batch/"
    }

    expiration {
      days = 90
    }

    noncurrent_version_expiration {
      noncurrent_days = 7
    }
  }

  # s3memory makes no multipart uploads, and the bucket policy refuses them where memory is.
  rule {
    id     = "abort-multipart-uploads"
    status = "Enabled"

    filter {
      prefix = ""
    }

    abort_incomplete_multipart_upload {
      days_after_initiation = 1
    }
  }

  # Old versions are expired only where there are some.
  depends_on = [aws_s3_bucket_versioning.memory]
}

resource "aws_s3_bucket_logging" "memory" {
  count = var.access_logs == null ? 0 : 1

  bucket        = aws_s3_bucket.memory.id
  target_bucket = var.access_logs.bucket
  target_prefix = "${local.bucket_name}/"
}

# Which objects there are, without a LIST: where manifests for bulk work come from at scale.
resource "aws_s3_bucket_inventory" "memory" {
  count = var.inventory == null ? 0 : 1

  bucket                   = aws_s3_bucket.memory.id
  name                     = "memories"
  included_object_versions = "Current"

  schedule {
    frequency = "Daily"
  }

  filter {
    prefix = "${var.prefix}memories/"
  }

  destination {
    bucket {
      bucket_arn = "arn:${local.partition}:s3:::${var.inventory.bucket}"
      account_id = coalesce(var.inventory.account_id, local.account_id)
      format     = "CSV"
      prefix     = local.bucket_name

      encryption {
        sse_s3 {}
      }
    }
  }
}

resource "aws_s3_bucket_metric" "memory" {
  count = var.request_metrics_enabled ? 1 : 0

  bucket = aws_s3_bucket.memory.id
  name   = "memory"
}
