"""Rules that find passwords, codes and keys without a label, by the scores of linear models.

Other rules go by labels and phrases, and notes often have none: "Anna is back to v", "the second one is v", "Pipedrive
lets the bot in with v". One model scores words and another one random values, each by its form and its context.
`benchmarks/redaction/training.py` trains them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial

from s3memory.redaction.interface import Span
from s3memory.redaction.rule import Rule
from s3memory.redaction.rules.reading.harmless_statements import is_stated_to_be_harmless
from s3memory.redaction.rules.reading.near import line_start
from s3memory.redaction.rules.reading.nouns import HARMLESS, meaning, words_of
from s3memory.redaction.rules.reading.random_values import (
    has_form_of_identifier,
    is_random,
    is_random_in_groups,
    is_uuid,
)
from s3memory.redaction.rules.scoring.exclusions import is_excluded, is_in_excluded_column
from s3memory.redaction.rules.scoring.features import REACH, ContextFeatures, SharedFeatures, adjacent_features
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

_MAX_LABEL_CHARACTERS = 48
_MIN_SCORE_OF_LABELLED_CODE = -7  # of digits with a label such as "PIN"
_CERTAIN = 1 << 30  # above every threshold
_END_OF_CLAUSE = r"[,;.!?][ ]"
_WORDS_TO_JUDGE = 3
_VARIABLE = r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:=(?P<value>\S*))?"
_HAVE_UUIDS = frozenset(("server", "servers", "vm", "droplet", "volume", "disk", "zone", "cluster", "machine"))
# The public members of a JSON Web Key, https://www.rfc-editor.org/rfc/rfc7518#section-6, and DKIM records.
_PUBLIC_BEFORE = r"\"(?:x|y|n|e|kid|x5[ctu])\"[ ]?:[ ]?\"\Z|\bv=DKIM1\b"
# OpenPGP fingerprints are public: https://www.rfc-editor.org/rfc/rfc9580#section-5.5.4
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


def _no_findings(_start: int, _end: int) -> int:
    return 0


class ScoredRule(Rule, ABC):
    """A rule that scores candidates of one sort: words, or random values.

    Args:
        kind: The kind of its findings.
        samples: As in `Rule`, and `near` as well.
        model: Scores the candidates.
    """

    __slots__ = ("_model",)

    def __init__(self, kind: str, model: Model, *, samples: tuple[str, ...], near: tuple[str, ...]) -> None:
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
        self._model = model

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield the candidates whose score is high enough, as if there were no other rules."""
        return self.score(subject, _no_findings, _always, _always)

    def score(self, subject: Subject, count_findings: CountFindings, is_free: IsFree, may_be: IsFree) -> Iterator[Span]:
        """Yield the candidates whose score is high enough, among those that no rule found and no filter rejected.

        Args:
            subject: The text.
            count_findings: Returns how many findings of other rules start in a range.
            is_free: Whether no other rule found anything in a range.
            may_be: Whether no finding in a range was rejected.
        """
        text = subject.text
        # One word alone has no context. In scripts without spaces a sentence may look like one word.
        if len(subject.words) == 1 and (text.isascii() or len(words_in(text)) == 1):
            return
        features = ContextFeatures(text, subject.once(SharedFeatures.of))
        seen, threshold = subject.cache_of(self), ScoreThreshold(text, count_findings)
        left: list[tuple[int, int, int]] = []
        is_settled = True
        for start, end in self.candidates(subject):
            if not is_free(start, end):
                features.note(start, end)
            elif may_be(start, end):
                compute = partial(self._score, features, start, end)
                score = seen.weight(text, start, end, features.found_before(start), compute)
                if self._is_enough(score, features, threshold, start, end):
                    is_settled = False
                    threshold.note(start)
                    span = self._span(features, start, end)
                    features.note(span.start, span.end)
                    yield span
                elif score > 0:
                    left.append((start, end, score))
        # A finding lowers the threshold around it, so what was left is compared again until nothing more is found.
        # Otherwise redacting the redacted text would find more.
        while left and not is_settled:
            below: list[tuple[int, int, int]] = []
            for start, end, score in reversed(left):
                if self._is_enough(score, features, threshold, start, end):
                    threshold.note(start)
                    yield self._span(features, start, end)
                else:
                    below.append((start, end, score))
            is_settled, left = len(below) == len(left), below

    @abstractmethod
    def candidates(self, subject: Subject) -> Iterator[tuple[int, int]]:
        """Yield the spans of the candidates in a text."""

    @abstractmethod
    def is_something_else(self, text: str, start: int, end: int) -> bool:
        """Whether a candidate is plainly no secret, whatever its score."""

    @abstractmethod
    def adjacent_features(self, text: str, start: int, end: int) -> list[int]:
        """Return the feature numbers of a candidate's form and of what is right next to it."""

    @abstractmethod
    def features(self, features: ContextFeatures, start: int, end: int) -> list[int]:
        """Return all feature numbers of a candidate."""

    def is_mixed(self, _word: str) -> bool:
        """Whether a candidate has a digit or a sign, unlike ordinary words."""
        return False

    def may_be_enough(self, text: str, start: int, end: int) -> bool:
        """Whether a candidate may be a secret, by what is right next to it."""
        return self._model.may_be_enough(self.adjacent_features(text, start, end))

    def is_recurring_term(self, _text: str, _start: int, _end: int) -> bool:
        """Whether a candidate is a word that the text is about."""
        return False

    def _is_enough(
        self, score: int, features: ContextFeatures, threshold: ScoreThreshold, start: int, end: int
    ) -> bool:
        word = features.text[start:end]
        is_likely = self.is_mixed(word) or (word[0].isalnum() and features.label_before(start) is not None)
        minimum = threshold.at(start, is_likely=is_likely, is_phrase=" " in word)
        return score > minimum and not self.is_recurring_term(features.text, start, end)

    def _score(self, features: ContextFeatures, start: int, end: int) -> int:
        """Return the score of a candidate: 0 if it is plainly something else, and `_CERTAIN` if its label decides."""
        text = features.text
        word, label = text[start:end], features.label_before(start)
        score = self._model.of(self.features(features, start, end))
        if label and (" " not in word or any(map(str.isdigit, word))):
            minimum = _MIN_SCORE_OF_LABELLED_CODE if label.kind == "pin" and word.isdigit() else 0
            score = _CERTAIN if score > minimum else 0
        if label and is_random_in_groups(word):
            score = _CERTAIN
        return score if score > 0 and not self.is_something_else(text, start, end) else 0

    def _span(self, features: ContextFeatures, start: int, end: int) -> Span:
        text = features.text
        return Span(self.kind, start, end_of_groups(text, start, end) if features.label_before(start) else end)


class ScoredWords(ScoredRule):
    """Finds passwords and codes.

    Args:
        model: Scores them.
        shapes: Says which shapes they may have.
        prefilter: Says which plain words are scored.
    """

    __slots__ = ("_prefilter", "_shapes")

    def __init__(self, model: Model, shapes: ShapeModel, prefilter: Prefilter) -> None:
        super().__init__("password", model, samples=_SAMPLES, near=_NEAR)
        self._shapes, self._prefilter = shapes, prefilter

    def candidates(self, subject: Subject) -> Iterator[tuple[int, int]]:
        """Yield the spans of words, phrases and labelled values. A line with many words of such shapes is data."""
        text, may_have = subject.text, self._shapes.may_have
        shaped = {*word_candidates(subject, may_have), *grouped_digit_candidates(subject, may_have)}
        words = [
            (start, end)
            for start, end in sorted(shaped)
            if self.may_be_enough(text, start, end) and not is_random_and_long(text[start:end])
        ]
        found = {*without_data(words, partial(are_dense, text)), *plain_candidates(subject, self._prefilter)}
        return iter(sorted(found.union(labelled_values(subject))))

    def is_mixed(self, word: str) -> bool:
        """Whether a candidate has a digit or a sign, unlike ordinary words."""
        return not has_plain_form(word)

    def is_recurring_term(self, text: str, start: int, end: int) -> bool:
        """Whether a word is one that the text is about: see `is_recurring_term`."""
        return is_recurring_term(text, start, end)

    def is_something_else(self, text: str, start: int, end: int) -> bool:
        """Whether a word is plainly no secret: see `is_excluded`."""
        return is_excluded(text, start, end) or is_stated_to_be_harmless(text, start)

    def adjacent_features(self, text: str, start: int, end: int) -> list[int]:
        """Return the feature numbers of a word's shape and of what is right next to it."""
        return adjacent_features(text, start, end, form_of_shape(shape_of(text[start:end])))

    def features(self, features: ContextFeatures, start: int, end: int) -> list[int]:
        """Return all feature numbers of a word."""
        return features_of_word(features, start, end)


class ScoredValues(ScoredRule):
    """Finds keys and tokens.

    Args:
        model: Scores them.
    """

    __slots__ = ()

    def __init__(self, model: Model) -> None:
        super().__init__("secret", model, samples=_SAMPLES_OF_VALUES, near=_NEAR_VALUES)

    def candidates(self, subject: Subject) -> Iterator[tuple[int, int]]:
        """Yield the spans of random values, without lists of data."""
        text = subject.text
        for start, end in value_candidates(subject):
            if self.may_be_enough(text, start, end):
                yield start, end

    def is_something_else(self, text: str, start: int, end: int) -> bool:
        """Whether a value has the form of an id, a label of something harmless, or is a line of an encoded file."""
        before = text[line_start(text, start, _MAX_LABEL_CHARACTERS) : start]
        words = words_of(compiled(_END_OF_CLAUSE).split(before)[-1])
        last = len(words) - 1
        meanings = (meaning(words, last - n, is_beside=n == 0) for n in range(min(_WORDS_TO_JUDGE, len(words))))
        is_labelled_harmless = next(filter(None, meanings), None) == HARMLESS
        is_of_a_thing = words[-1:] != [] and words[-1] in _HAVE_UUIDS and is_uuid(text[start:end])
        return (
            is_labelled_harmless
            or is_of_a_thing
            or is_stated_to_be_harmless(text, start)
            or has_form_of_identifier(text[start:end])
            or _is_a_variable(text[start:end])
            or compiled(_PUBLIC_BEFORE).search(before) is not None
            or _is_of_a_public_key(text, start, end)
            or is_in_encoded_block(text, start, end)
            or is_in_excluded_column(text, start, end)
        )

    def adjacent_features(self, text: str, start: int, end: int) -> list[int]:
        """Return the feature numbers of a value and of what is right next to it."""
        return adjacent_features(text, start, end, form_of_value(text[start:end]))

    def features(self, features: ContextFeatures, start: int, end: int) -> list[int]:
        """Return all feature numbers of a value."""
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
