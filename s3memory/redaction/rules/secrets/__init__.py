"""Keys, links, cookies and other machine-made secrets, found by their label, their context or their format."""

from s3memory.redaction.rule import weighed_again
from s3memory.redaction.rules.secrets import (
    configurations,
    cookies,
    credentials,
    keys,
    links,
    manifests,
    named,
    neighbours,
    printed,
    structures,
)

RULES = (
    *configurations.RULES,
    *cookies.RULES,
    *credentials.RULES,
    *keys.RULES,
    *weighed_again("links", links.RULES),
    *manifests.RULES,
    *weighed_again("named secret", named.RULES),
    *weighed_again("neighbours", neighbours.RULES),
    *printed.RULES,
    *structures.RULES,
)
