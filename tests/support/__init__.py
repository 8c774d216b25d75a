"""What several tests stand on: rigs, fault layers, recorders, samples. No test is in here."""
