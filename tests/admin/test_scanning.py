"""A scan tells what is due by what redacting does, and `fix` does that."""

from __future__ import annotations

from conftest import MakeStore
from support.stored import text_of

from s3memory.admin.scanning import scan
from s3memory.paths import MemoryPath
from s3memory.redaction import PatternRedactor

PATH = MemoryPath(("a",))
REDACTOR = PatternRedactor(policy={"github-token": "report"})
PASSWORD = f"{'ghp_'}aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6!Xk29q"


def test_what_only_begins_like_what_the_policy_keeps_is_due_and_fixed(make_store: MakeStore) -> None:
    make_store(redactor=None).create(PATH, f"tea\nhttps://jo:{PASSWORD}@git.acme-corp.com/x\n")
    (found,) = scan(make_store(), REDACTOR).findings
    assert (found.kind, found.line, found.is_kept) == ("url-password", 2, False)
    (fixed,) = scan(make_store(), REDACTOR, fix=True).findings
    assert fixed.is_fixed
    assert PASSWORD not in (text_of(make_store(), PATH) or "")
