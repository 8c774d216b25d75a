"""Runs the rules over a text: picks those that may match, searches the views, and adds what findings imply."""
