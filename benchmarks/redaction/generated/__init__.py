"""Notes as agents write them, composed by a grammar of names, phrases, signs, values and places that no rule lists."""
