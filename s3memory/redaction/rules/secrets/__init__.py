"""Keys, links, cookies and other machine-made secrets, found by their label, their context or their format."""

from s3memory.redaction.rule import reviewed
from s3memory.redaction.rules.secrets import (
    command_output,
    config_files,
    cookies,
    credentials,
    keys,
    labelled_keys,
    links,
    manifests,
    random_in_context,
    structures,
)

RULES = (
    *config_files.RULES,
    *cookies.RULES,
    *credentials.RULES,
    *keys.RULES,
    *reviewed("links", links.RULES),
    *manifests.RULES,
    *reviewed("named secret", labelled_keys.RULES),
    *reviewed("neighbours", random_in_context.RULES),
    *command_output.RULES,
    *structures.RULES,
)
