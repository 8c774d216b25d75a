terraform {
  # 1.9: validation blocks may refer to other variables.
  required_version = ">= 1.9, < 2"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.100, < 7"
    }
  }
}
