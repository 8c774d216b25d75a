"""How much a word and what is around it are like a password or a code: a linear model, trained on notes.

It knows texts and its own weights, and no rule.
"""
