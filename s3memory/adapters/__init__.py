"""One module for each framework through which agents use the commands. Each imports only its own framework."""
