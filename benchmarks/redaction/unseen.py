"""Every token of ours as if nobody had known its form: the rules of that form are taken away, and the others look.

What is left are the other providers' forms and the general rules: names, signs, phrases, and values that look random.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from redaction import contexts
from redaction.measure import is_gone, removed_by_us
from redaction.samples import DEVELOPMENT, Sample, filled, seeded
from redaction.tokens import maker_of
from s3memory.redaction import PatternRedactor
from s3memory.redaction.kinds import GENERAL_KINDS
from s3memory.redaction.rules import KINDS, RULES
from s3memory.redaction.tokens import Token

NAMED, BARE = "beside its name", "without its name"
_EACH = 3

# How notes name the provider of a token, and what it is.
_BESIDE_A_NAME = (
    "{Name} {noun}: {{}}",
    "the {Name} {noun} is {{}}",
    "{name}_{noun}={{}}",
    "export {NAME}_{NOUN}='{{}}'",
    '{{{{"{name}{Noun}": "{{}}"}}}}',
    "use {{}} as the {Name} {noun}",
    "- {Name} {noun} {{}}\n",
    "| {Name} {noun} | `{{}}` |",
    "`{name} login --{noun} {{}}`",
)


def _samples() -> Iterator[tuple[str, str, Sample]]:
    """Yield the kind, whether its name is told, and a sample of each form."""
    places = [*contexts.PROSE.values(), *contexts.CODE.values()]
    for number, rule in enumerate(rule for rule in RULES if isinstance(rule, Token)):
        if rule.kind in GENERAL_KINDS:
            continue
        rng = seeded(f"unseen:{rule.kind}:{number}")
        make = maker_of(rule)
        *name, noun = rule.kind.split("-")
        words = {"name": "_".join(name), "Name": " ".join(name).title(), "noun": noun, "Noun": noun.title()}
        words |= {"NAME": words["name"].upper(), "NOUN": noun.upper()}
        for _ in range(_EACH):
            template = rng.choice(_BESIDE_A_NAME).format(**words)
            yield rule.kind, NAMED, filled(DEVELOPMENT, "unseen forms", rule.kind, template, make(rng))
            yield rule.kind, BARE, filled(DEVELOPMENT, "unseen forms", rule.kind, rng.choice(places), make(rng))


class Gone(NamedTuple):
    """Which tokens are gone with their own form's rules taken away, with those of every form, and with all rules."""

    unseen: list[bool]
    formless: list[bool]
    whole: list[bool]


def redacted() -> dict[str, Gone]:
    """Return what is gone of tokens beside their names, and of bare ones."""
    found = {place: Gone([], [], []) for place in (NAMED, BARE)}
    whole, formless = PatternRedactor(), PatternRedactor(kinds=KINDS - {own for own, _, _ in _samples()})
    kind, without = "", whole
    for own, place, sample in _samples():
        if own != kind:
            kind, without = own, PatternRedactor(kinds=KINDS - {own})
        for listed, redactor in zip(found[place], (without, formless, whole), strict=True):
            listed.append(is_gone(sample, removed_by_us(redactor, sample.text)))
    return found


def missed(place: str) -> Iterator[str]:
    """Yield the texts of `place` in which a token stays once its own rules are taken away."""
    for own, found_place, sample in _samples():
        if found_place == place:
            without = PatternRedactor(kinds=KINDS - {own})
            if not is_gone(sample, removed_by_us(without, sample.text)):
                yield sample.text
