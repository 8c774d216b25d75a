"""How the rules are run over a text: which may find something, over which views, and what is known from before."""
