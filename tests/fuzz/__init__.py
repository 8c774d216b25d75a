"""Coverage-guided fuzzing of all parsers of external data. `make fuzz` runs it; the suite replays its corpus."""
