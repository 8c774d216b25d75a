"""Bulk jobs over millions of objects, on S3 Batch Operations or Step Functions' Distributed Map.

Each kind of work is a separate Lambda function, with the handler ``s3memory.bulk.verify``, ``s3memory.bulk.scan``,
``s3memory.bulk.reseal`` or ``s3memory.bulk.erase``. So the deployment decides what a job may do, and a job's arguments
can't extend that. Settings come from the ``S3MEMORY_*`` variables. The tenant is read from the object key.

All work is idempotent, since an engine may send an object again. The results, which engines keep in their reports,
contain no path, tenant or text.
"""

from s3memory.bulk.handlers import BulkHandler, UnfinishedBatchError, erase, reseal, scan, verify
from s3memory.bulk.manifests import Row, batch_line, batch_lines, erasure_rows, inventory_rows, map_line, rows
from s3memory.bulk.results import Code, Result

__all__ = [
    "BulkHandler",
    "Code",
    "Result",
    "Row",
    "UnfinishedBatchError",
    "batch_line",
    "batch_lines",
    "erase",
    "erasure_rows",
    "inventory_rows",
    "map_line",
    "reseal",
    "rows",
    "scan",
    "verify",
]
