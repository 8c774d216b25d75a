# What the provider would say of an account, so that no test needs one. What is not here is made up by Terraform.

mock_data "aws_caller_identity" {
  defaults = { account_id = "111122223333" }
}

mock_data "aws_partition" {
  defaults = { partition = "aws" }
}

mock_data "aws_region" {
  defaults = { id = "eu-central-1" }
}

mock_resource "aws_kms_key" {
  defaults = { arn = "arn:aws:kms:eu-central-1:111122223333:key/00000000-0000-0000-0000-000000000000" }
}

mock_resource "aws_cloudwatch_log_group" {
  defaults = { arn = "arn:aws:logs:eu-central-1:111122223333:log-group:made-up" }
}

mock_resource "aws_api_gateway_rest_api" {
  defaults = { execution_arn = "arn:aws:execute-api:eu-central-1:111122223333:a1" }
}

mock_resource "aws_lambda_function" {
  defaults = { version = "1" }
}

mock_resource "aws_lambda_alias" {
  defaults = { invoke_arn = "arn:aws:apigateway:eu-central-1:lambda:path/2015-03-31/functions/made-up/invocations" }
}

mock_resource "aws_dynamodb_table" {
  defaults = { arn = "arn:aws:dynamodb:eu-central-1:111122223333:table/made-up" }
}

mock_resource "aws_sfn_state_machine" {
  defaults = { arn = "arn:aws:states:eu-central-1:111122223333:stateMachine:made-up" }
}

mock_resource "aws_iam_role" {
  defaults = { arn = "arn:aws:iam::111122223333:role/made-up" }
}
