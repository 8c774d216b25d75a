"""What passwords, codes and keys look like and stand beside: linear models, trained on notes, and what asks them."""

from s3memory.redaction.rules.scoring.finding_filter import FINDING_FILTER
from s3memory.redaction.rules.scoring.scored_rules import RULES

__all__ = ["FINDING_FILTER", "RULES"]
