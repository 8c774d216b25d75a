"""A sample of an agent's notes, 1 kB: prose, lists, and a few dates and links, with nothing to redact."""

from __future__ import annotations

from typing import Final

NOTE: Final = """\
# Project notes

- Ana prefers short answers, with the command first and the reasons behind it.
- The staging site is deployed from the branch `main` by the workflow deploy.yml (about 12 minutes).
- On 2026-03-02 the import of the customer list failed: two columns were swapped. Fixed in PR 4182.

## Open questions

1. Does the report for the board need the figures of March? Asked Tom on Tuesday, no answer so far.
2. The invoices of https://example.org/billing are in euros; the dashboard shows dollars.

## How the tests run

Run `make test` in the repository's root. It takes six minutes, of which the browser tests are four. They fail now
and then when the machine is busy: run them again before looking for a reason. The database is seeded by
`scripts/seed.py --small`, which leaves 40 orders and 3 users.

## Style

Ana wants tables rather than lists, dates as year, month and day, and no exclamation marks. Names of people are
written out in full at their first mention.
"""
