"""How much of what is sensitive is redacted, what is flagged by mistake, and how long it takes: ours beside others."""
