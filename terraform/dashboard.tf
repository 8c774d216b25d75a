# What agents do, from the metrics that S3MEMORY_AUDIT=emf prints. docs/telemetry.md says what they count.

locals {
  dashboard = jsondecode(templatefile("${path.module}/dashboard.json", {
    region    = local.region
    log_group = local.log_group_name
  }))
}

resource "aws_cloudwatch_dashboard" "memory" {
  count = var.dashboard_enabled ? 1 : 0

  dashboard_name = var.name
  dashboard_body = jsonencode({
    widgets = [
      for widget in local.dashboard.widgets : widget
      if var.dashboard_by_tenant || !endswith(widget.properties.title, "by tenant")
    ]
  })
}
