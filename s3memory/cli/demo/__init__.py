"""``s3memory demo``: runs an agent with an encrypted memory offline, from end to end, and checks every claim."""
