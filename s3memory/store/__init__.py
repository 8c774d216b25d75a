"""Files and directories of one tenant. It knows keys, formats and the bucket, but neither commands nor operators."""
