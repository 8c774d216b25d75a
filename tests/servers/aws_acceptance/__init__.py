"""The complete example on a real account, tested and destroyed again: ``make aws-acceptance``."""
