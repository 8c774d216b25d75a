"""What ``s3memory browse`` shows: `reading` fetches it, `shown` marks it up, `app` puts it on a screen."""
