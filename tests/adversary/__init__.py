"""An unscripted adversary: random clients, commands and faults, and a search for an explanation of the result."""
