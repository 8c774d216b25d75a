"""One module for each framework through which agents reach the commands; each imports its framework, and no other."""
