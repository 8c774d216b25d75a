"""Awkward borders: what touches a secret stays, and the secret goes whole; and ordinary lines that look like them."""

from __future__ import annotations

from collections.abc import Iterator

from redaction.generated.marks import Note, Secret, fill, half, note, take
from redaction.generated.shapes import SHAPES
from redaction.samples import LOWER_ALNUM, made_of, seeded

BORDERS = "awkward borders"
_EACH = 3

# {p} is a password, {t} a token; the second one of each letter is another.
_LINES = (
    "password={p};host=db1;port=5432",
    "(password: {p})",
    "password:{p},user:jo",
    "the password is {p}.",
    "the password is {p}, not the old one",
    "the password is {p}; ask Jo",
    "**password:** {p}<br>next",
    "password: `{p}` \u2014 for the wifi only",
    "| wifi | {p} | guests |",
    "user=jo&password={p}&next=%2Fhome",
    '{{"user":"jo","password":"{p}","ttl":60}}',
    "{{'password': '{p}', 'port': 5432}}",
    "<password>{p}</password><host>db1</host>",
    'password="{p}" host="db1"',
    "PASSWORD={p} make deploy",
    "docker run -e DB_PASSWORD={p} -p 80:80 web",
    "curl -u jo:{p} https://example.org/items",
    "jo:{p}@example.org was refused",
    "https://jo:{p}@example.org:8443/a?b=c",
    'psql "host=db1 password={p} dbname=ledger"',
    "[password:{p}] [port:5432]",
    "password: {p} # for staging",
    "password: {p} // staging",
    "password = {p} /* staging */",
    "password\u3000{p}\u3002",
    "\u5bc6\u7801\uff1a{p}\uff0c\u7528\u6237\uff1ajo",
    "\u30d1\u30b9\u30ef\u30fc\u30c9\u306f{p}\u3067\u3059\u3002",
    "the password (\u201c{p}\u201d) is old",
    "passwords: {p} / {p2}",
    "password {p} -> {p2} (done)",
    "old password: {p}, new password: {p2}.",
    "ssh jo@10.0.0.4 (pw {p}) then sudo -i",
    "token={t}&page=2",
    "token: {t}, expires: 2027",
    "Authorization: Bearer {t}' https://example.org",
    "--token={t} --verbose",
    "X-Api-Key: {t}\\r\\nAccept: */*",
    "[{t}](https://example.org/keys)",
    "api_key={t}\\nregion=eu",
    "api key **{t}**, rotate in May",
    "api key <{t}>",
    "api_key: '{t}'}}",
    "api token {t}\u2026",
    "\U0001f511{t}\U0001f511 is the api key",
    "api_key={t}|region=eu",
    "api_key={t};region=eu",
    "api_key->{t}<-",
    'client(api_key="{t}").get()',
    "export API_KEY={t}&& ./run.sh",
    "API_KEY={t};./run.sh",
    "echo {t} | tool login --token-stdin",
    "tokens: {t}, {t2}",
)
_ORDINARY = (
    "password=;host=db1;port=5432",
    "(password: required)",
    "password:string,user:string",
    "the password is wrong.",
    "the password is optional, not the user",
    "the password is kept; ask Jo",
    "**password:** see below<br>next",
    "password: `min. 12` \u2014 for the wifi only",
    "| wifi | none | guests |",
    "user=jo&next=%2Fhome&password_reset=1",
    '{{"user":"jo","password":null,"ttl":60}}',
    "{{'password': password, 'port': 5432}}",
    "<password/><host>db1</host>",
    'password="" host="db1"',
    "PASSWORD=$1 make deploy",
    "docker run -e DB_PASSWORD -p 80:80 web",
    "curl -u jo https://example.org/items",
    "jo@example.org was refused",
    "https://jo@example.org:8443/a?b=c",
    'psql "host=db1 dbname=ledger"',
    "[password:hidden] [port:5432]",
    "password: # set by the operator",
    "password: // TODO",
    "password = input() /* staging */",
    "password\u3000\u672a\u8a2d\u5b9a\u3002",
    "\u5bc6\u7801\uff1a\u65e0\uff0c\u7528\u6237\uff1ajo",
    "\u30d1\u30b9\u30ef\u30fc\u30c9\u306f\u5fc5\u9808\u3067\u3059\u3002",
    "the password (\u201cuser password\u201d) is old",
    "passwords: two / three",
    "password reset -> done (yesterday)",
    "old password: unknown, new password: pending.",
    "ssh jo@10.0.0.4 (with key) then sudo -i",
    "token=next&page=2",
    "token: string, expires: date",
    "Authorization: Bearer $TOKEN' https://example.org",
    "--token=$TOKEN --verbose",
    "X-Api-Key: required\\r\\nAccept: */*",
    "[api keys](https://example.org/keys)",
    "api_key=\\nregion=eu",
    "api key **rotation**, in May",
    "api key <name>",
    "api_key: 'string'}}",
    "api token lifetime\u2026",
    "\U0001f511 keys \U0001f511 are on the api page",
    "api_key=None|region=eu",
    "api_key=env;region=eu",
    "api_key->apiKey<-",
    "client(api_key=settings.key).get()",
    "export API_KEY=$(cat key)&& ./run.sh",
    "API_KEY=${{1:?missing}};./run.sh",
    "echo $TOKEN | tool login --token-stdin",
    "tokens: input, output",
)
_UNTOUCHED = ("strong", "word and year", "substituted", "word and digits", "keyboard walk", "hyphenated words")


def notes(split: str) -> Iterator[Note]:
    """Yield lines whose secrets have awkward borders."""
    rng = seeded(f"generated:borders:{split}")
    for line in half(split, _LINES):
        for _ in range(_EACH):
            shapes = take(rng, split, _UNTOUCHED), take(rng, split, _UNTOUCHED)
            values = {
                letter: Secret(BORDERS, line, SHAPES[shape](rng).translate(str.maketrans("&;/:@|+", "7777777")))
                for letter, shape in zip(("p", "p2"), shapes, strict=True)
            }
            values |= {letter: Secret(BORDERS, line, made_of(rng, LOWER_ALNUM, 32)) for letter in ("t", "t2")}
            yield note(split, line, fill(line, **values))


def ordinary(split: str) -> Iterator[Note]:
    """Yield ordinary lines like these."""
    for line in half(split, _ORDINARY):
        yield note(split, line, [line.replace("{{", "{").replace("}}", "}")])
