"""An adversary that nobody scripted: drawn clients, commands and faults, and a search for what explains it all."""
