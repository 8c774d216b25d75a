"""Provider tokens: of forms that providers document, and of forms and names that nobody has published."""

from __future__ import annotations

import base64
import random
import string
import uuid
from collections.abc import Iterator

from redaction.generated.marks import Note, Part, Secret, fill, half, note, take
from redaction.generated.places import lines_around, placed
from redaction.samples import ALNUM, BASE64URL, HEX, LOWER_ALNUM, Maker, made_of, seeded
from redaction.structured import json_web_token

KNOWN, UNSEEN = "tokens of published forms", "tokens of unseen forms"
_EACH_FORM = 3
_EACH_NAMED = 150


def _form(written: str) -> Maker:
    """Return what makes a token of a form such as ``ghp_[36:alnum]``."""
    alphabets = {
        "alnum": ALNUM,
        "url": BASE64URL,
        "hex": HEX,
        "digits": string.digits,
        "upper": string.ascii_uppercase + string.digits,
        "lower": LOWER_ALNUM,
        "base64": ALNUM + "+/",
    }

    def make(rng: random.Random) -> str:
        made = ""
        for piece in written.split("["):
            run, found, literal = piece.partition("]")
            if not found:
                made += run
                continue
            count, _, alphabet = run.partition(":")
            made += made_of(rng, alphabets[alphabet], int(count)) + literal
        return made

    return make


_UUID = "[8:hex]-[4:hex]-4[3:hex]-a[3:hex]-[12:hex]"
_FORMS: dict[str, Maker] = {
    "GitHub": _form("ghp_[36:alnum]"),
    "GitLab": _form("glpat-[20:url]"),
    "Slack": _form("xoxb-[12:digits]-[13:digits]-[24:alnum]"),
    "Stripe": _form("sk_live_[24:alnum]"),
    "AWS": _form("AKIA[16:upper]"),
    "Google": _form("AIza[35:url]"),
    "SendGrid": _form("SG.[22:url].[43:url]"),
    "npm": _form("npm_[36:alnum]"),
    "PyPI": _form("pypi-AgEIcHlwaS5vcmcC[70:url]"),
    "DigitalOcean": _form("dop_v1_[64:hex]"),
    "Hugging Face": _form("hf_[34:alnum]"),
    "Anthropic": _form("sk-ant-api03-[93:url]AA"),
    "OpenAI": _form("sk-proj-[74:url]T3BlbkFJ[74:url]"),
    "Shopify": _form("shpat_[32:hex]"),
    "Figma": _form("figd_[40:url]"),
    "Linear": _form("lin_api_[40:alnum]"),
    "Notion": _form("ntn_[11:digits][35:alnum]"),
    "Postman": _form("PMAK-[24:hex]-[34:hex]"),
    "Databricks": _form("dapi[32:hex]"),
    "Square": _form("EAAAl[59:url]"),
    "New Relic": _form("NRAK-[27:upper]"),
    "Grafana": _form("glsa_[32:alnum]_[8:hex]"),
    "Docker Hub": _form("dckr_pat_[27:url]"),
    "Supabase": _form("sbp_[40:hex]"),
    "Atlassian": _form("ATATT3xFfGF0[180:url]=[8:upper]"),
    "Doppler": _form("dp.pt.[43:alnum]"),
    "Vault": _form("hvs.[90:url]"),
    "Pulumi": _form("pul-[40:hex]"),
    "Tailscale": _form("tskey-auth-[12:alnum]CNTRL-[32:alnum]"),
    "Telegram": _form("[10:digits]:AA[33:url]"),
    "Fine-grained GitHub": _form("github_pat_[22:alnum]_[59:alnum]"),
    "signed token": json_web_token,
}

_INVENTED = ("qlb_live_", "vtr-", "nmb.sk.", "zephyrpat_", "kx1-", "OLVK_", "trn:", "hexa-prod-")
_BODIES: dict[str, Maker] = {
    "hex 32": _form("[32:hex]"),
    "hex 40": _form("[40:hex]"),
    "hex 64": _form("[64:hex]"),
    "alphanumeric 24": _form("[24:alnum]"),
    "alphanumeric 32": _form("[32:alnum]"),
    "alphanumeric 40": _form("[40:alnum]"),
    "UUID": lambda rng: str(uuid.UUID(int=rng.getrandbits(128), version=4)),
    "base64": lambda rng: base64.b64encode(rng.randbytes(32)).decode(),
    "two parts": _form("[20:alnum].[32:url]"),
    "lower 20": _form("[20:lower]"),
    "upper 20": _form("[20:upper]"),
    "parts of four": _form("[4:upper]-[4:upper]-[4:upper]-[4:upper]-[4:upper]"),
    "invented prefix": lambda rng: rng.choice(_INVENTED[::2]) + made_of(rng, ALNUM, 28),
    "another invented prefix": lambda rng: rng.choice(_INVENTED[1::2]) + made_of(rng, ALNUM, 28),
}
_PROVIDERS = (
    *("Quillbeam", "Vantrix", "Nimbora", "Kestrel Pay", "Oolong", "Tarn", "Hexavault", "Pipit", "Brightlane", "Mosaiq"),
    *("Aiven", "Weblate", "Netlify", "Trello", "Zendesk", "Algolia", "Mapillary", "Codacy", "Bitrise", "Wistia"),
)
_NOUNS = (
    *("API token", "token", "access key", "API key", "secret", "client secret", "PAT", "auth token", "deploy key"),
    *("bearer", "signing secret", "service account key", "license key", "webhook secret", "refresh token", "app key"),
    *("personal access token", "session token", "master key", "write key"),
)
_SAID = (
    "{p} {n} {v}",
    "{p} {n}: {v}",
    "the {n} for {p} is {v}",
    "{p}: {n} = {v}",
    "use {v} as the {p} {n}",
    "{p} gave us a new {n}, {v}",
    "`{t} login {v}`",
    "`{t} auth --token {v}`",
    "run `{t} --api-key={v} sync`",
    "`{t} configure set key {v}`",
    "{s}_{m}={v}",
    "export {S}_{M}='{v}'",
    "{c}: {v}",
    '"{c}": "{v}",',
    "X-{h}-Token: {v}",
    "Authorization: {h} {v}",
    "Authorization: Token {v}",
    "curl -H 'X-Api-Key: {v}' https://api.{t}.example/v1/items",
    "https://api.{t}.example/v1/items?key={v}&limit=5",
    "https://{t}.example/cb#access_token={v}",
    "| {p} | {n} | {v} |",
    "| {p} {n} | `{v}` | rotates in May |",
    "key: {v}",
    "key={v}",
    "{p} ({n} {v})",
    "new {p} {n} \u2192 {v}",
    "{p} {n}\n  {v}",
    "{p} {n}:\n\n```\n{v}\n```",
    "const client = new {h}({{ {c}: '{v}' }})",
    'client = {h}Client({s}_{m}="{v}")',
)


def notes(split: str) -> Iterator[Note]:
    """Yield notes with tokens."""
    rng = seeded(f"generated:tokens:{split}")
    for provider, maker in half(split, list(_FORMS.items())):
        for _ in range(_EACH_FORM):
            value = Secret(KNOWN, provider, maker(rng))
            parts: list[Part] = [value] if rng.random() < 0.3 else _said(rng, split, provider, value)  # noqa: PLR2004
            yield note(split, f"{provider} token", lines_around(rng, split, placed(rng, split, parts)))
    for _ in range(_EACH_NAMED):
        body, maker = take(rng, split, list(_BODIES.items()))
        provider = take(rng, split, _PROVIDERS)
        yield _named(rng, split, provider, body, maker)


def _named(rng: random.Random, split: str, provider: str, body: str, maker: Maker) -> Note:
    template = take(rng, split, _SAID)
    value = Secret(UNSEEN, f"{body} in {template!r}", maker(rng))
    parts = _said(rng, split, provider, value, template)
    on_line = parts if "\n" in template or template.startswith("|") else placed(rng, split, parts)
    return note(split, "named token", lines_around(rng, split, on_line))


def _said(rng: random.Random, split: str, provider: str, value: Secret, template: str = "") -> list[Part]:
    noun = take(rng, split, _NOUNS)
    compact = provider.replace(" ", "")
    snake, member = provider.lower().replace(" ", "_").replace("-", "_"), noun.lower().replace(" ", "_")
    words = [compact.lower(), *noun.title().split()]
    return fill(
        template or take(rng, split, _SAID),
        p=provider,
        n=noun,
        v=value,
        t=compact.lower(),
        s=snake,
        m=member,
        S=snake.upper(),
        M=member.upper(),
        c="".join(words),
        h=compact,
    )
