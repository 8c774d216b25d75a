"""Held-out passwords, sentences and settings, some shaped like the rows of public corpora; none is taken from one."""

from __future__ import annotations

import random
import string
from collections.abc import Callable

from redaction.samples import ALNUM, made_of, picked

_WORDS = (
    *("Autumn", "Berlin", "Chelsea", "Dakota", "Everest", "Florence", "Granite", "Hannover", "Icarus", "Jasper"),
    *("Kestrel", "Lantern", "Magnolia", "Nebula", "Octopus", "Panther", "Quartz", "Raven", "Saffron", "Thunder"),
)


def _year(rng: random.Random) -> str:
    return picked(rng, _WORDS) + rng.choice("@!_-") + str(rng.randint(1970, 2027))


def _mixed(rng: random.Random) -> str:
    letters = picked(rng, string.ascii_uppercase, string.ascii_lowercase, string.digits)
    return letters + made_of(rng, ALNUM, rng.choice((5, 7, 9)))


def _strong(rng: random.Random) -> str:
    return made_of(rng, ALNUM, 4) + rng.choice("!#$%^&*") + made_of(rng, ALNUM, 6) + rng.choice("!#$%^*")


def _substituted(rng: random.Random) -> str:
    return picked(rng, _WORDS).replace("a", "4").replace("e", "3").replace("o", "0") + rng.choice(("!", "99", "#1"))


def _two_words(rng: random.Random) -> str:
    return picked(rng, _WORDS) + picked(rng, _WORDS) + made_of(rng, string.digits, 2)


def _plain(rng: random.Random) -> str:
    return picked(rng, _WORDS).lower() + rng.choice(("", "123"))


MAKERS: dict[str, Callable[[random.Random], str]] = {
    "year": _year,
    "mixed": _mixed,
    "strong": _strong,
    "substituted": _substituted,
    "two words": _two_words,
    "plain": _plain,
}

PROSE = {
    "fyi": "FYI the Jenkins admin password is now {} until Friday",
    "vpn": "VPN pw is {}, don't share",
    "root": "root password on all the test boxes: {}",
    "login pair": "Login details \u2014 user: svc_report password: {}",
    "login with": "You can sign in with svc_report/{}.",
    "reset": "We reset Mo's password to {} yesterday.",
    "temporary": "Your temporary password: {} (change it after the first login)",
    "still": "the old passphrase was {} but it no longer works",
    "ftp": "For the FTP server use ftp_user and {} as password",
    "keep": "keep this safe: password = {}",
    "user is": "user is report, password is {}",
    "ip pair": "10.20.30.40 (admin/{})",
    "ip label": "10.20.30.40 ID/PW: admin/{}",
    "ssh": "ssh deploy@10.20.30.40 (password: {})",
    "equals slash": "ID/Password=admin/{}",
    "user pwd": "user/pwd: report/{}",
    "wifi": "Guest WiFi: AcmeGuest, password {}",
    "unlock": "unlock the archive with the password {}",
    "zip": "The zip is encrypted, pw: {}",
    "credentials list": "Credentials:\n- username: report\n- password: {}\n",
    "numbered": "1. Host: db1\n2. User: report\n3. Password: {}\n",
    "table": "| host | user | password |\n| --- | --- | --- |\n| db1 | report | {} |\n",
    "bold table": "| **Password** | `{}` |\n",
    "quoted": "My password is '{}'.",
    "bot": "Bot login is report:{}",
    "chat": "[10:42] jo: pass is {}\n[10:43] mo: thx",
    "mail": "Hi,\nplease find your credentials below.\nLogin: report\nPassword: {}\nRegards",
    "is it": "{} is the password for the NAS",
    "default": "Default credentials are report/{}.",
    "connect": "connect as report with the password {} on port 5432",
    "german": "Dein Kennwort ist {}, bitte \u00e4ndern.",
    "german set": "Ich habe das Passwort auf {} gesetzt.",
    "french": "Identifiant : report, mot de passe : {}",
    "spanish": "La clave de acceso es {}",
    "italian": "Password di accesso: {}",
    "portuguese": "usu\u00e1rio report senha {}",
    "japanese": "\u30d1\u30b9\u30ef\u30fc\u30c9\u306f{}\u3067\u3059",
    "korean": "\uacc4\uc815/\ube44\ubc88: report/{}",
    "chinese label": "\u7528\u6237\u540d\uff1areport \u5bc6\u7801\uff1a{}",
    "heading": "### Admin password\n\n`{}`\n",
}

SETTINGS = {
    "compose": 'environment:\n  - "POSTGRES_PASSWORD={}"\n',
    "helm": "auth:\n  adminPassword: {}\n",
    "helm set": "helm install x y --set auth.password={}\n",
    "rails": "production:\n  password: '{}'\n",
    "laravel": "MAIL_PASSWORD='{}'\n",
    "django": "DATABASES = {{'default': {{'PASSWORD': '{}'}}}}\n",
    "node": "const pool = new Pool({{ user: 'x', password: '{}' }});\n",
    "typescript": "private readonly password: string = '{}';\n",
    "kotlin": 'val dbPassword = "{}"\n',
    "rust": 'let password = "{}".to_string();\n',
    "swift": 'let password: String = "{}"\n',
    "scala": 'val password = "{}"\n',
    "perl": "my $password = '{}';\n",
    "powershell": '$securePassword = ConvertTo-SecureString "{}" -AsPlainText -Force\n',
    "jdbc": "jdbc:sqlserver://h:1433;databaseName=x;user=sa;password={};encrypt=true\n",
    "odbc": 'conn = "DRIVER=ODBC;UID=sa;PWD={}"\n',
    "spring": "spring:\n  datasource:\n    username: app\n    password: {}\n",
    "tomcat": '<user username="admin" password="{}" roles="manager-gui"/>\n',
    "maven": "<server><id>x</id><username>jo</username><password>{}</password></server>\n",
    "ansible": "ansible_ssh_pass: {}\n",
    "wpa": 'network={{\n  ssid="x"\n  psk="{}"\n}}\n',
    "wordpress": "define('DB_PASSWORD', '{}');\n",
    "redis": "requirepass {}\n",
    "openssl": "openssl rsa -passin pass:{} -in key.pem\n",
    "keytool": "keytool -list -storepass {}\n",
    "form": "curl -d 'username=jo&password={}' https://example.org/login\n",
    "snowflake": "snowsql -a x -u jo --password '{}'\n",
    "useradd": 'echo "jo:{}" | chpasswd\n',
    "oracle": "sqlplus system/{}@orcl\n",
    "grants": "GRANT ALL ON *.* TO 'jo'@'%' IDENTIFIED BY '{}';\n",
    "json pair": '[{{"name": "adminPassword", "value": "{}"}}]\n',
    "argument list": '["--user", "jo", "--password", "{}"]\n',
    "docker login": "docker login -u jo -p {} registry.example.org\n",
}
