"""A random value is a secret if the words around it call it one: names, nouns, places and values are all composed."""

from __future__ import annotations

import string

import pytest
from support.for_each import for_each
from support.made_tokens import seeded

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
ALNUM = string.ascii_letters + string.digits
NOUNS = (
    *("token", "API key", "auth token", "client secret", "PAT", "deploy key", "webhook secret", "licence key"),
    *("service credential", "bot token", "signing secret", "encryption key", "login", "join ticket"),
    *("registration code", "auth ticket"),
)
SENTENCES = (
    *("the Acme {noun} is {value}", "Acme {noun} {value}", "use {value} as the Acme {noun}", "{value} is the {noun}"),
    *("{value} (Acme {noun})", "our {noun} for the build on Mondays: {value}", "- {noun} -> `{value}`"),
    *("## Acme {noun}\n\n```\n{value}\n```\n", "Acme {noun}:\n{value}\n", "a new {noun} from Jo today, {value}"),
)
NAMES = (
    "--{kebab} {value}",
    "{snake}: {value}",
    'x.{camel} = "{value}"',
    "ACME_{upper}={value}",
    "?{snake}={value}&a=b",
)


def values() -> list[str]:
    rng = seeded("neighbours")

    def made(alphabet: str, count: int) -> str:
        return "a1B2" + "".join(rng.choices(alphabet, k=count - 8)) + "c3D4"

    return [made(ALNUM, 32), made(ALNUM, 24), made(ALNUM + "-_", 43), "0" + made(string.hexdigits[:16], 32).lower()]


@for_each("noun", NOUNS)
@for_each("sentence", SENTENCES)
def test_a_random_value_goes_where_a_sentence_calls_it_a_secret(noun: str, sentence: str) -> None:
    for value in values():
        text = sentence.format(noun=noun, value=value)
        redacted = REDACTOR.redact(text).text
        assert value not in redacted, text
        assert redacted == text.replace(value, "[REDACTED:secret]")
        assert REDACTOR.redact(redacted).text == redacted


@for_each("noun", NOUNS)
@for_each("form", NAMES)
def test_a_random_value_goes_behind_a_name_however_it_is_written(noun: str, form: str) -> None:
    words = noun.lower().split()
    for value in values():
        text = form.format(
            value=value,
            kebab="-".join(words),
            snake="_".join(words),
            camel="".join([words[0], *map(str.capitalize, words[1:])]),
            upper="_".join(words).upper(),
        )
        assert value not in REDACTOR.redact(text).text, text


@for_each(
    "text",
    [
        "the token was rotated in commit {}",
        "token id {}",
        "the key of the cache is etag {}",
        "partition key: {}",
        "public key {}",
        "next_page_token={}",
        "the secret is in request {}",
        "see {} for the key metrics",
        "https://example.org/token/{}",
        "arn:aws:secretsmanager:eu-central-1:123456789012:secret:{}",
        "image {} has the token",
        '"AWS::KMS::Key": "{}"',
        "trace {} (auth service)",
        "session {}",
        "{}",
    ],
)
def test_a_random_value_stays_where_a_nearer_word_says_what_else_it_is(text: str) -> None:
    for value in values():
        made = text.format(value)
        assert REDACTOR.redact(made).text == made


@pytest.mark.parametrize(
    "text",
    [
        "from keys import Ed25519PrivateKey, X25519PrivateKey",
        "self._sshHostKey = sshHostKey",
        "the token my-project-1234-production-eu",
        "the key 2026-11-22T18:03:58Z",
        "auth service-v2.14.0-rc3 is live",
        "token: test_token_expired_v2_2026",
        "the API key is in secrets/prod/api-key-2.yaml",
        "the token a1b2c3.png",
    ],
)
def test_names_versions_times_and_files_are_not_random(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "der Zugriffstoken lautet {}",
        "la cl\u00e9 API : {}",
        "clave de API: {}",
        "\u0442\u043e\u043a\u0435\u043d \u0431\u043e\u0442\u0430: {}",
        "API\u5bc6\u94a5\uff1a{}",
        "\u30c8\u30fc\u30af\u30f3\u306f {}",
        "\ud1a0\ud070: {}",
        "API-sleutel: {}",
        "klucz API: {}",
        "API anahtar\u0131: {}",
    ],
)
def test_other_languages_have_words_for_it(text: str) -> None:
    for value in values():
        assert value not in REDACTOR.redact(text.format(value)).text


@for_each(
    "value",
    ("qBqhibFi.dCmGB2KR6aN55F92oUqBcWDR", "t1.xIrZK0hYCw4QV-Z4aTwO.epCVhDJPJmhLKbwQtVg63jQVPK9Ky1QBY6Jmb4HEOhmHkBgB"),
)
@for_each("text", ("> key for the sandbox\n> {value}", "- other\n\nuse {value} as the Yandex token\n"))
def test_a_value_of_several_runs_is_named_before_its_first_and_behind_its_last(text: str, value: str) -> None:
    assert value not in REDACTOR.redact(text.format(value=value)).text


@for_each(
    "text",
    (
        "Acme api {value}",
        "acme api = {value}",
        "Acme access: {value}",
        "the encryption phrase of the backup: {value}",
        "the token for Acme is \u201c{value}\u201d",
        "use \u201c{value}\u201d as the Acme license key",
        "{value}. <- Acme API key",
    ),
)
def test_a_random_value_goes_behind_vague_words_and_in_typographic_quotes(text: str) -> None:
    for value in values():
        assert REDACTOR.redact(text.format(value=value)).text == text.format(value="[REDACTED:secret]")


@for_each("text", ("the API answered request {value}", "API version {value}", "access log of build {value}"))
def test_a_vague_word_says_nothing_of_what_a_nearer_word_calls_otherwise(text: str) -> None:
    for value in values():
        assert REDACTOR.redact(text.format(value=value)).text == text.format(value=value)


TABLE = "| service | owner | {head} |\n|---|---|---|\n{rows}"
UUIDS = [f"9dd60e47-e7bf-408b-a691-17e73e513d{number:02x}" for number in range(24)]


@for_each("head", ("Token", "**API key**", "Credential", "client secret"))
def test_every_random_value_of_a_column_goes_whose_head_calls_it_a_secret(head: str) -> None:
    kept = "| acme | {order} | {value} |"
    rows = [kept.format(order="e2f1c3a4-0b1d-4c2e-9f3a-5b6c7d8e9f01", value=value) for value in UUIDS]
    text = TABLE.format(head=head, rows="\n".join(rows))
    redacted = REDACTOR.redact(text).text
    assert not any(value in redacted for value in UUIDS)
    assert redacted.count("e2f1c3a4-0b1d-4c2e-9f3a-5b6c7d8e9f01") == len(UUIDS)
    assert REDACTOR.redact(redacted).text == redacted


@for_each("head", ("Order", "Commit", "Token id", "Primary key"))
def test_a_column_of_ids_stays(head: str) -> None:
    text = TABLE.format(head=head, rows="\n".join(f"| acme | jo | {value} |" for value in UUIDS))
    assert REDACTOR.redact(text).text == text


@for_each("text", ("Sonarr api key = {}; Radarr = {}", "API key {}, and Radarr = {}"))
def test_the_next_of_a_list_of_named_values_goes_with_the_first(text: str) -> None:
    first, second = "b162d518c7dd5a1e8c05eb82ae65d289", "0c9e5f7a2d4b61838e1fa7c3d5b90e42"
    assert REDACTOR.redact(text.format(first, second)).text == text.format("[REDACTED:secret]", "[REDACTED:secret]")


def test_the_name_of_a_pod_is_not_random() -> None:
    text = "the auth service is auth-svc-7d9f8b6c4-x2lqp"
    assert REDACTOR.redact(text).text == text


@for_each("path", ("orders", "users", "share", "join/rooms", "files"))
def test_a_uuid_in_any_other_link_stays(path: str) -> None:
    text = f"https://acme.example.org/{path}/{UUIDS[0]}"
    assert REDACTOR.redact(text).text == text


@for_each(
    "value",
    (
        "e4b06ce6-0741-47a8-bce4-2c8218072e8c",
        "05b6e6e3-07d4-4edc-9143-1193e6c3f339",
        "d8f33418-f3d4-4711-9804-f92283868a29",
        "99901c04-7549-4bc3-94c5-6c9a9cc9af4e",
    ),
)
def test_a_uuid_goes_however_little_its_parts_are_mixed(value: str) -> None:
    assert REDACTOR.redact(f"my Acme token - {value}").text == "my Acme token - [REDACTED:secret]"
    assert REDACTOR.redact(f"my Acme order - {value}").text == f"my Acme order - {value}"


@for_each("alphabet", [string.ascii_uppercase + "234567", string.ascii_lowercase + string.digits, "0123456789abcdef"])
def test_a_random_value_of_one_case_goes_however_few_of_its_digits_stand_between_letters(alphabet: str) -> None:
    rng = seeded(alphabet)
    made = ["".join(rng.choices(alphabet, k=20)) for _ in range(200)]
    values = [value for value in made if any(map(str.isdigit, value)) and not value.isdigit()]
    gone = [value for value in values if value not in REDACTOR.redact(f"the deploy token is {value}").text]
    assert len(gone) >= 0.97 * len(values)


def test_the_number_of_a_bot_goes_with_its_token_and_a_time_before_one_stays() -> None:
    token = "AAH9x2LmQw8ZtR4vK7pYbN3cJdS5fG1hTa"
    assert REDACTOR.redact(f"the bot token is 6283917462:{token}").text == "the bot token is [REDACTED:secret]"
    assert REDACTOR.redact(f"the token 12:30:{token}").text == "the token 12:30:[REDACTED:secret]"


HEX, OTHER_HEX = "b162d518c7dd5a1e8c05eb82ae65d289", "0c9e5f7a2d4b61838e1fa7c3d5b90e42"
COMMIT = "1ab155e7352678cf36eb748b9f4b69bb1eab4f4f"


@for_each(
    "text",
    (
        "Cohere trial {}",
        "- sonarr {} port 8989",
        "algolia: admin {}",
        "OpenWeatherMap {}",
        "newsapi.org {}",
        "azure openai (swedencentral): {}",
        "rollbar post_server_item {}",
        "uploads: bash <(curl -s https://codecov.io/bash) -t {}",
    ),
)
def test_the_name_of_a_tool_and_a_role_are_enough(text: str) -> None:
    assert REDACTOR.redact(text.format(HEX)).text == text.format("[REDACTED:secret]")


@for_each("text", ("exa {}", "codecov upload {}", "Postmark prod: {}"))
def test_a_uuid_goes_behind_a_tool_whose_keys_are_uuids(text: str) -> None:
    assert REDACTOR.redact(text.format(UUIDS[0])).text == text.format("[REDACTED:secret]")


@for_each(
    "text",
    (
        f"cloudflare zone: {HEX}, account: {HEX}",
        f"datadog trace {HEX}",
        f"vercel {COMMIT} is live",
        f"codecov report of {COMMIT}",
        f"etherscan: 0x{COMMIT}",
        f"twilio call CA{HEX}",
        f"hetzner server {UUIDS[0]}",
        f"sonarr torrent {COMMIT}",
        "vercel deploy dpl_8xK2mQwT4vLrZ9pYbN3cJdS5fG1h",
        f"commits: api {COMMIT}",
        f"texas {UUIDS[0]}",
    ),
)
def test_what_a_tool_calls_otherwise_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    (
        "# API keys\nalpha {}",
        "API keys\n- jo: {}",
        "## Tokens of the bots\n\n* Status screen \u2013 {}",
        "keys: alpha {}",
        "tokens for the cluster: alpha {}",
    ),
)
def test_a_value_with_a_label_goes_below_and_behind_what_names_several_secrets(text: str) -> None:
    for value in values():
        assert REDACTOR.redact(text.format(value)).text == text.format("[REDACTED:secret]")


@for_each(
    "text",
    (
        "primary keys: jo {}, mia {}",
        "public keys\n- jo: {}\n- mia: {}",
        "# Key metrics\n- run: {}\n- mia: {}",
        "# Tokens\n- commit {}\n- order: {}",
        "token ids: ci {}, bot {}",
        "# Checksums\nlinux {}\nmac {}",
    ),
)
def test_labels_stay_below_and_behind_what_names_ids(text: str) -> None:
    made = text.format(HEX, OTHER_HEX)
    assert REDACTOR.redact(made).text == made


@for_each(
    "text",
    (
        "Mixpanel project token public, API secret {}",
        "the map is public, the API secret {}",
        "the certificate is renewed. New deploy token {}",
    ),
)
def test_what_is_public_in_another_clause_says_nothing_of_a_value(text: str) -> None:
    for value in values():
        assert REDACTOR.redact(text.format(value)).text == text.format("[REDACTED:secret]")


@for_each("text", ("the public key, {}", "public API key {}", "the certificate {}", "public token {}"))
def test_what_is_public_stays(text: str) -> None:
    for value in values():
        assert REDACTOR.redact(text.format(value)).text == text.format(value)


@for_each("verb", ("would be", "was"))
def test_a_verb_joins_as_a_sign_does(verb: str) -> None:
    text = f"the HMAC for partner callbacks {verb} {HEX}{OTHER_HEX}"
    assert HEX not in REDACTOR.redact(text).text


UNSEAL = (
    "vVJJHwj3MOap5KcJ4VLMKnRxnHyZOBVabdx1dy8Pb8B=",
    "+6uf8VkC0kvCO5yQQaXmBIPWs1ROU2yXj2TVDmjfvQK=",
    "JMiV1/Zb9SmxBqliKef1loE5Lc3NpHrXVCUe5pGXg0M=",
)


@for_each("heading", ("vault unseal", "unseal keys:"))
def test_numbered_keys_go_whole_whatever_sign_they_begin_with(heading: str) -> None:
    text = "\n".join((heading, *(f"{number}: {key}" for number, key in enumerate(UNSEAL, 1))))
    assert REDACTOR.redact(text).text == "\n".join((heading, *(f"{n}: [REDACTED:secret]" for n in (1, 2, 3))))


@for_each("value", ("SCWWUCBTCJRI7GUKFTR0", "pub-c-b904010a-e0db-4020-89da-71b53e1e3af6"))
def test_an_id_that_is_shown_to_everybody_stays_beside_its_secret(value: str) -> None:
    text = f"access {value} secret {{}}"
    assert REDACTOR.redact(text.format(UUIDS[0])).text == text.format("[REDACTED:secret]")


def test_what_is_named_behind_a_comma_is_the_next_value() -> None:
    assert (
        REDACTOR.redact(f"repo {HEX}, deploy token {OTHER_HEX}").text == f"repo {HEX}, deploy token [REDACTED:secret]"
    )


@for_each("quote", ("'", '"'))
def test_a_value_that_begins_a_string_goes_to_its_end_if_a_sign_follows(quote: str) -> None:
    text = f"secret_salt({quote}k3J9xQ2m7Lp4Rt8vW1zBq0Za|pLevg0wRVe$ fTQj4EulVEHP{quote}, 12)"
    assert REDACTOR.redact(text).text == f"secret_salt({quote}[REDACTED:secret]{quote}, 12)"
    kept = f"the token {quote}k3J9xQ2m7Lp4Rt8vW1zBq0Za, as Jo said{quote}"
    assert REDACTOR.redact(kept).text == f"the token {quote}[REDACTED:secret], as Jo said{quote}"


def test_a_tenant_and_a_client_stay_beside_their_secret() -> None:
    ids = f"tenant {UUIDS[0]} client {UUIDS[1]} secret"
    secret = "abc8Q~aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456"
    assert REDACTOR.redact(f"azure sp: {ids} {secret}").text == f"azure sp: {ids} [REDACTED:azure-client-secret]"
    text = f"tenant {UUIDS[0]}, client secret {{}}"
    assert REDACTOR.redact(text.format(secret)).text == text.format("[REDACTED:azure-client-secret]")


def test_the_host_behind_a_token_in_a_url_stays() -> None:
    token = f"ATCTT3xFfGN0{''.join(values()[2] for _ in range(3))}=7F16CE04"
    text = "git clone https://x-token-auth:{}@bitbucket.org/acme/app.git"
    assert REDACTOR.redact(text.format(token)).text == text.format("[REDACTED:bitbucket-token]")


@for_each("name", ["AZURE_SEARCH_KEY=", "bing search key: ", "DEEPL_TRANSLATION_KEY = "])
def test_what_a_service_does_is_part_of_the_name_of_its_key(name: str) -> None:
    assert REDACTOR.redact(f"{name}Kq7zT4mPw9xRf2LbV8nHs3YdAb12Cd34").text == f"{name}[REDACTED:secret]"


@for_each("name", ["search_key=", "the translation key: "])
def test_what_a_program_searches_by_is_no_key(name: str) -> None:
    assert REDACTOR.redact(f"{name}Kq7zT4mPw9xRf2LbV8nHs3YdAb12Cd34").findings == ()


def test_arguments_of_a_call_go_with_the_first_however_they_are_broken() -> None:
    value, other = "Kq7zT4mPw9xRf2LbV8nHs3YdAb12Cd34", "zW3nVb7Yt2RkQ9sLx"
    text = f"Acme(auth=OAuth('{value}',\n                    '{other}'))"
    assert REDACTOR.redact(text).text == text.replace(value, "[REDACTED:secret]").replace(other, "[REDACTED:secret]")
