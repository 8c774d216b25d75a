# The role that S3 Batch Operations takes for a job: manifests and reports lie below batch/ in the same bucket.
resource "aws_iam_role" "batch" {
  count = local.has_batch_role ? 1 : 0

  name                 = local.batch_role_name
  description          = "S3 Batch Operations on the bucket of ${var.name}"
  assume_role_policy   = jsonencode(local.batch_role_trust)
  permissions_boundary = var.permissions_boundary_arn
  tags                 = var.tags
}

resource "aws_iam_role_policy" "batch" {
  count = local.has_batch_role ? 1 : 0

  name   = "batch"
  role   = aws_iam_role.batch[0].id
  policy = jsonencode(local.batch_role_policy)
}
