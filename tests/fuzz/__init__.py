"""Coverage-guided fuzzing of all that is read from outside. `make fuzz` runs it; the suite replays what was kept."""
