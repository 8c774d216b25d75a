"""What rules share: names of secrets, what joins them to values, and how much a value looks like one."""
