"""Linear models that score what no rule finds by its label or format, and that review what some rules found.

`scored_rules` asks the models. The other modules propose candidates, turn them and their context into features, and
rule out what is plainly something else. `benchmarks/redaction/training.py` trains the models.
"""

from s3memory.redaction.rules.scoring.finding_filter import FINDING_FILTER
from s3memory.redaction.rules.scoring.scored_rules import RULES

__all__ = ["FINDING_FILTER", "RULES"]
