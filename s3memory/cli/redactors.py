"""The redactor of a command: that of the settings, with what the command line says about kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from s3memory.errors import ConfigurationError

if TYPE_CHECKING:
    from s3memory.config.settings import Settings
    from s3memory.redaction import PatternRedactor


def redactor_of(settings: Settings, policy: Sequence[str] | None, *, with_personal: bool) -> PatternRedactor:
    """Return the redactor that the settings describe, changed as the command line says.

    Where the settings switch redaction off, it is the one with all defaults: who calls this wants to know.

    Raises:
        ConfigurationError: A setting or an option is malformed.
    """
    from s3memory.redaction import PatternRedactor  # noqa: PLC0415 - see the package's docstring
    from s3memory.redaction.configuration import parsed_policy  # noqa: PLC0415 - same
    from s3memory.redaction.kinds import PERSONAL_KINDS  # noqa: PLC0415 - same
    from s3memory.redaction.treatment import REDACT  # noqa: PLC0415 - same

    redactor = settings.pattern_redactor() or PatternRedactor()
    if with_personal and redactor.kinds is not None and (absent := PERSONAL_KINDS.difference(redactor.kinds)):
        raise ConfigurationError(
            f"--personal contradicts the kinds of S3MEMORY_REDACTION_FILE: {', '.join(sorted(absent))} not among them"
        )
    personal = dict.fromkeys(PERSONAL_KINDS, REDACT) if with_personal else {}
    try:
        said = parsed_policy(",".join(policy)) if policy else {}
        return replace(redactor, policy={**personal, **redactor.policy, **said})
    except ConfigurationError as error:
        raise ConfigurationError(f"--policy is malformed: {error}") from None
