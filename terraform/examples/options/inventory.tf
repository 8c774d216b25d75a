# S3 writes a list of the memory's objects here every day.

data "aws_caller_identity" "current" {}

data "aws_partition" "current" {}

locals {
  account_id    = data.aws_caller_identity.current.account_id
  inventory_arn = "arn:${data.aws_partition.current.partition}:s3:::${aws_s3_bucket.inventory.id}"
}

resource "aws_s3_bucket" "inventory" {
  # checkov:skip=CKV_AWS_18:It is a bucket of lists.
  # checkov:skip=CKV_AWS_21:Lists are written once.
  # checkov:skip=CKV_AWS_144:Lists of one region.
  # checkov:skip=CKV_AWS_145:Object keys of one deployment, under S3's own encryption.
  # checkov:skip=CKV2_AWS_61:Whoever makes manifests of them says how long they are kept.
  # checkov:skip=CKV2_AWS_62:Nothing reacts to new objects.
  bucket        = "${var.name}-inventory-${local.account_id}-${var.region}"
  force_destroy = var.force_destroy
}

resource "aws_s3_bucket_public_access_block" "inventory" {
  bucket = aws_s3_bucket.inventory.id

  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_policy" "inventory" {
  bucket = aws_s3_bucket.inventory.bucket # unlike the id, known to a plan: the module asks whether there is one
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Sid       = "InventoriesAreWritten"
        Effect    = "Allow"
        Action    = "s3:PutObject"
        Principal = { Service = "s3.amazonaws.com" }
        Resource  = "${local.inventory_arn}/*"
        Condition = {
          ArnLike      = { "aws:SourceArn" = module.memory.bucket_arn }
          StringEquals = { "aws:SourceAccount" = local.account_id, "s3:x-amz-acl" = "bucket-owner-full-control" }
        }
      },
      {
        Sid       = "TlsOnly"
        Effect    = "Deny"
        Action    = "s3:*"
        Principal = "*"
        Resource  = [local.inventory_arn, "${local.inventory_arn}/*"]
        Condition = { Bool = { "aws:SecureTransport" = "false" } }
      },
    ]
  })

  depends_on = [aws_s3_bucket_public_access_block.inventory]
}
