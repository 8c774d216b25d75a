"""The output of commands that print a secret and nothing else: the line after "$ op read op://ci/npm/token"."""

from __future__ import annotations

import re

from s3memory.redaction.rules.reading.near import NearRule, Places, line_start
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_placeholder
from s3memory.redaction.text.word_lists import word_list, word_set

_MAX_LINE, _MAX_FENCE = 300, 40
_COMMANDS = word_list(
    "aws secretsmanager get-secret-value|aws ecr get-login-password|az account get-access-token"
    "|az keyvault secret show|bw get password|bw get totp|find-generic-password|find-internet-password"
    "|gcloud auth print-|gcloud secrets versions access|gh auth token|gopass show|heroku auth:token"
    "|key:generate --show|kubectl create token|op item get|op read|openssl rand|pass show|pwgen|rbw get"
    "|secret-tool lookup|vault kv get|vault print token|wg genkey|wg genpsk|/run/secrets/|initialadminpassword"
    "|secrets.token_|get_random_secret_key|rake secret|rails secret|/dev/urandom",
    "|",
)
# These print anything, so the line must also name a secret: "echo $API_TOKEN".
_PRINTERS = ("base64 -d", "base64 --decode", "printenv", "output -raw", "echo $", 'echo "$', "echo ${")
_LABEL = r"(?i)pass(?:w|phr|\b)|pwd|secret|token|api_?key|credential|_pw\b|_key\b"
# A prompt: "$", or the user, host and directory up to a "#" or ">".
_PATH = r"[\w.@~:\\/() \[\]-]"
_PROMPT = rf"[ \t>*\u2022+-]{{0,8}}`{{0,3}}[ \t]{{0,4}}(?:{_PATH}{{0,60}}[$%\u276f\u279c]|{_PATH}{{1,60}}[#>])[ \t]+"
_PROGRAM = (
    r"[ \t>#]{0,8}(?:sudo[ ])?(?:aws|az|bw|cat|docker|echo|gcloud|gh|gopass|head|heroku|kubectl|op|openssl|pass|php"
    r"|podman|printenv|pwgen|python3?|rails|rake|rbw|secret-tool|security|terraform|tofu|vault|wg)[ ]"
)
_FENCE = r"```[a-z]{0,12}\r?\n[ \t]{0,8}\Z"
_OUTPUT_LINE = r"[ \t>]{0,8}(?P<value>(?![-/~{\[<($`]|\./|https?:|arn:)[^\s`]{6,300})[ \t]*(?=\r?\n|\Z)"
_HAS_DIGIT = r"(?=[^0-9]*[0-9])[^()$]*"
_PRINTING_VERB = r"(?i:(?:it[ ])?(?:gave|gives|prints|printed|returned|returns|said|says|shows))(?:[ ]us|[ ]me)?:?"
_OUTPUT_IN_PROSE = (
    rf"[^`\n]{{0,200}}`[ ]?(?:[:=]|->|=>|\u2192|{_PRINTING_VERB})[ ]{{1,2}}"
    r"[\"'`]?(?P<value>[^\s\"'`]{6,300}?)[\"'`]?(?=[.,;]?(?:\s|\Z))"
)
_STATUS_WORDS = word_set("null none true false error denied success successful complete pending")


def _find_output(match: re.Match[str], _limit: int) -> Places:
    text, start, end = match.string, match.start(), match.end()
    begin = line_start(text, start, _MAX_LINE)
    line_end = text.find("\n", end, end + _MAX_LINE)
    line = text[begin : line_end if line_end >= 0 else end + _MAX_LINE]
    if match[0].lower() in _PRINTERS and not compiled(_LABEL).search(line):
        return
    found = compiled(_OUTPUT_IN_PROSE).match(text, end) if "`" in text[begin:start] else None
    is_shown = False
    if found is None and line_end >= 0:
        found = compiled(_OUTPUT_LINE).match(text, line_end + 1)
        is_shown = bool(
            compiled(_PROMPT).match(line) or compiled(_FENCE).search(text[max(0, begin - _MAX_FENCE) : begin])
        )
        if not (is_shown or compiled(_PROGRAM).match(line)):
            return
    # In a sentence, or below a line without a prompt, any word may follow: only a value with a digit counts.
    if found is None or not (is_shown or compiled(_HAS_DIGIT).fullmatch(found["value"])):
        return
    if found["value"].lower().strip(".!") not in _STATUS_WORDS and not is_placeholder(found["value"]):
        yield found.span("value")


RULES = (
    NearRule(
        kind="secret",
        anchors=(*_COMMANDS, *_PRINTERS),
        pattern=rf"(?i:{'|'.join(map(re.escape, (*_COMMANDS, *_PRINTERS)))})",
        around=_find_output,
        source="https://cwe.mitre.org/data/definitions/532.html",
        samples=(
            "$ vault kv get -field=password secret/db\n«Harbor-17-stone»",
            "kubectl -n shop get secret db -o jsonpath='{{.data.password}}' | base64 -d\n«{password}»",
            "```sh\npass show mail/jo\n«Tulip-93-canal»\n```",
            "jo@web1:~$ sudo cat /var/lib/jenkins/secrets/initialAdminPassword\n«<hex:32>»",
            "`openssl rand -hex 8` gave «<hex:16>», which is in the vault now",
        ),
        near=(
            "$ openssl rand -hex 16 > key.bin\n$ ls",
            "$ op read op://ci/npm/token\nerror",
            "$ vault kv get secret/db\n====== Data ======",
            "$ base64 -d logo.b64\nlogo17",
            "Run vault kv get for it\nThanks-17",
            "> openssl rand makes\n> randomness",
            "`pwgen`: generates passwords",
            "`gh auth token` gave nothing",
            "# pwgen\nDeprecated",
            "$ vault kv get secret/db\nsuccess!",
            'echo "$TOKEN" | docker login\ncleanup_2()',
            "pass show is the command\nThanks",
        ),
    ),
)
