"""Secrets that the structure around them names, some lines before: what programs write of their state."""

from __future__ import annotations

from s3memory.redaction.rule import Rule, secret_group

RULES = (
    # Of a resource without a name of its own: what was made is its result.
    Rule(
        kind="password",
        anchors=('"random_password"',),
        pattern=r"\"random_password\"[^\x00]{1,600}?\"result\"[ ]?:[ ]?\"(?P<secret>[^\"\n]{4,256})\"",
        locate=secret_group,
        source="https://registry.terraform.io/providers/hashicorp/random/latest/docs/resources/password",
        samples=('{"type": "random_password", "instances": [{"attributes": {"result": "«{mixed 16}»"}}]}',),
        near=('{"type": "random_pet", "instances": [{"attributes": {"result": "brave-otter"}}]}',),
    ),
)
