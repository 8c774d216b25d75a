"""Private keys of cryptocurrency wallets: by their own format, or as hexadecimal, base58 or bytes after their name."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, RunRule
from s3memory.redaction.rules.reading.near import NearRule, Places
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_placeholder, looks_random
from s3memory.redaction.text.word_lists import word_list

_BASE58 = "1-9A-HJ-NP-Za-km-z"
_WIF_LENGTHS = 51, 58
_NO_BASE64 = r"(?<![A-Za-z0-9+/=_-])", r"(?![A-Za-z0-9+/=_-])"
# The wallet import format of Bitcoin and its relatives, keys encrypted by BIP-38 ("6P..."), and seeds of Stellar:
# https://github.com/stellar/stellar-protocol/blob/master/ecosystem/sep-0023.md
_WIF = rf"{_NO_BASE64[0]}(?:5[HJK][{_BASE58}]{{49}}|[KL][1-5][{_BASE58}]{{50}}|[9c][{_BASE58}]{{50,51}}|6P[{_BASE58}]{{56}}|S[A-D][A-Z2-7]{{54}}){_NO_BASE64[1]}"
_KEY = rf"(?:0x[0-9A-Fa-f]{{64}}|{_NO_BASE64[0]}[0-9A-Fa-f]{{64}}|{_NO_BASE64[0]}[{_BASE58}]{{43,90}}){_NO_BASE64[1]}"
# A keypair as Solana's tools write it: a list of 64 bytes, or the 32 of the secret half.
_KEY_IN_BYTES = r"[^\[\]\n]{0,60}\n?[^\[\]\n]{0,30}(?P<key>\[\s{0,9}(?:[0-9]{1,3},\s{0,9}){31,63}[0-9]{1,3}\s{0,9}\])"
_CHARS_AFTER, _CHARS_BEFORE = 90, 40
_WALLET_WORDS = r"(?i)wallet|bitcoin|btc|ether|\beth\b|solana|\bsol\b|metamask|ledger|phantom|monero|xmr|tron|wif|spend|view|seed|0x|keypair|account|deployer|private"
_PUBLIC_LABEL = r"(?i)public|address|tx|hash|contract|block|commit|sha|digest|signature|root"


def _locate_wif(match: re.Match[str]) -> Location:
    return match.span() if looks_random(match[0]) and not is_placeholder(match[0]) else None


def _find_named_key(match: re.Match[str], limit: int) -> Places:
    text, end = match.string, match.end()
    limit = max(limit, end)
    bytes_behind = compiled(_KEY_IN_BYTES).match(text, end)
    if bytes_behind and bytes_behind.end() <= limit:
        yield bytes_behind.span("key")
    elif key := compiled(_KEY).search(text, end, min(end + _CHARS_AFTER, limit)):
        between, around = text[end : key.start()], text[max(0, match.start() - _CHARS_BEFORE) : key.start() + 2]
        is_public = "\n\n" in between or compiled(_PUBLIC_LABEL).search(between) is not None
        if not is_public and looks_random(key[0], least=20) and compiled(_WALLET_WORDS).search(around):
            yield key.span()


RULES = (
    RunRule(
        kind="wallet-key",
        least=_WIF_LENGTHS[0],
        most=_WIF_LENGTHS[1],
        pattern=_WIF,
        locate=_locate_wif,
        source="https://en.bitcoin.it/wiki/Wallet_import_format",
        samples=(
            "the wallet key is «5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ».",
            "the account has «SCZANGBA5YHTNYVVV4C3U252E2B6P6F5T3U6MM63WBSBZATAQI3EBTQ4».",
        ),
        near=(
            "GCZANGBA5YHTNYVVV4C3U252E2B6P6F5T3U6MM63WBSBZATAQI3EBTQ4",
            "5HueCGU8rMjxEXxiPuD5",
            "the wallet 5<hex:50>",
        ),
    ),
    NearRule(
        kind="wallet-key",
        anchors=word_list(
            "private key|private_key|privatekey|privkey|secret key|secretkey|secret_key|spend key|view key|wallet key"
            "|wif|keypair|pk 0x|pk: 0x|pk:0x|pk=0x",
            "|",
        ),
        pattern=r"(?i:(?:private|secret|spend|view|wallet)[ _]?key|privkey|wif|keypair|(?<![a-z0-9_])pk(?=[ :=]{1,2}0x))",
        around=_find_named_key,
        source="https://ethereum.org/en/developers/docs/accounts/",
        samples=(
            "the private key is «0x4c<hex:62>»",
            "metamask private key «4c<hex:62>»",
            "deployer 0x<hex:40> pk «0x4c<hex:62>»",
            f"solana keypair «[{','.join(map(str, range(190, 254)))}]»",
        ),
        near=(
            "pk 0x<hex:40>",
            "keypair of shards [1, 2, 3]",
            "the private key has the address 0x<hex:64>",
            "the private key is in the vault",
        ),
    ),
)
