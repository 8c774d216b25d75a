"""A random value goes that a sentence brings in after it has named it, on the same line."""

from __future__ import annotations

from support.for_each import for_each

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
VALUE = "DDSdsQUTn5LX2LG2wsNndGXwyXP2gevkQt1AmIyB"
HEX = "054707173c08e9f67cfa9c7cdd941893"


@for_each(
    "text",
    [
        "Partners sign with a shared HMAC secret. For Velmora that's {}; clock skew is 120 s.",
        "To read the inventory you need the header X-Depot-Key. Ours, handed out by Leena, reads {}.",
        "scraping needs the session cookie, user copied {} from the browser",
        "the team's activation secret (confidential per contract) reads {}.",
        "Cookie: lang=de; SHOPSESS={}",
        "Deploy token, good until May: made under my account: {}",
        "地图 key 已申请,Web 服务类型,值为{},每日限额 5000 次",
        "签名私钥是{}。",
    ],
)
def test_a_value_goes_that_is_brought_in_after_its_name(text: str) -> None:
    for value in (VALUE, HEX):
        assert value not in REDACTOR.redact(text.format(value)).text


@for_each(
    "text",
    [
        "The token was rotated; the commit that did it is {}.",
        "the signing key is in the vault, its fingerprint reads {}",
        "db_password: ENC[AES256_GCM,data:{},iv:x,type:str]",
        "DKIM TXT: v=DKIM1; k=rsa; key for mail is {}",
        "secret: none. SCHEMA={}",
        '{{"secret": null, "nonce": "{}"}}',
        "The report is {}.",
    ],
)
def test_a_value_stays_that_is_something_else_or_nothing_that_was_named(text: str) -> None:
    assert HEX in REDACTOR.redact(text.format(HEX)).text


def test_a_sum_that_a_tool_prints_beside_a_file_stays() -> None:
    text = "MD5 (password.png) = 03789600c1e2e4935523340f3b400af5"
    assert REDACTOR.redact(text).text == text
