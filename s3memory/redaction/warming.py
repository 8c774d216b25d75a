"""Prepares a process for its first write, so that this write does not have to wait."""

from __future__ import annotations

from s3memory.redaction.patterns import PatternRedactor

_TYPICAL_NOTE = """\
# Deployment of the web shop

- Anna (anna@example.com) runs the staging server: `ssh deploy@staging.example.com -p 2222`.
- The API token is kept in the vault; ask Jo for it. Version 2.14.1 was released on 2026-03-04, see ticket OPS-4711.
- Wi-Fi: network "Harbour", password: ask at the desk. The door code was changed last week.

| host | user | password |
|---|---|---|
| db-1 | app | see vault |

```yaml
database:
  url: postgres://app@db-1:5432/shop
  password: ${DB_PASSWORD}
  secret_key: "<your-secret>"
```

```python
client = Client(api_key=os.environ["API_KEY"], timeout=30)
```

The customer prefers calls before noon. Her order 88-1204 came with build 9f2c1ab07d3e4455, as she said: "fine by me".
"""
"""A note as agents write them: most texts need the same patterns as this one."""


def warm_up() -> None:
    """Compile the patterns that the built-in rules need for most texts, once for all redactors of the process.

    Otherwise the first write does it. Call this while a process starts, as in Lambda's INIT phase. It sends nothing
    anywhere, whatever detectors you use.
    """
    PatternRedactor().redact(_TYPICAL_NOTE)
