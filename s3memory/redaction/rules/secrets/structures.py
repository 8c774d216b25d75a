"""Secrets in structures with a field for them: API calls, Terraform state, QR codes, lists of users."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.reading.judging import is_remark_word
from s3memory.redaction.rules.reading.locating import if_strong, unless_placeholder
from s3memory.redaction.rules.reading.near import NearRule, Places
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_elsewhere, is_placeholder, is_slug, is_strong

_MAX_QR_CODE, _MAX_LIST_BEFORE, _MAX_LIST = 400, 400, 500
_WIFI_FIELD = r"(?:\A|;)P:(?P<secret>(?:[^;\\\n]|\\.){1,128}+);"
# The last of the users in JAAS, which nothing but spaces separates, ends the statement.
_LAST_USERS = r"\buser_[\w-]{1,64}=\"(?=[^\"\n]{2,128}\"(?:\s{1,40}user_[\w-]{1,64}=\"[^\"\n]{1,128}\"){1,20};)"
_LOGIN_MODULE_USER = r"\b(?:user_[\w-]{1,64}|password)=\"(?!password\")(?P<secret>[^\"\n]{2,128})\""
_USER_LINE = r"\"[^\"\n]{1,64}\"[ \t]{1,4}\"(?P<secret>[^\"\n]{2,256})\"[ \t]{0,4}\r?\Z"

# The type of a field in the exports of Enpass, SafeInCloud, KeePass and 1Password.
_EXPORTED = (
    r"(?i:(?:type|kind)=(?P<quote>[\"'])(?:(?P<pin>pin)|password|secret|concealed|one[_-]time[_-]password|totp|otp)(?P=quote)"
    r"|ProtectInMemory=\"True\")[^<>\n]{0,200}>(?P<value>[^<>\n]{3,256})</"
    r"|(?i:\"type\"\s{0,4}:\s{0,4}\"CONCEALED\",[^{}]{0,200}?\"value\"|concealed[\"']?)\s{0,4}:\s{0,4}"
    r"(?P<mark>[\"'])(?P<field>(?:(?!(?P=mark))[^\\\n]){3,256})(?P=mark)"
)
_MAX_TAG, _TAG_OF_HTML = 200, r"(?i)(?:button|label|a|option|input|span|t[dhr]|p|div|h[1-6]|li|script|style|select)\b"


def _wifi_password(match: re.Match[str]) -> Location:
    start = match.end()
    field = compiled(_WIFI_FIELD).search(match.string[start : start + _MAX_QR_CODE].partition("\n")[0])
    if field is None or is_placeholder(field["secret"]):
        return None
    return start + field.start("secret"), start + field.end("secret")


def _user_list_passwords(match: re.Match[str], limit: int) -> Places:
    """Yield the second string of each line that is two strings, near the name of such a list."""
    text, start = match.string, match.end()
    if match[0].endswith("Module") or match[0].startswith("user_"):
        start = match.start()
        for user_entry in compiled(_LOGIN_MODULE_USER).finditer(text, start, min(start + _MAX_LIST, limit)):
            yield user_entry.span("secret")
        return
    if '"' in match[0]:  # a line of the list itself
        start = max(0, match.start() - _MAX_LIST_BEFORE)
    for line in text[start : min(match.end() + _MAX_LIST, limit)].splitlines(keepends=True):
        if user := compiled(_USER_LINE).match(line.rstrip("\n")):
            yield start + user.start("secret"), start + user.end("secret")
        start += len(line)


def _exported(match: re.Match[str]) -> Location:
    """Locate the value of a field in the export of a password manager, unless it is a text about one."""
    tag = match.string[max(0, match.start() - _MAX_TAG) : match.start()].rpartition("<")[2]
    group = "value" if match["value"] else "field"
    words = match[group].split()
    is_text = is_elsewhere(match[group]) or all(map(is_remark_word, words)) or compiled(_TAG_OF_HTML).match(tag)
    return None if is_text or (match["pin"] and not match[group].isdigit()) else match.span(group)


def _device_or_login(match: re.Match[str]) -> Location:
    group = match.lastgroup or "device"
    value = match[group]
    is_secret = group == "parameter" or (is_strong(value) and not is_slug(value))
    return match.span(group) if is_secret and not is_placeholder(value) else None


RULES = (
    Rule(
        kind="password",
        anchors=('type="', "type='", 'kind="', "kind='", "protectinmemory=", '"type"', "concealed"),
        fold=True,
        pattern=_EXPORTED,
        locate=_exported,
        source="https://developer.1password.com/docs/cli/item-fields",
        samples=(
            '<field name="Password" type="password" score="4" autofill="current-password">«gravelpond»</field>',
            '<Value ProtectInMemory="True">«gravel pond»</Value>',
            '<field name="PIN" type="pin">«4821»</field>',
            'value: { concealed: "«gravelpond»" }',
            '{"id": "password", "type": "CONCEALED", "label": "login", "value": "«gravelpond»"}',
        ),
        near=(
            '<button type="secret">Unlock</button>',
            '<field name="map" type="pin">drop</field>',
            '<field type="password">{{ user.password }}</field>',
            '{"type": "CONCEALED", "label": "password"}',
        ),
    ),
    # The token of a device of ThingsBoard is its only credential. In a JSON-RPC call that logs in, the last parameter.
    Rule(
        kind="secret",
        anchors=("/telemetry", "/attributes", "/rpc", "/claim", '"params"'),
        scan=True,
        pattern=(
            r"/api/v1/(?P<device>[A-Za-z0-9_-]{12,64})/(?:telemetry|attributes|rpc|claim)(?![\w-])"
            r"|\"method\"\s{0,4}:\s{0,4}\"[\w.]{0,40}(?:login|auth|token|api_?key)\w{0,40}\",\s{0,20}"
            r"\"params\"\s{0,4}:\s{0,4}\[\s{0,20}(?:\"[^\"\n]{0,80}\",\s{0,20})?"
            r"\"(?P<parameter>[^\"\n]{4,256})\"\s{0,20}\]"
        ),
        locate=_device_or_login,
        source="https://thingsboard.io/docs/reference/http-api/",
        samples=(
            "https://thingsboard.cloud/api/v1/«{mixed 20}»/telemetry",
            "coap://tb1/api/v1/«{mixed 20}»/rpc",
            '{"method":"auth.login_with_api_key", "params":["«{mixed 40}»"]}',
            '{"method": "auth.login", "params": ["root", "«{password}»"]}',
        ),
        near=(
            "https://tb.example.org/api/v1/$ACCESS_TOKEN/telemetry",
            "https://a.example.org/api/v1/applications/rpc",
            '{"method":"auth.login", "params":["root", "<password>"]}',
            '{"method":"pool.query", "params":["{mixed 40}"]}',
        ),
    ),
    # In the state of Terraform, the result of a resource that generates a password.
    Rule(
        kind="password",
        anchors=('"random_password"',),
        pattern=r"\"random_password\"[^\x00]{1,600}?\"result\"[ ]?:[ ]?\"(?P<secret>[^\"\n]{4,256})\"",
        source="https://registry.terraform.io/providers/hashicorp/random/latest/docs/resources/password",
        samples=('{"type": "random_password", "instances": [{"attributes": {"result": "«{mixed 16}»"}}]}',),
        near=('{"type": "random_pet", "instances": [{"attributes": {"result": "brave-otter"}}]}',),
    ),
    Rule(
        kind="password",
        anchors=("wifi:",),
        fold=True,
        pattern=r"(?i:wifi:)(?=[A-Z]{1,2}:)",
        locate=_wifi_password,
        source="https://github.com/zxing/zxing/wiki/Barcode-Contents#wi-fi-network-config-android-ios-11",
        samples=(
            "WIFI:T:WPA;S:Guests;P:«{words}-41»;;",
            "WIFI:T:WPA;S:Lakeview;P:«gravel-pond»;;",
            "scan WIFI:S:Guests;T:WPA2;P:«a\\;b{password}»;H:true;; at the door",
        ),
        near=("wifi: see the poster", "WIFI:T:nopass;S:Guests;;"),
    ),
    Rule(
        kind="recovery-code",
        anchors=("LPA:1$",),
        pattern=r"LPA:1\$[A-Za-z0-9.-]{1,128}\$(?P<secret>[A-Za-z0-9-]{4,128})",
        source="https://www.gsma.com/solutions-and-impact/technologies/esim/",
        samples=("LPA:1$rsp.example.com$«JQ-209U6H-6I82J5»",),
        near=("LPA:1$ is how it begins",),
    ),
    NearRule(
        kind="password",
        anchors=("loginmodule", "user_", "userlist", "pgbouncer", '" "md5', '" "scram-sha-256$'),
        pattern=rf"LoginModule|{_LAST_USERS}|(?i:userlist(?:\.txt)?|pgbouncer|\" \"md5|\" \"scram-sha-256\$)",
        around=_user_list_passwords,
        source="https://www.pgbouncer.org/config.html#authentication-file-format",
        samples=(
            'PlainLoginModule required\n  user_app="«{password}»";',
            'user_admin="«gravelpond»"\n  user_jo="k";\n};',
            'pgbouncer userlist.txt\n"app" "«{password}»"\n',
            '"ro" "«md5<hex:32>»"\n',
        ),
        near=('user_name="jo"\nuser_mail="a"\n', 'pgbouncer has "app" "ro" and others', 'userlist.txt\nname "app"\n'),
    ),
    # WordPress's keys may have spaces in them, so they end only at the quote.
    Rule(
        kind="secret",
        anchors=("define(", "define ("),
        pattern=(
            r"define[ ]?\([ ]{0,2}['\"](?:(?:SECURE_)?AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)['\"],[ ]{0,9}"
            r"(?P<quote>['\"])(?P<secret>[^\n]{16,128}?)(?P=quote)"
        ),
        locate=if_strong,
        source="https://api.wordpress.org/secret-key/1.1/salt/",
        samples=("define('AUTH_KEY',         '«{mixed 20}|{mixed 12}$ {mixed 12}»');",),
        near=("define('AUTH_KEY', 'put your unique phrase here');",),
    ),
    Rule(
        kind="password",
        anchors=("basic_auth", "basicauth", "basic-auth", "basic.auth"),
        fold=True,
        pattern=(
            r"(?i:basic[._-]?auth)(?:[._-]?(?i:user[._-]?info|users?|credentials?|creds))?"
            r"[\"']?[ ]?[:=][ ]?[\"']?[\w.@+-]{1,64}:(?P<secret>[^\s\"'`,;:/${}<>()\[\]][^\s\"'`,;]{3,127})"
        ),
        locate=unless_placeholder,
        source="https://www.rfc-editor.org/rfc/rfc7617",
        samples=(
            'BASIC_AUTH="jo:«{password}»"',
            "basic-auth: jo:«{password}»",
            "schema.registry.basic.auth.user.info=jo:«{password}»",
        ),
        near=("BASIC_AUTH=jo:$PASSWORD", "basic_auth: true", "basicAuth: https://example.org/a"),
    ),
)
