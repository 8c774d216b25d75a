"""Passwords that are options or arguments of programs, where only a letter or their position identifies them."""

from __future__ import annotations

import re
from functools import partial

from s3memory.redaction.rule import Location, Rule, if_near
from s3memory.redaction.rules.reading.judging import is_mixed, is_remark_word
from s3memory.redaction.rules.reading.literals import Literal, literal_at, to_end_of_secret
from s3memory.redaction.rules.reading.near import NearRule, Places, line_around
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_elsewhere, is_placeholder
from s3memory.redaction.text.wording import is_gibberish

_MIN_LENGTH = 3
_OPTION_OF_USER = r"(?<!\S)(?:-[uUlD]|--user(?:name)?)(?:=|[ ]{1,3})[^\s-]\S{0,63}"
_OPTION_BEFORE_VALUE = r"(?<!\S)-(?:p|P|pw|w|A|X|passw?d?|password)[ ]{1,3}(?=[\"'A-Za-z0-9!#%&*+@^])"
_SOURCE_OF_OPTIONS = "https://learn.microsoft.com/sql/tools/sqlcmd/sqlcmd-utility"
_REDIS = r"(?i)redis|valkey|keydb|:6379"
_MAX_COMMAND, _MIN_NEXT_TO_USER = 200, 6


def _value_at(text: str, position: int, least: int) -> Literal | None:
    """Return the value at `position`, unless it is shorter than `least`, a placeholder or a path."""
    value = literal_at(text, position, is_setting=True)
    return None if value is None or len(value.text) < least or is_elsewhere(value.text) else value


def _option_value(match: re.Match[str]) -> Location:
    value = _value_at(match.string, match.end(), _MIN_LENGTH)
    return None if value is None or value.text.startswith("-") else to_end_of_secret(match.string, value.span)


def _options_next_to_user(match: re.Match[str], limit: int) -> Places:
    """Yield the spans of the option values that look like passwords, in a command that has an option for a user."""
    text = match.string
    start, end = line_around(text, *match.span(), _MAX_COMMAND)
    for option in compiled(_OPTION_BEFORE_VALUE).finditer(text, start, min(limit, end)):
        value = _value_at(text, option.end(), _MIN_NEXT_TO_USER)
        if value and (is_mixed(value.text) or is_gibberish(value.text)):
            yield to_end_of_secret(text, value.span)


def _redis_password(match: re.Match[str]) -> Location:
    """Return the span of the password of a command of Redis, if the text is about Redis."""
    if is_placeholder(match["secret"]) or is_remark_word(match["secret"]):
        return None
    return if_near(_REDIS, _MAX_COMMAND, _MAX_COMMAND)(match)


def _list_item(match: re.Match[str]) -> Location:
    return None if is_elsewhere(match["secret"]) or match["secret"].startswith("-") else match.span("secret")


_option_rule = partial(Rule, kind="password", locate=_option_value)

RULES = (
    # An option and its value as two items of a list, as in the commands of containers and subprocesses.
    Rule(
        kind="password",
        anchors=('"--', "'--"),
        pattern=(
            r"(?P<quote>[\"'])--[\w-]{0,30}?(?i:pass(?:word|wd|phrase)?|pwd|token|secret|api-?key)(?P=quote),\s{0,20}"
            r"(?P=quote)(?P<secret>[^\"'\s]{4,200})(?P=quote)"
        ),
        locate=_list_item,
        source=_SOURCE_OF_OPTIONS,
        samples=('["redis-server", "--requirepass", "«{password}»"]', "run(['x', '--api-key', '«{password}»'])"),
        near=('["redis-server", "--requirepass", "$PASSWORD"]', '["--no-password", "--verbose"]'),
    ),
    # sqlcmd, mosquitto_pub, ipmitool, snmpwalk, plink, and all other programs with an option for a user.
    NearRule(
        kind="password",
        anchors=(" -u", " -l ", " -d ", "--user"),
        pattern=rf"[ ]?{_OPTION_OF_USER}",
        around=_options_next_to_user,
        source=_SOURCE_OF_OPTIONS,
        samples=(
            "sqlcmd -S db1 -U sa -P '«{mixed 12}»'",
            "mosquitto_pub -u app -P «{mixed 10}» -t a",
            "snmpwalk -v3 -u mon -A «{mixed 12}» db1",
            "plink -pw «{mixed 12}» -l ops db1",
        ),
        near=(
            "docker run -u 1000 -p 8080:80 -w /srv/app acme",
            "ssh -l ops -p 2222 db1",
            "python -u train.py -p config2.yml",
            "sqlcmd -U sa -P $SA_PASSWORD",
            "grep -l token -A 3 *.md",
        ),
    ),
    # A pair of a user and a password, as the clients of HTTP take it.
    _option_rule(
        anchors=("auth=(", "auth = (", "BasicAuth(", "DigestAuth(", "auth=[", "auth: ["),
        pattern=(
            r"(?:auth(?:=|[ ]=[ ])\(|auth(?:=|:[ ])\[|(?:Basic|Digest)Auth\()[ ]?[bru]?"
            r"(?:\"[^\"\n]{0,64}\"|'[^'\n]{0,64}'|[\w.]{1,64}),[ ]?(?=[bru]?[\"'])"
        ),
        source="https://requests.readthedocs.io/en/latest/user/authentication/",
        samples=('requests.get(url, auth=("svc", "«{password}»"))', "HTTPBasicAuth('svc', '«{password}»')"),
        near=(
            'requests.get(url, auth=("svc", password))',
            'HTTPBasicAuth("svc", "<password>")',
            'auth=("user", "pass")',
        ),
    ),
    _option_rule(
        anchors=("pass:",),
        pattern=r"pass:(?=[!-~]{3})(?<=(?:in|ut|ss|rd) pass:)",
        source="https://docs.openssl.org/master/man1/openssl-passphrase-options/",
        samples=("openssl rsa -in key.pem -passin pass:«{password}»",),
        near=("openssl rsa -in key.pem -passin env:PASS", "openssl rsa -passin pass:$PASS"),
    ),
    _option_rule(
        anchors=("storepass", "keypass", "requirepass", "masterauth", "bindpw", "rootpw"),
        pattern=(
            r"(?:(?:src|dest)?(?:store|key)pass|requirepass(?![ \t]{1,3}foobared\b)|masterauth|bindpw|rootpw)[ \t]{1,3}"
            r"(?!(?:must|is|are|was|should|may|can|has|will|and|or|like|as|in|to|for|from|with|of|on|at|when|if|by"
            r"|requirements?|values?|settings?|options?|parameters?|directives?|attributes?)\b(?![^\s]))(?=[\"'!-~])"
        ),
        source="https://docs.oracle.com/en/java/javase/21/docs/specs/man/keytool.html",
        samples=("keytool -list -storepass «{password}»", "requirepass «{password}»"),
        near=(
            *("keytool -list -storepass $STOREPASS", "requirepass <password>", "include a bindpw like so"),
            "# requirepass foobared",
        ),
    ),
    Rule(
        kind="password",
        anchors=("AUTH ",),
        pattern=(
            r"(?:(?<=\n)|(?<=> )|(?<![\s\S]))AUTH[ ](?!(?:commands?|PLAIN|LOGIN|TLS|SSL|GSSAPI|CRAM|XOAUTH)\b)"
            r"(?:[\w.-]{1,32}[ ])?[\"']?(?P<secret>[^\s\"'`<>${}]{4,128})[\"']?[ \t]{0,9}(?:\r?\n|\Z)"
        ),
        locate=_redis_password,
        source="https://redis.io/docs/latest/commands/auth/",
        samples=(
            "redis-cli -h cache\nAUTH «gravelpond»\nPING\n",
            "127.0.0.1:6379> AUTH jo «gravelpond»\nOK\n",
        ),
        near=(
            "redis-cli -h cache\nAUTH $PASSWORD\n",
            "250-AUTH gravelpond",
            "mail\nAUTH gravelpond\n",
            "In Redis, AUTH takes a password",
        ),
    ),
    _option_rule(
        anchors=("convertto-securestring", "-asplaintext", "ansible-vault "),
        fold=True,
        scan=True,
        pattern=(
            r"(?i:ConvertTo-SecureString[ ]{1,3}(?:-(?:String|AsPlainText|Force)[ ]{1,3}){0,3}"
            r"|ansible-vault encrypt_string[ ]{1,3}(?:--?[\w-]{1,24}[ =][\w./@~-]{1,64}[ ]{1,3}){0,3})(?=[\"'])"
            r"|(?<=\w[ ])(?=(?P<quote>[\"'])[^\"'\n]{1,128}(?P=quote)[ ]{1,3}(?i:-AsPlainText)\b)"  # after an alias
        ),
        source="https://learn.microsoft.com/powershell/module/microsoft.powershell.security/convertto-securestring",
        samples=(
            'ConvertTo-SecureString "«{password}»" -AsPlainText -Force',
            '$s = ctss "«gravel pond»" -asplaintext -force',
            "ansible-vault encrypt_string --vault-id dev@prompt '«gravelpond»' --name db",
        ),
        near=(
            "ConvertTo-SecureString $plain -AsPlainText -Force",
            'ConvertTo-SecureString "password" -AsPlainText -Force',
            'ansible-vault encrypt_string "$PASSWORD" --name a',
        ),
    ),
)
