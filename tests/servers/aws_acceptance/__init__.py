"""The complete example on a real account, put to use and destroyed again: ``make aws-acceptance``."""
