"""What the rules share: the names of secrets, the joins between name and value, and how much a value looks like one."""
