"""What passwords and codes look like and stand beside: a linear model, trained on notes, and the rule that asks it."""

from s3memory.redaction.rules.weighing.weighed import RULES

__all__ = ["RULES"]
