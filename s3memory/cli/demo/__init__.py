"""``s3memory demo``: an agent with an encrypted memory, run offline from end to end, and checked."""
