# A regional REST API in front of the function: an authorizer that checks tokens, throttling, access logs, and a WAF if
# there is one. Unlike an HTTP API, which ends at 30 s, it can wait for up to 5 minutes once the account's quota allows it.

locals {
  has_api = var.api != null && local.has_function
  # API Gateway writes logs by one role for an account and region. Where there is one already: api.account_log_role = false.
  makes_log_role = local.has_api && try(var.api.account_log_role, false)

  # API Gateway sends the whole token, and caches nothing of an answer that failed.
  authorizer_name = "${var.name}-authorizer"
  api_function_arns = {
    agent      = try(local.live_alias.invoke_arn, null)
    authorizer = one(aws_lambda_function.authorizer[*].invoke_arn)
  }
}

resource "aws_lambda_function" "authorizer" {
  # checkov:skip=CKV_AWS_50:It makes no request but for the issuer's keys.
  # checkov:skip=CKV_AWS_115:It has to run as often as the API is called, and the stage limits that.
  # checkov:skip=CKV_AWS_116:It is invoked synchronously.
  # checkov:skip=CKV_AWS_117:It reaches the issuer's keys alone, over TLS.
  # checkov:skip=CKV_AWS_173:The environment names the issuer and holds no secrets.
  # checkov:skip=CKV_AWS_272:Signing belongs to the pipeline that builds the package.
  count = local.has_api ? 1 : 0

  function_name    = local.authorizer_name
  description      = "Checks the tokens of ${var.name}'s callers"
  role             = aws_iam_role.authorizer[0].arn
  filename         = var.function_zip_path
  source_code_hash = filebase64sha256(var.function_zip_path)
  handler          = "authorizer.handler"
  runtime          = var.function_runtime
  architectures    = [var.function_architecture]
  memory_size      = 512
  timeout          = 10
  layers           = var.function_layer_arns
  tags             = var.tags

  environment {
    variables = merge(
      {
        AUTHORIZER_ISSUER   = var.api.issuer
        AUTHORIZER_AUDIENCE = var.api.audience
        AUTHORIZER_JWKS_URL = var.api.jwks_url
        AGENT_TENANT_CLAIM  = var.api.tenant_claim
      },
      # It hands on the claim that the function looks for.
      { for name, value in var.function_environment : name => value if name == "AGENT_ACTOR_CLAIM" },
    )
  }

  depends_on = [aws_cloudwatch_log_group.authorizer, aws_iam_role_policy.authorizer]
}

resource "aws_cloudwatch_log_group" "authorizer" {
  count = local.has_api ? 1 : 0

  name              = "/aws/lambda/${local.authorizer_name}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.logs_kms_key_arn
  tags              = var.tags
}

resource "aws_iam_role" "authorizer" {
  count = local.has_api ? 1 : 0

  name                 = local.authorizer_name
  description          = "The authorizer of ${var.name}: writes logs, and nothing else"
  assume_role_policy   = jsonencode(local.function_role_trust)
  permissions_boundary = var.permissions_boundary_arn
  tags                 = var.tags
}

resource "aws_iam_role_policy" "authorizer" {
  count = local.has_api ? 1 : 0

  name   = "logs"
  role   = aws_iam_role.authorizer[0].id
  policy = jsonencode(local.authorizer_role_policy)
}

resource "aws_api_gateway_rest_api" "agent" {
  # checkov:skip=CKV_AWS_237:Creating the new API before the old one is destroyed helps only clients that learn its address.
  count = local.has_api ? 1 : 0

  name        = var.name
  description = "The agent of ${var.name}"
  tags        = var.tags

  endpoint_configuration {
    types = ["REGIONAL"]
  }

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_api_gateway_resource" "messages" {
  count = local.has_api ? 1 : 0

  rest_api_id = aws_api_gateway_rest_api.agent[0].id
  parent_id   = aws_api_gateway_rest_api.agent[0].root_resource_id
  path_part   = "messages"
}

resource "aws_api_gateway_authorizer" "tokens" {
  count = local.has_api ? 1 : 0

  name                             = "tokens"
  rest_api_id                      = aws_api_gateway_rest_api.agent[0].id
  type                             = "TOKEN"
  authorizer_uri                   = local.api_function_arns.authorizer
  authorizer_result_ttl_in_seconds = 60
}

resource "aws_api_gateway_method" "post" {
  # checkov:skip=CKV2_AWS_53:The function checks the request, and says what is wrong with it.
  count = local.has_api ? 1 : 0

  rest_api_id   = aws_api_gateway_rest_api.agent[0].id
  resource_id   = aws_api_gateway_resource.messages[0].id
  http_method   = "POST"
  authorization = "CUSTOM"
  authorizer_id = aws_api_gateway_authorizer.tokens[0].id
}

resource "aws_api_gateway_integration" "agent" {
  count = local.has_api ? 1 : 0

  rest_api_id             = aws_api_gateway_rest_api.agent[0].id
  resource_id             = aws_api_gateway_resource.messages[0].id
  http_method             = aws_api_gateway_method.post[0].http_method
  integration_http_method = "POST"
  type                    = "AWS_PROXY"
  uri                     = local.api_function_arns.agent
  timeout_milliseconds    = var.api.timeout_seconds * 1000
}

resource "aws_api_gateway_deployment" "agent" {
  count = local.has_api ? 1 : 0

  rest_api_id = aws_api_gateway_rest_api.agent[0].id

  # A stage shows what was deployed, not what the API is.
  triggers = {
    redeployment = sha256(jsonencode([
      aws_api_gateway_authorizer.tokens[0].authorizer_uri, aws_api_gateway_integration.agent[0].uri, var.api.timeout_seconds,
    ]))
  }

  lifecycle {
    create_before_destroy = true
  }

  depends_on = [aws_api_gateway_integration.agent, aws_api_gateway_method.post]
}

resource "aws_api_gateway_stage" "live" {
  # checkov:skip=CKV_AWS_73:function_tracing switches it on, together with the function's.
  # checkov:skip=CKV_AWS_120:Answers are for one caller.
  # checkov:skip=CKV2_AWS_77:A WAF is the caller's choice, and nothing here runs Java.
  # checkov:skip=CKV2_AWS_29:A WAF is the caller's choice: api.web_acl.
  # checkov:skip=CKV2_AWS_51:Callers have tokens, not certificates.
  # checkov:skip=CKV2_AWS_4:Its log is the access log, which holds no content.
  count = local.has_api ? 1 : 0

  rest_api_id          = aws_api_gateway_rest_api.agent[0].id
  deployment_id        = aws_api_gateway_deployment.agent[0].id
  stage_name           = "live"
  xray_tracing_enabled = var.function_tracing
  tags                 = var.tags

  # Who, when and what came of it. No path parameters, bodies or tokens.
  access_log_settings {
    destination_arn = aws_cloudwatch_log_group.api[0].arn
    format = jsonencode({
      time      = "$context.requestTimeEpoch"
      requestId = "$context.extendedRequestId"
      tenant    = "$context.authorizer.tenant"
      status    = "$context.status"
      error     = "$context.error.responseType"
      latency   = "$context.responseLatency"
      ip        = "$context.identity.sourceIp"
    })
  }

  # A stage with logs is refused where the account has no role to write them.
  depends_on = [aws_api_gateway_account.logs]
}

resource "aws_api_gateway_method_settings" "all" {
  # checkov:skip=CKV_AWS_225:Answers are for one caller.
  count = local.has_api ? 1 : 0

  rest_api_id = aws_api_gateway_rest_api.agent[0].id
  stage_name  = aws_api_gateway_stage.live[0].stage_name
  method_path = "*/*"

  settings {
    metrics_enabled        = true
    logging_level          = "ERROR"
    data_trace_enabled     = false # it would log messages
    throttling_rate_limit  = var.api.requests_per_second
    throttling_burst_limit = var.api.burst
  }

  # API Gateway would make the log group itself, kept for ever.
  depends_on = [aws_cloudwatch_log_group.api_execution]
}

resource "aws_iam_role" "api_logs" {
  count = local.makes_log_role ? 1 : 0

  name                 = "${var.name}-api-logs"
  description          = "API Gateway's logs"
  assume_role_policy   = jsonencode(local.api_logs_role_trust)
  permissions_boundary = var.permissions_boundary_arn
  tags                 = var.tags
}

resource "aws_iam_role_policy_attachment" "api_logs" {
  count = local.makes_log_role ? 1 : 0

  role       = aws_iam_role.api_logs[0].name
  policy_arn = "arn:${local.partition}:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs"
}

resource "aws_api_gateway_account" "logs" {
  count = local.makes_log_role ? 1 : 0

  cloudwatch_role_arn = aws_iam_role.api_logs[0].arn

  depends_on = [aws_iam_role_policy_attachment.api_logs]
}

resource "aws_cloudwatch_log_group" "api" {
  count = local.has_api ? 1 : 0

  name              = "/aws/apigateway/${var.name}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.logs_kms_key_arn
  tags              = var.tags
}

# API Gateway has a name of its own for what it logs of failed requests.
resource "aws_cloudwatch_log_group" "api_execution" {
  count = local.has_api ? 1 : 0

  name              = "API-Gateway-Execution-Logs_${aws_api_gateway_rest_api.agent[0].id}/${aws_api_gateway_stage.live[0].stage_name}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.logs_kms_key_arn
  tags              = var.tags
}

resource "aws_lambda_permission" "agent" {
  count = local.has_api ? 1 : 0

  statement_id  = "api"
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.agent[0].function_name
  qualifier     = local.live_alias.name
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_api_gateway_rest_api.agent[0].execution_arn}/*/POST/messages"
}

resource "aws_lambda_permission" "authorizer" {
  count = local.has_api ? 1 : 0

  statement_id  = "api"
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.authorizer[0].function_name
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_api_gateway_rest_api.agent[0].execution_arn}/authorizers/*"
}

resource "aws_wafv2_web_acl_association" "api" {
  count = local.has_api ? (var.api.web_acl == null ? 0 : 1) : 0

  resource_arn = aws_api_gateway_stage.live[0].arn
  web_acl_arn  = var.api.web_acl.arn
}
