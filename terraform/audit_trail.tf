# Who asked for which object, and when. KMS's Decrypt and GenerateDataKey are management events, which the account's
# own trail has: it shows tenant and generation.

resource "aws_s3_bucket" "audit" {
  # checkov:skip=CKV_AWS_18:It is a bucket of logs.
  # checkov:skip=CKV_AWS_144:Object keys and times of one region; the account's organisation trail is the copy elsewhere.
  # checkov:skip=CKV2_AWS_62:Nothing reacts to new objects.
  count = var.audit_trail_enabled ? 1 : 0

  bucket        = local.audit_bucket_name
  force_destroy = var.force_destroy
  tags          = var.tags
}

resource "aws_s3_bucket_public_access_block" "audit" {
  count = var.audit_trail_enabled ? 1 : 0

  bucket = aws_s3_bucket.audit[0].id

  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_ownership_controls" "audit" {
  count = var.audit_trail_enabled ? 1 : 0

  bucket = aws_s3_bucket.audit[0].id

  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

resource "aws_s3_bucket_versioning" "audit" {
  count = var.audit_trail_enabled ? 1 : 0

  bucket = aws_s3_bucket.audit[0].id

  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "audit" {
  count = var.audit_trail_enabled ? 1 : 0

  bucket = aws_s3_bucket.audit[0].id

  rule {
    bucket_key_enabled = var.logs_kms_key_arn != null

    apply_server_side_encryption_by_default {
      sse_algorithm     = var.logs_kms_key_arn == null ? "AES256" : "aws:kms"
      kms_master_key_id = var.logs_kms_key_arn
    }
  }
}

resource "aws_s3_bucket_policy" "audit" {
  count = var.audit_trail_enabled ? 1 : 0

  bucket = aws_s3_bucket.audit[0].id
  policy = jsonencode(local.audit_bucket_policy)

  depends_on = [aws_s3_bucket_public_access_block.audit]
}

resource "aws_s3_bucket_lifecycle_configuration" "audit" {
  count = var.audit_trail_enabled ? 1 : 0

  bucket = aws_s3_bucket.audit[0].id

  rule {
    id     = "forget"
    status = "Enabled"

    filter {
      prefix = ""
    }

    expiration {
      days = var.log_retention_days
    }

    noncurrent_version_expiration {
      noncurrent_days = 30
    }

    abort_incomplete_multipart_upload {
      days_after_initiation = 1
    }
  }

  depends_on = [aws_s3_bucket_versioning.audit]
}

resource "aws_cloudtrail" "data_events" {
  # checkov:skip=CKV_AWS_67:It records one bucket, whose requests are all in one region.
  # checkov:skip=CKV_AWS_252:Nobody reads a message about each file of the log.
  # checkov:skip=CKV2_AWS_10:Data events in CloudWatch Logs would cost more than the memory; the bucket keeps them.
  count = var.audit_trail_enabled ? 1 : 0

  name                       = local.trail_name
  s3_bucket_name             = aws_s3_bucket.audit[0].id
  enable_log_file_validation = true
  kms_key_id                 = var.logs_kms_key_arn
  tags                       = var.tags

  advanced_event_selector {
    name = "Object requests of ${local.bucket_name}"

    field_selector {
      field  = "eventCategory"
      equals = ["Data"]
    }

    field_selector {
      field  = "resources.type"
      equals = ["AWS::S3::Object"]
    }

    field_selector {
      field       = "resources.ARN"
      starts_with = ["${local.bucket_arn}/"]
    }
  }

  dynamic "advanced_event_selector" {
    for_each = var.ring_register_enabled ? [local.ring_table_arn] : []

    content {
      name = "Writes to ${local.ring_table_name}"

      field_selector {
        field  = "eventCategory"
        equals = ["Data"]
      }

      field_selector {
        field  = "resources.type"
        equals = ["AWS::DynamoDB::Table"]
      }

      field_selector {
        field  = "resources.ARN"
        equals = [advanced_event_selector.value]
      }

      field_selector {
        field  = "readOnly"
        equals = ["false"]
      }
    }
  }

  # CloudTrail checks at once whether it may write.
  depends_on = [aws_s3_bucket_policy.audit]
}
