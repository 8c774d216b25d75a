"""Passphrases and recovery phrases: several plain words, which only their name and their line tell from a sentence."""

from __future__ import annotations

import re

from s3memory.redaction.compiling import compiled
from s3memory.redaction.rule import Location, Rule

# A sentence of four words or more has one of these; lists of words for phrases do not.
_SENTENCE_WORD = (
    r"an?|the|is|are|was|were|be|been|in|on|at|to|for|of|from|by|with|as|its?|and|or|not|no|must|should|can|may|has|have|had"
    r"|this|that|which|your|my|our|their|see|used?|using|stored|kept|set|never|always|only|when|if"
)
_WORDS = r"[a-z]{2,20}(?:[ -][a-z]{2,20}){3,23}"


def _passphrase(match: re.Match[str]) -> Location:
    words = re.split("[ -]", match["secret"])
    return None if any(map(compiled(_SENTENCE_WORD).fullmatch, words)) else match.span("secret")


RULES = (
    Rule(
        kind="password",
        anchors=("passphrase", "pass phrase", "recovery phrase", "seed phrase", "mnemonic"),
        fold=True,
        pattern=(
            r"(?i:(?:pass|recovery|seed)[ _]?phrase|mnemonic)(?:\\?[\"'`]|\*\*){0,2}"
            r"[ \t]{0,3}(?:[:=|]|is\b|was\b)(?:\*\*)?[ \t]{0,3}(?:\\?[\"'`])?"
            rf"(?P<secret>{_WORDS})(?=[.,;!\"'`\\]|[ \t]*(?:[\n|(]|$))"
        ),
        locate=_passphrase,
        source="https://www.eff.org/dice",
        samples=("my passphrase: «{words}».", "recovery phrase: «{words}»\n"),
        near=("passphrase: kept in the vault of the team", "mnemonic: mov add sub"),
    ),
)
