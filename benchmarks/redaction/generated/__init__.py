"""Notes as agents write them, composed by a grammar from names, phrases, signs, values and places that no rule lists."""
