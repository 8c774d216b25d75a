"""Does a bucket, on S3 or on a server that speaks its protocol, hold what memory rests on? Asked of the server itself.

Nothing of the deployment is changed. The doctor stores objects of its own below ``{prefix}intents/{tenant}/doctor/``,
where no agent looks, and removes them. What it may not look at it calls not checked.
"""

from s3memory.admin.doctor.checks import Check, Status
from s3memory.admin.doctor.deployment import Deployment
from s3memory.admin.doctor.examination import CHECKS, examine

__all__ = ["CHECKS", "Check", "Deployment", "Status", "examine"]
