"""What the model sends and reads: inputs, views, errors. Pure; it knows paths and nothing of how they are stored."""
