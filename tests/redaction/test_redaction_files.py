"""Secrets without a prefix in the files and dumps in which they stand: what is secret goes, and the file stays one.

«a» stands for a random value of so many kinds of characters; each is made once, and no provider's prefix marks it.
"""

from __future__ import annotations

import json
import re
import string

from support.for_each import for_each
from support.made_tokens import seeded

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
RNG = seeded("files")
ALNUM = string.ascii_letters + string.digits
MAKERS = {
    "token": lambda: "q" + "".join(RNG.choices(ALNUM, k=38)) + "7",
    "hex": lambda: "".join(RNG.choices("0123456789abcdef", k=40)),
    "base64": lambda: "".join(RNG.choices(ALNUM + "+/", k=43)) + "=",
    "password": lambda: "".join(RNG.choices(ALNUM, k=5)) + "7!k" + "".join(RNG.choices(ALNUM, k=4)),
    "urlsafe": lambda: "g" + "".join(RNG.choices(ALNUM + "-_", k=42)),
}

FILES = {
    "a token wrapped by a mail program": "api token: «token»\\\n«token»\nthanks\n",
    "a token wrapped in a note": "The access token is\n«token»\nand it lasts a week.\n",
    "a token on the line after its name in a list": "- deploy key\n  «token»\n- next\n",
    "a token with bold inside": "token: **«token»**\n",
    "a token in a code span in a table": "| name | token |\n|---|---|\n| ci | `«token»` |\n",
    "a token in a strike-through": "old api key ~~«token»~~\n",
    "a token in a footnote": "[^1]: api key «token»\n",
    "a literal block of YAML": "secret: |\n  «token»\nname: x\n",
    "a folded block of YAML": "api_token: >-\n  «token»\nname: x\n",
    "a tagged value of YAML": "password: !!str «password»\n",
    "an anchored value of YAML": "password: &pw «password»\nother: *pw\n",
    "a list of YAML": "tokens:\n  - «token»\n  - «hex»\n",
    "escapes of JSON": '{"log": "{\\"api_key\\": \\"«token»\\"}"}\n',
    "escapes of JSON in escapes": '"{\\"a\\": \\"{\\\\\\"secret\\\\\\": \\\\\\"«token»\\\\\\"}\\"}"\n',
    "lines of JSON": '{"user": "a", "password": "«password»"}\n{"user": "b", "password": "«password»"}\n',
    "a name and a value of JSON": '{"name": "API_TOKEN", "value": "«token»"}\n',
    "a key and a value of JSON": '{"key": "db_password", "value": "«password»"}\n',
    "headers of a HAR": '{"headers": [{"name": "X-Api-Key", "value": "«token»"}]}\n',
    "cookies of a HAR": '{"cookies": [{"name": "sessionid", "value": "«token»", "path": "/"}]}\n',
    "the posted parameters of a HAR": '{"params": [{"name": "password", "value": "«password»"}]}\n',
    "a dump of curl": "> GET /v1 HTTP/1.1\n> Host: example.org\n> X-Auth-Token: «token»\n> Accept: */*\n",
    "a cookie set in a dump of curl": "< HTTP/1.1 200 OK\n< Set-Cookie: sid=«urlsafe»; Path=/; HttpOnly\n",
    "a curl command over two lines": "curl -X POST https://example.org \\\n -H 'Authorization: Bearer «token»'\n",
    "a curl command with a form": "curl --data-urlencode 'client_secret=«token»' https://example.org\n",
    "a kubeconfig": "users:\n- name: admin\n  user:\n    token: «token»\n    client-key-data: «base64»\n",
    "a secret of Kubernetes": "kind: Secret\nstringData:\n  password: «password»\n",
    "a secret of Kubernetes, whatever its names": "data:\n  a: «base64»\n  .b: |\n    «base64»\nkind: Secret\n",
    "the environment of a container": 'env:\n  - name: DB_PASSWORD\n    value: "«password»"\n',
    "a docker config": '{"auths": {"registry.example": {"auth": "«base64»"}}}\n',
    "a docker config with an identity token": '{"auths": {"r.example": {"identitytoken": "«token»"}}}\n',
    "a compose file": (
        "services:\n  db:\n    environment:\n      - "
        "POSTGRES_PASSWORD=«password»\n      MYSQL_ROOT_PASSWORD: «password»\n"
    ),
    "a Dockerfile": "FROM x\nENV API_SECRET «token»\nARG NPM_TOKEN=«token»\n",
    "a .netrc": "machine example.org\n  login jo\n  password «password»\n",
    "a .netrc on one line": "machine example.org login jo password «token»\n",
    "a .pgpass": "db.example.org:5432:app:jo:«password»\n",
    "a .pgpass with wildcards": "*:*:*:postgres:«password»\n",
    "a .my.cnf": "[client]\nuser = jo\npassword = «password»\n",
    "a .npmrc": "//registry.example/:_authToken=«token»\n//registry.example/:_password=«base64»\n",
    "a .pypirc": "[pypi]\nusername = jo\npassword = «password»\n",
    "a .s3cfg": "[default]\naccess_key = x\nsecret_key = «base64»\n",
    "a .git-credentials": "https://jo:«token»@git.example.org\n",
    "the state of terraform": (
        '{"type": "random_password", "instances": [{"attributes": {"id": "none", "result": "«password»"}}]}\n'
    ),
    "an output of terraform": (
        '{"outputs": {"db_password": {"value": "«password»", "type": "string", "sensitive": true}}}\n'
    ),
    "variables of terraform": 'variable "db_password" {\n  type    = string\n  default = "«password»"\n}\n',
    "a tfvars file": 'api_token   = "«token»"\n',
    "values of Helm": 'redis:\n  auth:\n    password: «password»\n    existingSecret: ""\n',
    "a helm command": "helm install x --set auth.rootPassword=«password»,image.tag=1.2\n",
    "variables of Ansible": "vault_db_password: «password»\nansible_become_pass: «password»\n",
    "an inventory of Ansible": "web1 ansible_host=10.0.0.4 ansible_user=jo ansible_ssh_pass=«password»\n",
    "a workflow of GitHub": "env:\n  SIGNING_KEY: «token»\nsteps:\n  - run: deploy --token «token»\n",
    "a unit of systemd": '[Service]\nEnvironment="APP_SECRET=«token»"\nEnvironment=DB_PASS=«password»\n',
    "a credential of systemd": "SetCredential=db.password:«password»\n",
    "Java properties": "db.password = «password»\napp.security.jwt.secret: «token»\n",
    "properties with a continued line": "api.secret = \\\n    «token»\n",
    "a keystore of Java": 'keystorePass="«password»" server.ssl.key-store-password=«password»\n',
    "YAML of Spring": "spring:\n  datasource:\n    username: jo\n    password: «password»\n",
    "a default of Spring": "password: ${DB_PASSWORD:«password»}\n",
    "XML of Spring": '<property name="password" value="«password»"/>\n',
    "XML of Maven": "<server><id>r</id><username>jo</username><password>«password»</password></server>\n",
    "an app setting of .NET": '<add key="ApiSecret" value="«token»" />\n',
    "secrets of Rails": "production:\n  secret_key_base: «hex»\n",
    "a database of Rails": 'production:\n  adapter: pg\n  password: "«password»"\n',
    "settings of Django": (
        "SECRET_KEY = 'django-insecure-«token»'\nDATABASES = {'default': {'PASSWORD': '«password»'}}\n"
    ),
    "an environment of Laravel": "APP_KEY=base64:«base64»\nDB_PASSWORD=«password»\n",
    "a config of PHP": "define('DB_PASSWORD', '«password»');\ndefine('AUTH_KEY', '«token»');\n",
    "a config of WireGuard": (
        "[Interface]\nPrivateKey = «base64»\nAddress = 10.0.0.2/32\n[Peer]\nPresharedKey = «base64»\n"
    ),
    "a config of NetworkManager": "[wifi-security]\nkey-mgmt=wpa-psk\npsk=«password»\n",
    "a config of hostapd": "ssid=acme\nwpa_passphrase=«password»\n",
    "a config of rclone": "[remote]\ntype = s3\nsecret_access_key = «base64»\n",
    "a shell history": "  501  export API_TOKEN=«token»\n  502  ls\n",
    "a shell with set": "set -x SERVICE_SECRET «token»\nsetx API_KEY «token»\n",
    "PowerShell": '$env:API_KEY = "«token»"\n$p = ConvertTo-SecureString "«password»" -AsPlainText -Force\n',
    "a cookie of Laravel": "Cookie: laravel_session=«urlsafe»; XSRF-TOKEN=«urlsafe»\n",
    "a cookie of Rails": "Cookie: _myapp_session=«urlsafe»--«hex»\n",
    "a cookie of Express": "Cookie: connect.sid=s%3A«urlsafe».«token»\n",
    "a cookie of Flask": "Cookie: session=«urlsafe».aBcDeF.«urlsafe»\n",
    "a cookie of Django": "Cookie: sessionid=«token»; csrftoken=«token»\n",
    "a cookie of ASP.NET": "Cookie: .AspNetCore.Session=«urlsafe»; ASP.NET_SessionId=«token»; .ASPXAUTH=«hex»\n",
    "a cookie of PHP": "Cookie: PHPSESSID=«token»\n",
    "a cookie of Spring": "Cookie: JSESSIONID=«token»; SESSION=«token»\n",
    "a cookie of Next": "Cookie: __Secure-next-auth.session-token=«urlsafe»\n",
    "cookies of a browser": ".example.org\tTRUE\t/\tTRUE\t1790000000\tauth_token\t«token»\n",
    "SQL": "INSERT INTO users (name, password) VALUES ('jo', '«password»');\n",
    "a log": '2026-03-04T05:06:07Z level=debug msg="refresh" refresh_token=«token» user=jo\n',
    "a traceback": "requests.exceptions.HTTPError: 401 for url: https://example.org/a?access_token=«token»&x=1\n",
    "a diff": "-  apiKey: '«token»',\n+  apiKey: process.env.KEY,\n",
    "a CSV export": "name,login_uri,login_username,login_password\nshop,https://shop.example,jo,«password»\n",
    "an INI of AWS": "[default]\naws_secret_access_key = «base64»\naws_session_token = «base64»\n",
    "TOML of Cargo": '[registry]\ntoken = "«token»"\n',
    "a Makefile": "API_TOKEN ?= «token»\n",
    "Nix": 'services.x.passwordFile = null; services.x.password = "«password»";\n',
    "Gradle": "signing.password=«password»\nsystemProp.gradle.wrapperPassword=«password»\n",
    "a plist": "<key>apiToken</key>\n<string>«token»</string>\n",
    "a URL of JDBC": "jdbc:postgresql://db.example/app?user=jo&password=«password»\n",
    "a DSN of PDO": "'dsn' => 'mysql:host=x', 'username' => 'jo', 'password' => '«password»',\n",
    "a broker URL": "amqps://jo:«password»@mq.example:5671/app\n",
}

SPELLED_WITHOUT_ACCENTS = [
    "contrasena: «password»",
    "la contrasena del wifi es «password»",
    "cle API : «token»",
    "cle secrete : «token»",
    "API-Schluessel: «token»",
    "der geheime Schluessel lautet «token»",
    "haslo do bazy: «password»",
    "mat khau: «password»",
    "sifre: «password»",
    "losenord: «password»",
    "clave secreta: «token»",
]

DECORATED = [
    "2026-03-04 05:06:07 app[12]: {}",
    '"{}\\n" +',
    "# {}",
    "//   {}",
    "web_1  | {}",
    "    '{}',",
    "* {}",
    "> | {}",
]


def _made(template: str) -> tuple[str, list[str]]:
    """Return the text with random values in it, and these."""
    values: list[str] = []

    def value(found: re.Match[str]) -> str:
        values.append(MAKERS[found[1]]())
        return values[-1]

    return re.sub("«(\\w+)»", value, template), values


@for_each("name", FILES)
def test_what_is_secret_in_a_file_goes(name: str) -> None:
    text, values = _made(FILES[name])
    found = REDACTOR.redact(text).text
    assert [value for value in values if value in found] == [], found


@for_each("template", SPELLED_WITHOUT_ACCENTS)
def test_a_name_is_known_without_its_accents(template: str) -> None:
    text, (value,) = _made(template)
    assert value not in REDACTOR.redact(text).text


@for_each("decoration", DECORATED)
def test_a_private_key_goes_whatever_stands_before_and_behind_its_lines(decoration: str) -> None:
    body = ["".join(RNG.choices(ALNUM + "+/", k=64)) for _ in range(5)]
    lines = ["-----BEGIN PRIVATE KEY-----", *body, "-----END PRIVATE KEY-----"]
    found = REDACTOR.redact("before\n" + "\n".join(map(decoration.format, lines)) + "\nafter\n").text
    assert [line for line in body if line in found] == [], found
    assert found.startswith("before\n")
    assert found.endswith("after\n")


def test_a_token_goes_with_the_line_that_it_is_wrapped_to() -> None:
    token = MAKERS["token"]()
    for wrapped in (f"token: {token[:20]}\\\n{token[20:]}\n", f"token={token[:20]}\n  {token[20:]}\n"):
        found = REDACTOR.redact(wrapped).text
        assert token[:20] not in found
        assert token[20:] not in found


def test_a_token_goes_with_the_marks_of_markdown_in_it() -> None:
    token = MAKERS["token"]()
    found = REDACTOR.redact(f"token: **{token[:12]}**{token[12:]}\n").text
    assert token[:12] not in found
    assert token[12:] not in found


def test_json_stays_json() -> None:
    text, _ = _made('{"a": {"password": "«password»", "n": 1, "tokens": ["«token»"]}}')
    assert json.loads(REDACTOR.redact(text).text)["a"]["n"] == 1
