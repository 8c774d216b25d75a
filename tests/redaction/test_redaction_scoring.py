"""Words that nothing calls a password or a code are weighed, with what is around them."""

from __future__ import annotations

import functools
import json
import pickle
import subprocess
import sys

import pytest
from support.for_each import for_each
from support.repository import REPOSITORY

from s3memory.redaction import Allowlist, PatternRedactor, patterns
from s3memory.redaction.rules import RULES
from s3memory.redaction.rules.scoring.forms import N_FEATURES
from s3memory.redaction.rules.scoring.lists import is_in_encoded_block
from s3memory.redaction.rules.scoring.score_threshold import ScoreThreshold
from s3memory.redaction.rules.scoring.scored_rules import ScoredRule, ScoredWords
from s3memory.redaction.rules.scoring.weight_tables import WeightTable, WeightTables

REDACTOR = PatternRedactor()
THEMES = sorted((REPOSITORY / "benchmarks" / "redaction" / "training_notes").glob("*.jsonl"))
ONE_IN = 20


@functools.cache  # two rules look at the same notes
def redacted(text: str) -> str:
    return REDACTOR.redact(text).text


@for_each(
    "told",
    [
        "Old laptop of Bert's: he never left «Wombat!1962», I told him.",
        "the shop's tablet, Mia is back to «Marmalade_6347» since the update",
        "- Netflix: dad's mail, «Zebra&Toast44»",
        "printer web page | admin | «Tonerfee_19x»",
        "Q: and the router in the attic? A: «Hilltop#8812»",
        "Beim NAS kommt Oma mit «Pflaumenmus77!» rein",
        "la tablette du salon, c'est «Girafe!2031» depuis Noël",
        "أم فيصل: وصلني من البنك الآن «٦٢٠٠٦٥» هل أعطيه للموظف؟",
    ],
)
def test_a_word_goes_that_looks_like_a_password_where_people_tell_of_one(told: str) -> None:
    before, _, rest = told.partition("«")
    value, _, behind = rest.partition("»")
    text = redacted(before + value + behind)
    assert value not in text
    assert text.startswith(before)
    assert text.endswith(behind)


@for_each(
    "text",
    [
        "Flight LX1842 lands at 2140, gate B22, row 14C",
        "the alarm company came in 2019, invoice 20931",
        "Model WH-1000XM5, serial 4417203, bought for the office",
        "pods: login-api-6d5f8c9b7-x2k4q and login-web-7c8d9f6b5-p9mzt",
        "SSID is Garden-House-5G, the other is off",
        "commit 77ab12c closes issue 4471",
        "utf8, sha256, http2 and md5 are in the list",
        "tokens used so far: 412031",
        "Room 4120, table 17, ticket 88213",
        'Requires-Dist: cov ; extra == "coverage"\nRequires-Dist: linkify-it-py>=1,<3 ; extra == "linkify"',
        "Barney Morrow\nBarney Ogryk\nBartek Ghirman\nLind2009\nBarney Boden\nBarney Gale\nDora Morrow\nBen Morrow\n",
        "Password: 8-64 characters",
        "the alarm, 1968, was the first",
        "the password validator (`MinimumLengthValidator`) is on",
        "| Konto | Losenord | Roll |\n|---|---|---|\n| eva | `losenord` | **Chef** |",
        "secret: _SecretLike | None = None,",
        'when the alarm company rings, we say "thanks"',
    ],
)
def test_a_word_stays_that_only_looks_like_one(text: str) -> None:
    assert redacted(text) == text


@for_each(
    ("text", "is_one"),
    [
        ("{0}\n{0}\n«{0}»", True),
        ("{0}\n«{0}»\n{0}\nend", True),
        ("«{0}»\n{0}\n{0}=", False),
        ("«{0}»\n{0}", False),
        ("{0}\n{0}\n«{0}» Jo", False),
        ("{0}\n{0}\nJo «{0}»", False),
        ("{0}\n\n«{0}»\n\n{0}", False),
        ("{0}={0}\n{0}={0}\n{0}=«{0}»", True),
    ],
)
def test_a_line_of_a_block_is_one_of_three_that_are_full_and_as_long(text: str, *, is_one: bool) -> None:
    before, _, rest = text.format("q7Wz" * 12).partition("«")
    value, _, behind = rest.partition("»")
    assert is_in_encoded_block(before + value + behind, len(before), len(before + value)) is is_one


@for_each(
    "told",
    [
        "Jo Tamm <jo@mail.example> «2014-2016»",
        "license: MIT OR «Apache-2.0»",
        "Requires-Dist: kit>=«1,<3»",
        "since «2014-19»",
        "mailhog on :«8025»",
        "the portal is «people.pinecrow.test»",
        "PostgreSQL «15 → 16», done",
        "DB_PASSWORD=<«peça-ao-Duarte»>",
        "| scorer | Port |\n|---|---|\n| Yewande | «8090» |",
        "argon2id («m=64MB», t=3)",
        "Sara: in! which room?\nNils: «2208»",
        "machine numbers «4411-4417»",
        "access: ask Noor; primers 27F and 1492R «TACGGYTACCTTGTTACGACTT»",
    ],
)
def test_years_versions_addresses_quantities_and_answers_are_none_whatever_is_around(told: str) -> None:
    before, _, rest = told.partition("«")
    value, _, behind = rest.partition("»")
    words = next(rule for rule in RULES if isinstance(rule, ScoredWords))
    assert words.is_something_else(before + value + behind, len(before), len(before + value))


@for_each(
    "told",
    [
        '{"garage keypad":«4711»}',
        "portail :«4711»",
        "| Lock | Owner | Cleaner |\n|---|---|---|\n| Front | «4711» | 2290 |",
        "House:\n\tport\n\tJana, side gate «4711»",
    ],
)
def test_codes_are_weighed_behind_a_key_in_a_column_of_somebody_and_below_what_is_indented(told: str) -> None:
    before, _, rest = told.partition("«")
    value, _, behind = rest.partition("»")
    words = next(rule for rule in RULES if isinstance(rule, ScoredWords))
    assert not words.is_something_else(before + value + behind, len(before), len(before + value))


MIXED, HEX = "q7RtZ2mKx9WvB4nLp8Rd5Yc3Tf6H", "7c19e05b83d24fa6915be07d3c8f42a1"


@for_each(
    "text",
    [
        f"The CRM lets the sync bot in with {MIXED}, contacts only.",
        f"- weather widget: openweather, key {HEX}, location Tampere",
        f"Mistral gave the batch box {MIXED} yesterday",
        f"Der Bot kommt mit {MIXED} ins CRM",
    ],
)
def test_a_random_value_goes_that_stands_where_people_tell_of_keys(text: str) -> None:
    assert redacted(text) == text.replace(MIXED, "[REDACTED:secret]").replace(HEX, "[REDACTED:secret]")


@for_each(
    "text",
    [
        f"bisected the upload bug, first bad build {HEX}",
        f"request {HEX} failed after 30 s, trace {HEX[::-1]}",
        f"Cursor for the next page: eyJpZCI6{HEX[:12]}",
        f"the sheet is {MIXED}, tab 2, ask Ana for access",
        f"public key {MIXED}, pinned in the app",
        f"Icon: data:image/png;base64,{MIXED}{MIXED[::-1]}",
        "\n".join(f"- {place}: {HEX[place:]}{HEX[:place]}" for place in range(12)),
    ],
)
def test_a_random_value_stays_that_is_an_id_or_one_of_many(text: str) -> None:
    assert redacted(text) == text


def test_only_who_looks_for_secrets_weighs_random_values() -> None:
    text = f"The CRM lets the sync bot in with {MIXED}, contacts only."
    assert PatternRedactor(kinds={"jwt"}).redact(text).text == text
    assert PatternRedactor(policy={"secret": "off"}).redact(text).text == text
    (finding,) = REDACTOR.redact(text).findings
    assert finding.kind == "secret"


def test_only_who_looks_for_passwords_weighs_words() -> None:
    text = "the shop's tablet, Mia is back to Marmalade_6347 since the update"
    assert PatternRedactor(kinds={"jwt"}).redact(text).text == text
    assert PatternRedactor(policy={"password": "off"}).redact(text).text == text
    assert PatternRedactor(allow=Allowlist(values=["Marmalade_6347"])).redact(text).text == text
    (finding,) = REDACTOR.redact(text).findings
    assert finding.kind == "password"


def test_what_another_rule_finds_keeps_its_kind_and_its_borders() -> None:
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"
    assert redacted(f"Mia is back to {token} since the update").count("[REDACTED:") == 1
    assert "[REDACTED:password]" not in redacted(f"Mia is back to {token} since the update")


@for_each(
    ("n_characters", "n_found", "least"),
    [
        (40, 0, 30),
        (120, 0, 0),
        (2_000, 0, 0),
        (4_000, 0, 17),
        (8_000, 0, 34),
        (90_000, 0, 34),
        (8_000, 1, 17),
        (8_000, 3, 0),
    ],
)
def test_words_have_to_weigh_more_in_a_short_text_and_where_little_is_found_in_a_long_one(
    n_characters: int, n_found: int, least: int
) -> None:
    text, place = "a" * n_characters, n_characters // 2
    assert ScoreThreshold(text, lambda first, last: n_found * (first <= place < last)).at(place) == least
    text = text[:place] + "[REDACTED:password]" * n_found + text[place:]
    assert abs(ScoreThreshold(text, lambda _first, _last: 0).at(place) - least) <= 1, "what was found before counts"


def test_a_placeholder_is_not_weighed() -> None:
    text = "Mia is back to [REDACTED:password#0123abcd] since the update"
    assert "[REDACTED:[" not in redacted(text)
    assert redacted(redacted(text)) == redacted(text)


def test_a_redactor_weighs_in_another_process_as_in_this_one() -> None:
    text = "the shop's tablet, Mia is back to Marmalade_6347 since the update"
    expected = redacted(text)  # shapes are known by now, by hashes of this process
    script = "import pickle, sys; print(pickle.load(sys.stdin.buffer).redact(sys.argv[1]).text)"
    made = subprocess.run(  # noqa: S603 - this interpreter
        [sys.executable, "-c", script, text], input=pickle.dumps(REDACTOR), capture_output=True, check=True
    )
    assert made.stdout.decode().strip() == expected != text


@for_each("table", [*WeightTables.read()[0]])
def test_a_table_has_a_weight_for_each_feature(table: WeightTable) -> None:
    assert len(table.weights) == N_FEATURES
    assert any(table.weights)


def test_notes_that_were_learnt_from_lose_most_of_their_secrets_and_innocent_ones_nothing_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(patterns, "RULES", [rule for rule in RULES if not isinstance(rule, ScoredRule)])
    without = PatternRedactor()
    n_secrets = n_found = n_innocent = n_flagged = 0
    for theme in THEMES:
        for line in theme.read_text("utf-8").splitlines()[::ONE_IN]:
            note = json.loads(line)
            text = redacted(note["text"])
            n_secrets += len(note["secrets"])
            n_found += sum(secret not in text for secret in note["secrets"])
            n_innocent += not note["secrets"]
            if not note["secrets"] and text != note["text"]:
                n_flagged += text != without.redact(note["text"]).text
    assert n_found >= 0.8 * n_secrets
    assert n_flagged <= 0.005 * n_innocent  # by the weights: what the rules beside them flag is theirs


def test_notes_lose_hardly_fewer_secrets_among_others_in_a_file_than_by_themselves() -> None:
    n_alone = n_in_files = 0
    for theme in THEMES:
        notes = [json.loads(line) for line in theme.read_text("utf-8").splitlines()[::ONE_IN][:10]]
        file = redacted("\n\n".join(note["text"] for note in notes))
        secrets = {secret: redacted(note["text"]) for note in notes for secret in note["secrets"]}
        n_alone += sum(secret not in note for secret, note in secrets.items())
        n_in_files += sum(secret not in file for secret in secrets)
    assert n_in_files >= 0.96 * n_alone


@for_each(
    "told",
    [
        "Alarm company asks for the word; ours is «Tamarind».",
        "The monitoring centre wants a word when they ring: ours is «Saltmarsh».",
        "Old PDF of the lease opens with «parsnipsoup», all small.",
        "- NAS: tilda / «MaizeAndMillet»",
        "user: mailer\n    pass: «lanternfish»\n",
        "the quarry gate: Piet says it is «four one seven nine», then lift",
    ],
)
def test_a_plain_word_goes_where_people_tell_of_what_opens_something(told: str) -> None:
    word = told[told.index("«") + 1 : told.index("»")]
    text = told.replace("«", "").replace("»", "")
    assert redacted(text) == text.replace(word, "[REDACTED:password]")


@for_each(
    "text",
    [
        "The plan is called Sunflower, the login page is blue.",
        "The account is on Premium since May.",
        "password reset mail was sent to the wrong address",
        "the wifi is called Rosewood, ask at the desk",
        "password: caller-given-value",
        "the talk 'Roles and Passwords Overview'",
        'labels = {oldPasswordLabel:"Old one:",newWordLabel:"New one:"}',
    ],
)
def test_a_plain_word_stays_where_it_names_something(text: str) -> None:
    assert redacted(text) == text


def test_letters_within_a_value_are_no_plain_word() -> None:
    line = "Qk3/sWAhJYc5XkT0nBv+ZrrTqPLmWxGdVbNcQwErTyUiOpAs/9dFg7hJ4kL2"
    text = f"-----BEGIN PUBLIC KEY-----\n{line}\n-----END PUBLIC KEY-----\n"
    assert redacted(text) == text


def test_what_a_list_has_many_of_that_begin_alike_is_data() -> None:
    types = [f"dax.r{row}.{size}xlarge" for row in (3, 4, 5) for size in ("", "2", "4", "8", "16")]
    text = '{\n "af-south-1": {\n  "enum": [\n' + "".join(f'   "{one}",\n' for one in types) + "  ]\n }\n}\n"
    assert redacted(text) == text


@for_each(
    "text",
    [
        "Anna: black coffee",
        "Anna: oat milk",
        "Tom: window seat",
        "Maria - green tea",
        "lunch: tomato soup",
        "Ben likes quiet mornings.",
    ],
)
def test_what_somebody_likes_stays_in_a_note_of_one_line(text: str) -> None:
    assert redacted(text) == text


def test_a_long_list_is_looked_through_to_its_end_at_once_and_keeps_its_lines() -> None:
    text = "\n".join(f"key{line}: {line * 7919 % 100003:06d}" for line in range(2_000))
    left = redacted(text).split("\n")
    assert [line.partition(":")[0] for line in left] == [f"key{line}" for line in range(2_000)]
    assert redacted("\n".join(left)) == "\n".join(left)
