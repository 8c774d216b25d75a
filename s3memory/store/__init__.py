"""Files and directories of one tenant. It knows keys, formats and the bucket, and neither commands nor operators."""
