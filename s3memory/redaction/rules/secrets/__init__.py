"""Keys, links, cookies and other values that a machine made, by their names, their neighbours or their form."""

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
    *links.RULES,
    *manifests.RULES,
    *named.RULES,
    *neighbours.RULES,
    *printed.RULES,
    *structures.RULES,
)
