"""The browser of ``s3memory browse``: `reading` fetches data, `shown` formats it, `app` is the screen."""
