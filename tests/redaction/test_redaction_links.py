"""A link that opens something loses its code; one that only shows something stays as it is."""

from __future__ import annotations

import string
from time import process_time

from support.for_each import for_each
from support.made_tokens import seeded

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
UUID = "9dd60e47-e7bf-408b-a691-17e73e513d20"
DIGEST = "9d8c7b6a5f4e4d3c2b1a0f9e8d7c6b5a9d8c7b6a"


def codes(length: int) -> list[str]:
    rng = seeded("links")
    letters = string.ascii_letters + string.digits
    return ["a1B" + "".join(rng.choices(letters, k=length - 5)) + "c2" for _ in range(8)]


OPENING = (
    *("https://acme.example.org/guest/{}", "https://acme.example.org/accept-invitation/{}", "acme.io/invite/{}"),
    *("https://hooks.acme.example/catch/19283/{}/", "https://acme.example.org/share/issue/{}", "http://[::1]/join/{}"),
    *("https://acme.example.org/public-dashboards/{}", "https://acme.example.org/b/{}/guest"),
    *("https://acme.example.org/shared?access={}", "https://acme.example.org/confirm?user=jo&t={}&next=/home"),
    *("https://acme.example.org/auth?token_hash={}", "https://acme.example.org/?preview_key={}"),
    *("reset link https://acme.example.org/x?t={}", "lien de partage https://acme.example.org/f/{}"),
    *("ссылка для приглашения https://acme.example.org/{}", "邀请链接 https://acme.example.org/{}"),
    *("this link logs you in: https://acme.example.org/{}", "anyone with https://acme.example.org/d/{} can read it"),
    *(
        "https://acme.example.org/x/{} (anyone can edit)",
        "https://acme.example.org/x/{}, no login",
        "https://chat.whatsapp.com/{}",
    ),
    *(
        "the upload goes with ?ticket={} behind its address",
        "`?k={}` goes to the end of each path",
        "Deploy hook of the shop (just POST to it, builds in ~1 min):\nhttps://api.acme.example/deploy/{}/go",
        "Share link of the folder (read only, for Mia and Jo): https://acme.example.org/view/{}",
    ),
)
SHOWING = (
    *("https://example.org/commit/{}", "https://example.org/share/blob/{}", "https://example.org/docs/{}"),
    *("https://example.org/watch?v={}", "he shared https://youtu.be/{}", "https://example.org/orders/{}"),
    *("https://example.org/login?next=/orders/{}", "https://example.org/x?utm_id={}", "https://example.org/{}"),
    *("https://example.org/badge.svg?token={}", "see example.io/r/{} for it", "https://example.org/token/{}"),
    *(
        "Screenshot (shared board): https://example.org/view/{}",
        "Report (shared in the channel):\nhttps://example.org/a/b/{}",
    ),
    *(
        "plan: https://example.org/document/d/{}/edit (needs the company's login)",
        "https://example.org/d/{}, login required",
    ),
)
NAMES = (
    *("https://example.org/share-point-2019-migration", "https://example.org/private-beta-2024/signup"),
    *("https://example.org/join/team-berlin-2024", "https://example.org/share/photos/img_20240611.jpg"),
    *(
        "https://example.org/invite/ENG-1234",
        "https://example.org/access/v2/users",
        "https://example.org/join/2024-06-11",
    ),
    *("https://example.org/share/README.md#L10-L20", "https://example.org/secret-manager/docs/filtering"),
    *("https://button.example/b.png?t=Get+Acme+Now&f=Ubuntu-Bold", "https://example.org/reset?lang=en-US&ver=v2.14.0"),
)


@for_each("link", OPENING)
def test_a_link_that_opens_something_loses_its_code_however_short_that_is(link: str) -> None:
    for code in (*codes(10), *codes(24)):
        assert REDACTOR.redact(link.format(code)).text == link.format("[REDACTED:secret]")


@for_each("link", SHOWING)
def test_a_link_that_shows_something_stays(link: str) -> None:
    for code in codes(10):
        assert REDACTOR.redact(link.format(code)).text == link.format(code)


@for_each("link", NAMES)
def test_what_people_name_pages_is_no_code(link: str) -> None:
    assert REDACTOR.redact(link).text == link


@for_each("path", ("invite", "hooks", "reset", "guest"))
def test_a_uuid_behind_a_step_that_is_taken_once_goes(path: str) -> None:
    assert UUID not in REDACTOR.redact(f"https://acme.example.org/{path}/{UUID}").text


@for_each("path", ("orders", "users", "share", "join/rooms", "files", "login"))
def test_a_uuid_that_may_be_a_records_stays(path: str) -> None:
    text = f"https://acme.example.org/{path}/{UUID}"
    assert REDACTOR.redact(text).text == text


@for_each(
    "link", ("https://eth-mainnet.example.org/v2/{}", "https://pad.example.org/2/pad#{}", "https://x.example.org/s/{}")
)
def test_a_long_code_needs_less_said_of_it(link: str) -> None:
    for code in codes(32):
        assert code not in REDACTOR.redact(link.format(code)).text


def test_a_digest_needs_more_than_a_fragment_or_a_single_letter() -> None:
    text = f"https://example.org/s/{DIGEST} https://example.org/page#{DIGEST}"
    assert REDACTOR.redact(text).text == text


def test_a_link_of_codes_alone_takes_linear_time() -> None:
    def seconds(characters: int) -> float:
        unit = "https://a.example/" + "a1B2c3D4e5/" * 64 + " "
        text = unit * (characters // len(unit))
        started = process_time()
        PatternRedactor().redact(text)
        return process_time() - started

    seconds(1_000)
    assert seconds(80_000) < 12 * max(seconds(20_000), 0.02)
