"""Checks whether a bucket, on S3 or an S3-like server, behaves as s3memory requires, by sending requests to it.

The deployment is not changed. The doctor stores its own objects below ``{prefix}intents/{tenant}/doctor/``, where no
agent looks, and removes them. What it has no permission to check is reported as not checked.
"""

from s3memory.admin.doctor.checks import Check, Status
from s3memory.admin.doctor.deployment import Deployment
from s3memory.admin.doctor.examination import CHECKS, examine

__all__ = ["CHECKS", "Check", "Deployment", "Status", "examine"]
