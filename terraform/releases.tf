# Releases that go back by themselves: CodeDeploy moves the alias, in steps, and back when an alarm goes off.

locals {
  releases_by_codedeploy = local.has_function && var.function_release != null

  # The alias that callers invoke, whoever moves it.
  live_alias = one(concat(aws_lambda_alias.live[*], aws_lambda_alias.released[*]))
}

# Terraform makes it once, and leaves its version to CodeDeploy from then on.
resource "aws_lambda_alias" "released" {
  count = local.releases_by_codedeploy ? 1 : 0

  name             = "live"
  description      = "What is in use of ${var.name}"
  function_name    = aws_lambda_function.agent[0].function_name
  function_version = aws_lambda_function.agent[0].version

  lifecycle {
    ignore_changes = [function_version, routing_config]
  }
}

resource "aws_iam_role" "release" {
  count = local.releases_by_codedeploy ? 1 : 0

  name                 = "${var.name}-release"
  description          = "CodeDeploy for ${var.name}: moves the alias of the function"
  assume_role_policy   = jsonencode(local.release_role_trust)
  permissions_boundary = var.permissions_boundary_arn
  tags                 = var.tags
}

resource "aws_iam_role_policy" "release" {
  count = local.releases_by_codedeploy ? 1 : 0

  name   = "release"
  role   = aws_iam_role.release[0].id
  policy = jsonencode(local.release_role_policy)
}

resource "aws_codedeploy_app" "agent" {
  count = local.releases_by_codedeploy ? 1 : 0

  name             = local.function_name
  compute_platform = "Lambda"
  tags             = var.tags
}

resource "aws_codedeploy_deployment_group" "live" {
  count = local.releases_by_codedeploy ? 1 : 0

  app_name               = aws_codedeploy_app.agent[0].name
  deployment_group_name  = "live"
  deployment_config_name = "CodeDeployDefault.${var.function_release}"
  service_role_arn       = aws_iam_role.release[0].arn
  tags                   = var.tags

  deployment_style {
    deployment_option = "WITH_TRAFFIC_CONTROL"
    deployment_type   = "BLUE_GREEN"
  }

  auto_rollback_configuration {
    enabled = true
    events  = ["DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM", "DEPLOYMENT_STOP_ON_REQUEST"]
  }

  alarm_configuration {
    enabled = var.alarms_enabled
    alarms  = [for name in ["errors", "duration", "memory-failures"] : aws_cloudwatch_metric_alarm.of_a_metric[name].alarm_name]
  }

  depends_on = [aws_iam_role_policy.release]
}
