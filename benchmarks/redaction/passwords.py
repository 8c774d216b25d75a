"""Passwords as people choose them, and the sentences and settings in which development looks for them."""

from __future__ import annotations

import random
import string
from collections.abc import Callable

from redaction.samples import ALNUM, made_of, picked

_WORDS = (
    *("summer", "dragon", "coffee", "monkey", "garden", "orange", "falcon", "silver", "marble", "pirate", "rocket"),
    *("winter", "tiger", "castle", "puzzle", "wizard", "shadow", "bridge", "copper", "velvet", "harbor", "meadow"),
)
_SYMBOLS = "!@#$%&*?+-_."


def _capitalised(rng: random.Random) -> str:
    return picked(rng, _WORDS).capitalize() + made_of(rng, string.digits, rng.choice((1, 2, 4))) + rng.choice("!?#$")


def _leet(rng: random.Random) -> str:
    word = picked(rng, _WORDS).translate(str.maketrans("aeiost", "@310$7"))
    return word + made_of(rng, string.digits, 2)


def _generated(rng: random.Random) -> str:
    return rng.choice(ALNUM) + made_of(rng, ALNUM + "!@#%^*_-", rng.choice((10, 14, 18))) + rng.choice(ALNUM)


def _alphanumeric(rng: random.Random) -> str:
    return picked(rng, string.ascii_letters, string.digits, string.ascii_lowercase) + made_of(rng, ALNUM, 7)


def _hyphenated(rng: random.Random) -> str:
    return "-".join(picked(rng, _WORDS) for _ in range(4))


def _word_and_number(rng: random.Random) -> str:
    return picked(rng, _WORDS) + made_of(rng, string.digits, rng.choice((1, 3)))


def _word(rng: random.Random) -> str:
    return picked(rng, _WORDS)


def _digits(rng: random.Random) -> str:
    return made_of(rng, string.digits, rng.choice((4, 6, 8)))


MAKERS: dict[str, Callable[[random.Random], str]] = {
    "capitalised": _capitalised,
    "leet": _leet,
    "generated": _generated,
    "alphanumeric": _alphanumeric,
    "hyphenated": _hyphenated,
    "word and number": _word_and_number,
    "word": _word,
    "digits": _digits,
}

PROSE = {
    "is": "The database password is {}.",
    "my": "my password is {} and my user is jo",
    "for": "The password for the staging server is {}, ask Mo for access.",
    "of": "Password of root on web01: {}",
    "label": "Password: {}",
    "bold label": "- **Password:** {}\n",
    "code": "The admin password is `{}`.",
    "quotes": 'The wifi password is "{}".',
    "set to": "I have set the password to {} for now.",
    "changed": "Password was changed to {} on Monday.",
    "use": "Use {} as the password.",
    "with": "Log in with user admin and password {}.",
    "slash": "login: bob / {}",
    "credentials": "credentials: admin:{}",
    "credentials of": "The credentials for the dashboard are admin / {}.",
    "user pass": "user: admin, pass: {}",
    "username password": "Username: admin\nPassword: {}\n",
    "id pw": "id/pw: admin/{}",
    "user slash password": "username/password = admin/{}",
    "pwd": "pwd={}",
    "pw": "pw: {}",
    "parenthesised": "root@10.0.0.7 (pw: {})",
    "passcode": "The passcode is {}.",
    "passphrase": "Use {} as the passphrase of the key.",
    "is the password": "{} is the password of the router.",
    "table": "| user | password |\n|---|---|\n| admin | {} |\n",
    "table row": "| password | {} |\n",
    "arrow": "password -> {}",
    "dash": "password - {}",
    "new": "the new root password will be {}",
    "account": "Log in as admin with {}.",
    "secret": "the client secret is {}",
    "german": "Das Passwort lautet {}.",
    "german label": "Benutzer: admin, Kennwort: {}",
    "french": "Le mot de passe est {}.",
    "french label": "mot de passe : {}",
    "spanish": "La contrase\u00f1a es {}.",
    "spanish label": "usuario: admin, contrase\u00f1a: {}",
    "italian": "la password \u00e8 {}",
    "portuguese": "A senha \u00e9 {}.",
    "dutch": "het wachtwoord is {}",
    "polish": "has\u0142o: {}",
    "russian": "\u043f\u0430\u0440\u043e\u043b\u044c: {}",
    "chinese": "\u5bc6\u7801\u662f{}\u3002",
    "japanese": "\u30d1\u30b9\u30ef\u30fc\u30c9: {}",
    "is until": "the guest password is {} until the end of the month",
    "was but": "the password was {} but that has changed",
    "in": "the password in the test lab is {} for all of them",
    "pwd of": "pwd of master is {}",
    "typo": "passowrd is {}",
    "initial": "Account name: jo, initial password: {} (must be changed)",
    "everywhere": "sudo password on every build host: {}",
    "reset to": "I reset the password for jo to {} this morning",
    "dashes": "ID - master / PASS - {}",
    "parts": "id(master)/pwd({})",
    "labels": "(ID)master/(PW){}",
    "tags": "<ID>master</ID> <PW>{}</PW>",
    "account with": "account: master (pw: {})",
    "address": "192.0.2.7 (master/{})",
    "address list": "192.0.2.7, master/{}",
    "address password": "root@192.0.2.7 password {}",
    "ssh mail": "ssh jo@192.0.2.7 mailto:jo@example.org, pw: {}",
    "is username": "master is the username and {} is the password",
    "id pw is": "ID/PW is master/{}",
    "id pw in brackets": "192.0.2.7 (ID/PW: master/{})",
    "id and pwd": "(ID&PWD): master/{}",
    "login info": "login info: user=jo pass={}",
    "zip": "I encrypted the archive with password {}",
    "wifi": "SSID: acme-guest / password: {}",
    "wifi network": "The WLAN is called acme, its password is {}.",
    "told": "Mo told me the password: {}",
    "typed": 'type "{}" when it asks for the password',
    "chat": "mo> pass is {}\njo> thanks",
    "possessive": "Jo's password is {}.",
    "plural": "The passwords are {} and nothing else.",
    "remember": "Remember: password {} for the printer",
    "it is": "What was the password? It is {}.",
    "step": "2. Enter the username admin and the password {}, then press OK.",
    "list": "* user: admin\n* password: {}\n* port: 22\n",
    "yaml note": "staging:\n  login: admin\n  pw: {}\n",
    "comment": "# password for the vault: {}\n",
    "todo": "TODO: remove hard-coded password ({})\n",
    "mail": "Username: jo@example.org\nPassword: {}\n\nPlease log in soon.\n",
    "german with": "Anmelden mit Benutzer admin und Passwort {}.",
    "french for": "le mot de passe pour le serveur est {}",
    "spanish of": "la contrase\u00f1a del servidor es: {}",
    "master key": "the master password for KeePass: {}",
    "heading": "**Password**\n\n`{}`\n",
    "korean": "\ube44\ubc00\ubc88\ud638\ub294 {} \uc785\ub2c8\ub2e4",
}

SETTINGS = {
    "env": "DB_PASSWORD={}\n",
    "export": 'export PGPASSWORD="{}"\n',
    "yaml": "database:\n  user: app\n  password: {}\n",
    "quoted yaml": "  password: '{}'\n",
    "json": '{{"user": "jo", "password": "{}", "port": 1}}',
    "escaped json": '"{{\\"password\\": \\"{}\\"}}"',
    "toml": 'password = "{}"\n',
    "ini": "[db]\npassword = {}\n",
    "python": 'connect(user="jo", password="{}")\n',
    "javascript": "const dbPassword = '{}';\n",
    "go": 'dbPassword := "{}"\n',
    "java": 'String dbPassword = "{}";\n',
    "c sharp": 'var connection = "Server=x;User Id=sa;Password={};Database=y";\n',
    "ruby": ":password => '{}'\n",
    "php": "$config['password'] = '{}';\n",
    "terraform": 'resource "x" "y" {{\n  master_password = "{}"\n}}\n',
    "properties": "spring.datasource.password={}\n",
    "xml": "<password>{}</password>",
    "attribute": '<user name="jo" password="{}"/>',
    "kubernetes": '- name: DB_PASSWORD\n  value: "{}"\n',
    "shell option": "mysqldump --user root --password={} db\n",
    "docker": "docker run -e MYSQL_ROOT_PASSWORD={} mysql\n",
    "sql": "ALTER USER jo WITH PASSWORD '{}';\n",
    "mysql": "CREATE USER 'jo'@'%' IDENTIFIED BY '{}';\n",
    "sshpass": "sshpass -p '{}' ssh root@10.0.0.7\n",
    "mysql short option": "mysql -u root -p{} app\n",
    "curl user": "curl -u admin:{} https://example.org\n",
    "netrc": "machine example.org login jo password {}\n",
    "query": "https://example.org/login?user=jo&password={}&next=a",
    "default": 'os.environ.get("DB_PASSWORD", "{}")\n',
    "compare": 'if password == "{}":\n',
    "log": "2026-03-04 05:06:07 DEBUG login user=jo password={} ok\n",
    "htpasswd": "htpasswd -b -c .htpasswd jo {}\n",
}
