"""What passwords, codes and keys look like and stand beside: linear models, trained on notes, and what asks them."""

from s3memory.redaction.rules.weighing.second_look import SECOND_LOOK
from s3memory.redaction.rules.weighing.weighed import RULES

__all__ = ["RULES", "SECOND_LOOK"]
