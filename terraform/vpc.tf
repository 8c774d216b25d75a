# Endpoints by which subnets without a way to the internet reach AWS. Each has a policy: nothing lies behind it but the
# deployment. (Claude is on the internet, unless you reach it by Bedrock's endpoint.)

locals {
  has_endpoints = var.vpc_endpoints != null

  gateway_endpoints   = { for service in concat(["s3"], local.has_limits || var.ring_register_enabled ? ["dynamodb"] : []) : service => service if local.has_endpoints }
  interface_endpoints = { for service in ["kms", "sts", "secretsmanager"] : service => service if local.has_endpoints }
}

resource "aws_vpc_endpoint" "gateway" {
  for_each = local.gateway_endpoints

  vpc_id            = var.vpc_endpoints.vpc_id
  service_name      = "com.amazonaws.${local.region}.${each.key}"
  vpc_endpoint_type = "Gateway"
  route_table_ids   = var.vpc_endpoints.route_table_ids
  policy            = jsonencode(local.endpoint_policies[each.key])
  tags              = merge(var.tags, { Name = "${var.name}-${each.key}" })
}

resource "aws_vpc_endpoint" "interface" {
  for_each = local.interface_endpoints

  vpc_id              = var.vpc_endpoints.vpc_id
  service_name        = "com.amazonaws.${local.region}.${each.key}"
  vpc_endpoint_type   = "Interface"
  subnet_ids          = var.vpc_endpoints.subnet_ids
  security_group_ids  = var.vpc_endpoints.security_group_ids
  private_dns_enabled = true
  policy              = jsonencode(local.endpoint_policies[each.key])
  tags                = merge(var.tags, { Name = "${var.name}-${each.key}" })

  lifecycle {
    precondition {
      condition     = contains(["aws", "aws-us-gov"], local.partition)
      error_message = "Endpoints have other names in this partition: make them yourself, with the policies of output policies."
    }
  }
}
