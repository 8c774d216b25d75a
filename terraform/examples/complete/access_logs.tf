# S3 writes down each request for the memory's bucket here, within hours. The audit trail is exact, and costs more.

locals {
  access_logs_bucket = "${var.name}-logs-${local.account_id}-${var.region}"
}

resource "aws_s3_bucket" "access_logs" {
  # checkov:skip=CKV_AWS_18:It is a bucket of logs.
  # checkov:skip=CKV_AWS_21:Logs are written once.
  # checkov:skip=CKV_AWS_144:Logs of one region.
  # checkov:skip=CKV_AWS_145:S3 writes access logs under SSE-S3 alone.
  # checkov:skip=CKV2_AWS_62:Nothing reacts to new objects.
  count = var.access_logs_enabled ? 1 : 0

  bucket        = local.access_logs_bucket
  force_destroy = var.force_destroy
}

resource "aws_s3_bucket_public_access_block" "access_logs" {
  count = var.access_logs_enabled ? 1 : 0

  bucket = aws_s3_bucket.access_logs[0].id

  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_lifecycle_configuration" "access_logs" {
  count = var.access_logs_enabled ? 1 : 0

  bucket = aws_s3_bucket.access_logs[0].id

  rule {
    id     = "forget"
    status = "Enabled"

    filter {
      prefix = ""
    }

    expiration {
      days = 365
    }

    abort_incomplete_multipart_upload {
      days_after_initiation = 1
    }
  }
}

resource "aws_s3_bucket_policy" "access_logs" {
  count = var.access_logs_enabled ? 1 : 0

  bucket = aws_s3_bucket.access_logs[0].id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Sid       = "LogsAreWritten"
        Effect    = "Allow"
        Action    = "s3:PutObject"
        Principal = { Service = "logging.s3.amazonaws.com" }
        Resource  = "arn:${data.aws_partition.current.partition}:s3:::${local.access_logs_bucket}/*"
        Condition = { StringEquals = { "aws:SourceAccount" = local.account_id } }
      },
      {
        Sid       = "TlsOnly"
        Effect    = "Deny"
        Action    = "s3:*"
        Principal = "*"
        Resource  = ["arn:${data.aws_partition.current.partition}:s3:::${local.access_logs_bucket}", "arn:${data.aws_partition.current.partition}:s3:::${local.access_logs_bucket}/*"]
        Condition = { Bool = { "aws:SecureTransport" = "false" } }
      },
    ]
  })

  depends_on = [aws_s3_bucket_public_access_block.access_logs]
}
