"""What the model sends and reads: inputs, views, errors. Pure: it knows paths, but not how they are stored."""
