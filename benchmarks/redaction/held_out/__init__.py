"""Texts whose misses nobody looked at while the rules were written: phrases, contexts and formats of their own."""
