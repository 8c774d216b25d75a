"""Passwords, codes and keys that nothing calls one: what they look like, weighed together with what is around them.

The rules beside these know names and phrases. People leave the name out: "Anna is back to v", "the second one is v",
"Pipedrive lets the bot in with v". A linear model of some hundred features weighs words, and another one random values;
they were trained on notes of many people and trades: see `benchmarks/redaction/training.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial

from s3memory.redaction.model import Span
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules.reading.near import line_start
from s3memory.redaction.rules.reading.nouns import HARMLESS, meaning, words_of
from s3memory.redaction.rules.reading.random_values import has_form_of_an_id, is_random, is_random_in_groups, is_uuid
from s3memory.redaction.rules.reading.told_things import is_told_to_be_a_thing
from s3memory.redaction.rules.scoring.exclusions import is_excluded, is_in_excluded_column
from s3memory.redaction.rules.scoring.features import REACH, ContextFeatures, adjacent_features
from s3memory.redaction.rules.scoring.finding_filter import features_of_word
from s3memory.redaction.rules.scoring.forms import form_of_shape
from s3memory.redaction.rules.scoring.identifiers import is_recurring_term
from s3memory.redaction.rules.scoring.labelled_values import end_of_groups, labelled_values
from s3memory.redaction.rules.scoring.lexicon import words_in
from s3memory.redaction.rules.scoring.lists import are_dense, is_in_encoded_block, without_data
from s3memory.redaction.rules.scoring.models import (
    PREFILTER,
    SHAPE_MODEL,
    VALUE_MODEL,
    WORD_MODEL,
    Model,
    Prefilter,
    ShapeModel,
)
from s3memory.redaction.rules.scoring.plain_candidates import has_plain_form, plain_candidates
from s3memory.redaction.rules.scoring.score_threshold import CountFindings, ScoreThreshold
from s3memory.redaction.rules.scoring.value_candidates import form_of_value, value_candidates, value_feature_names
from s3memory.redaction.rules.scoring.word_candidates import (
    grouped_digit_candidates,
    is_random_and_long,
    shape_of,
    word_candidates,
)
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Subject

_LONGEST_NAME = 48
_LEAST_OF_A_CODE = -7  # of digits that are called one
_ENOUGH = 1 << 30  # more than any candidate has to come to
_CLAUSES = r"[,;.!?][ ]"
_NEAREST_WORDS = 3
_VARIABLE = r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:=(?P<value>\S*))?"
_HAVE_UUIDS = frozenset(("server", "servers", "vm", "droplet", "volume", "disk", "zone", "cluster", "machine"))
# Of a JSON Web Key, https://www.rfc-editor.org/rfc/rfc7518#section-6, and of what mail is signed with.
_PUBLIC_BEFORE = r"\"(?:x|y|n|e|kid|x5[ctu])\"[ ]?:[ ]?\"\Z|\bv=DKIM1\b"
# Of OpenPGP, of a key that somebody is given to know: https://www.rfc-editor.org/rfc/rfc9580#section-5.5.4
_FINGERPRINT, _OF_A_KEY, _AROUND_A_FINGERPRINT = r"[0-9A-F]{40}", r"(?i)\bgpg|\bpgp|<[^<>\s@]+@[^<>\s@]+>", 160
_SAMPLES = (
    "Bob never changed it: «Harbour!4711»",
    "till screen locks, Jo is back to «Marmalade_6347»",
    "- Disney+ mum@mail.example, «Gravel5111!»",
    "Old PDF of the lease opens with «parsnipsoup», all small.",
    "the quarry gate: Piet says it is «four one seven nine», then lift",
)
_NEAR = (
    "Harbour!4711",
    "the safe was bought in 2019",
    "A PIN has 10000 possible values.",
    "login node is hpc-login2, batch on hpc-batch7",
    "SSID is Hotel-Lobby-5G",
    "user=account.user\npassword=account.password\nretries=4\n",
    "the branch was merged, then grumpyBadger_52 was tagged",
    "the lift, 1974, was the last of its make",
    "the safe is a Hagedorn type 1800",
    "vrata 6100 kn, ugradnja posebno",
    "and my booking number is 771902",
    'forgotPasswordLabel:"Forgot it?",stayLoggedInLabel:"Stay:"',
    'see the note "Login Names and Token Expiry", and "Account and Password Safety"',
    "| Compte | R\u00f4le |\n|---|---|\n| eva | **Administratrice** |\n| luc | **Administrateur** |",
    "| Konto | Passwort | Rolle |\n|---|---|---|\n| eva | `passwort` | **Verwalterin** |",
    "secret: value-from-the-vault\npassword: caller-supplied-value",
    'the chapter "Group Name and Password Disclosure"',
    "The pins are 4321 and 8765.",
    "kap\u0131 5120 TL tuttu, montaj dahil",
    "[REDACTED:recovery-code]\nk8m2p-x9r4t\n",
    "run it with `--ask-vault-pass`, or name a file",
    'the "realm" argument of login()',
    "wlan scanner epson4500 not found",
    "she left the team in spring 2009",
    "XN--4GBRIM, XN--90AE and XN--D1ALF are domains",
    "passwords: 12-character minimum, 90 days, UTF-8",
    "| dev | any e-mail | mailhog on :8025 |",
    "- Fix tokens of logins [#5080](https://github.com/acme/hub/pull/5080) ([@Paul2708](https://github.com/Paul2708))",
    "- [x] PostgreSQL 15 \u2192 16 (pg_upgrade --link)",
    "Employee portal: people.pinecrow.dev (SSO)",
    "DB_USER=quiosque\nDB_PASSWORD=<pe\u00e7a-ao-Duarte>\n",
    "\u0e23\u0e2b\u0e31\u0e2a\u0e1c\u0e48\u0e32\u0e19\u0e40\u0e01\u0e47\u0e1a\u0e44\u0e27\u0e49\u0e43\u0e19 Bitwarden2",
)
_SAMPLES_OF_VALUES = (
    "Pipedrive lets the enrichment bot in with «{mixed 32}». Never email contacts.",
    "The bot signs in to the tracker with «{mixed 40}» since Monday.",
)
_NEAR_VALUES = (
    "last good build: {mixed 20}, then bisected",
    "Request <hex:32> failed, its span was <hex:16>.",
    "# Key metrics\n- run: <hex:32>\n- mia: <hex:32>",
    "the scaleway server <hex:8>-<hex:4>-4<hex:3>-9<hex:3>-<hex:12>",
    '"AWS::Logs::LogGroup": "<hex:33>"',
    '"AWS::KMS::Key": "<hex:8>-<hex:4>-4<hex:3>-9<hex:3>-<hex:12>"',
    "beta secret is in the vault, see last week's report about <hex:32>",
    "-----BEGIN PUBLIC KEY-----\n<base64:64>\n<base64:64>\n<base64:40>\n-----END PUBLIC KEY-----",
    "<base64:48>\n<base64:48>\n<base64:48>\n<base64:48>\n<base64:48>",
    "WireGuard\n| peer | public key | ip |\n|---|---|---|\n| barn | <base64:43>= | 10.9.0.2 |\nPrivate halves stay.",
)


IsFree = Callable[[int, int], bool]


def _always(_start: int, _end: int) -> bool:
    return True


def _none(_start: int, _end: int) -> int:
    return 0


class ScoredRule(Rule, ABC):
    """A rule that weighs candidates of one sort: words, or random values.

    Args:
        kind: What is found.
        samples: As in `Rule`; `near`, too.
        weights: What candidates are weighed by.
    """

    __slots__ = ("_weights",)

    def __init__(self, kind: str, weights: Model, *, samples: tuple[str, ...], near: tuple[str, ...]) -> None:
        super().__init__(
            kind=kind,
            anchors=(),
            scan=True,
            pattern="",
            before=REACH,
            source="https://cwe.mitre.org/data/definitions/256.html",
            samples=samples,
            near=near,
        )
        self._weights = weights

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield what weighs enough."""
        return self.score(subject, _none, _always, _always)

    def score(self, subject: Subject, count_findings: CountFindings, is_free: IsFree, may_be: IsFree) -> Iterator[Span]:
        """Yield what weighs enough of what other rules did not find, and a second look did not refuse.

        Args:
            subject: The text.
            n_found_within: How much they found that begins from one place to another.
            is_free: Whether nothing of what stands from one place to another was found.
            may_be: Whether nothing of it was refused.
        """
        text = subject.text
        # Nothing is said of one word. In scripts without spaces a sentence may look like one.
        if len(subject.words) == 1 and (text.isascii() or len(words_in(text)) == 1):
            return
        features, seen, least = ContextFeatures(text), subject.seen_by(self), ScoreThreshold(text, count_findings)
        left: list[tuple[int, int, int]] = []
        is_settled = True
        for start, end in self.candidates(subject):
            if not is_free(start, end):
                features.note(start, end)
            elif may_be(start, end):
                score = partial(self._weight, features, start, end)
                weight = seen.weight(text, start, end, features.found_before(start), score)
                if self._is_enough(weight, features, least, start, end):
                    is_settled = False
                    least.note(start)
                    span = self._span(features, start, end)
                    features.note(span.start, span.end)
                    yield span
                elif weight > 0:
                    left.append((start, end, weight))
        # What was found asks for less around it. Who looked through the redacted text would find that, and so on.
        while left and not is_settled:
            light: list[tuple[int, int, int]] = []
            for start, end, weight in reversed(left):
                if self._is_enough(weight, features, least, start, end):
                    least.note(start)
                    yield self._span(features, start, end)
                else:
                    light.append((start, end, weight))
            is_settled, left = len(light) == len(left), light

    @abstractmethod
    def candidates(self, subject: Subject) -> Iterator[tuple[int, int]]:
        """Yield where what is weighed starts and ends."""

    @abstractmethod
    def is_something_else(self, text: str, start: int, end: int) -> bool:
        """Whether a candidate is plainly something else, whatever it weighs."""

    @abstractmethod
    def adjacent_features(self, text: str, start: int, end: int) -> list[int]:
        """Return the numbers of the features of a candidate and of what is right beside it."""

    @abstractmethod
    def features(self, features: ContextFeatures, start: int, end: int) -> list[int]:
        """Return the numbers of all features of a candidate."""

    def is_mixed(self, _word: str) -> bool:
        """Whether a candidate is a word with a digit or a sign, as ordinary words are not."""
        return False

    def may_be_enough(self, text: str, start: int, end: int) -> bool:
        """Whether a candidate may be one, by what is right beside it."""
        return self._weights.may_be_enough(self.adjacent_features(text, start, end))

    def is_recurring_term(self, _text: str, _start: int, _end: int) -> bool:
        """Whether a candidate is a word that the text is about."""
        return False

    def _is_enough(self, weight: int, features: ContextFeatures, least: ScoreThreshold, start: int, end: int) -> bool:
        word = features.text[start:end]
        is_likely = self.is_mixed(word) or (word[0].isalnum() and features.label_before(start) is not None)
        asked = least.at(start, is_likely=is_likely, is_phrase=" " in word)
        return weight > asked and not self.is_recurring_term(features.text, start, end)

    def _weight(self, features: ContextFeatures, start: int, end: int) -> int:
        """Return what a candidate comes to: 0 if it is plainly something else, and much if its name is enough."""
        text = features.text
        word, name = text[start:end], features.label_before(start)
        weight = self._weights.of(self.features(features, start, end))
        if name and (" " not in word or any(map(str.isdigit, word))):
            asked = _LEAST_OF_A_CODE if name.kind == "pin" and word.isdigit() else 0
            weight = _ENOUGH if weight > asked else 0
        if name and is_random_in_groups(word):
            weight = _ENOUGH
        return weight if weight > 0 and not self.is_something_else(text, start, end) else 0

    def _span(self, features: ContextFeatures, start: int, end: int) -> Span:
        text = features.text
        return Span(self.kind, start, end_of_groups(text, start, end) if features.label_before(start) else end)


class ScoredWords(ScoredRule):
    """A rule that weighs words.

    Args:
        weights: What they are weighed by.
        shapes: Says which may have the shape of one.
        prefilter: Says which of the plain words may be one.
    """

    __slots__ = ("_prefilter", "_shapes")

    def __init__(self, weights: Model, shapes: ShapeModel, prefilter: Prefilter) -> None:
        super().__init__("password", weights, samples=_SAMPLES, near=_NEAR)
        self._shapes, self._prefilter = shapes, prefilter

    def candidates(self, subject: Subject) -> Iterator[tuple[int, int]]:
        """Yield where words start and end, but of a line with so many that they are data."""
        text, may_have = subject.text, self._shapes.may_have
        words = [
            (start, end)
            for start, end in sorted(
                {*word_candidates(subject, may_have), *grouped_digit_candidates(subject, may_have)}
            )
            if self.may_be_enough(text, start, end) and not is_random_and_long(text[start:end])
        ]
        found = {*without_data(words, partial(are_dense, text)), *plain_candidates(subject, self._prefilter)}
        return iter(sorted(found.union(labelled_values(subject))))

    def is_mixed(self, word: str) -> bool:
        """Whether a candidate is a word with a digit or a sign, as ordinary words are not."""
        return not has_plain_form(word)

    def is_recurring_term(self, text: str, start: int, end: int) -> bool:
        """Whether a word is what the text is about: see `is_term`."""
        return is_recurring_term(text, start, end)

    def is_something_else(self, text: str, start: int, end: int) -> bool:
        """Whether a word is plainly something else: see `is_excluded`."""
        return is_excluded(text, start, end) or is_told_to_be_a_thing(text, start)

    def adjacent_features(self, text: str, start: int, end: int) -> list[int]:
        """Return the numbers of the features of the shape of a word and of what is right beside it."""
        return adjacent_features(text, start, end, form_of_shape(shape_of(text[start:end])))

    def features(self, features: ContextFeatures, start: int, end: int) -> list[int]:
        """Return the numbers of all features of a word."""
        return features_of_word(features, start, end)


class ScoredValues(ScoredRule):
    """A rule that weighs random values.

    Args:
        weights: What they are weighed by.
    """

    __slots__ = ()

    def __init__(self, weights: Model) -> None:
        super().__init__("secret", weights, samples=_SAMPLES_OF_VALUES, near=_NEAR_VALUES)

    def candidates(self, subject: Subject) -> Iterator[tuple[int, int]]:
        """Yield where random values start and end, but of a list of data."""
        text = subject.text
        for start, end in value_candidates(subject):
            if self.may_be_enough(text, start, end):
                yield start, end

    def is_something_else(self, text: str, start: int, end: int) -> bool:
        """Whether a value has the form of an id, is labelled as something else, or is a line of an encoded file."""
        before = text[line_start(text, start, _LONGEST_NAME) : start]
        words = words_of(compiled(_CLAUSES).split(before)[-1])
        last = len(words) - 1
        said = (meaning(words, last - n, is_beside=n == 0) for n in range(min(_NEAREST_WORDS, len(words))))
        is_told = next(filter(None, said), None) == HARMLESS
        is_of_a_thing = words[-1:] != [] and words[-1] in _HAVE_UUIDS and is_uuid(text[start:end])
        return (
            is_told
            or is_of_a_thing
            or is_told_to_be_a_thing(text, start)
            or has_form_of_an_id(text[start:end])
            or _is_a_variable(text[start:end])
            or compiled(_PUBLIC_BEFORE).search(before) is not None
            or _is_of_a_public_key(text, start, end)
            or is_in_encoded_block(text, start, end)
            or is_in_excluded_column(text, start, end)
        )

    def adjacent_features(self, text: str, start: int, end: int) -> list[int]:
        """Return the numbers of the features of a value and of what is right beside it."""
        return adjacent_features(text, start, end, form_of_value(text[start:end]))

    def features(self, features: ContextFeatures, start: int, end: int) -> list[int]:
        """Return the numbers of all features of a value."""
        text = features.text
        return features.of(start, end, form_of_value(text[start:end]), value_feature_names(text, start, end))


def _is_a_variable(value: str) -> bool:
    """Whether a value is the name of a variable, perhaps with a value that is not random: `KMS_KEY_ID=alias/memory`."""
    variable = compiled(_VARIABLE).fullmatch(value)
    return variable is not None and not is_random(value if variable["value"] is None else variable["value"])


def _is_of_a_public_key(text: str, start: int, end: int) -> bool:
    around = text[max(0, start - _AROUND_A_FINGERPRINT) : end + _AROUND_A_FINGERPRINT]
    return compiled(_FINGERPRINT).fullmatch(text, start, end) is not None and bool(compiled(_OF_A_KEY).search(around))


RULES = (ScoredWords(WORD_MODEL, SHAPE_MODEL, PREFILTER), ScoredValues(VALUE_MODEL))
