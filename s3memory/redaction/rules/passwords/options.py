"""Passwords that are the value of a program's option, or its argument: a letter or a place is all that names them."""

from __future__ import annotations

import re
from functools import partial

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.reading.judging import is_mixed
from s3memory.redaction.rules.reading.literals import Literal, literal_at, to_its_end
from s3memory.redaction.rules.reading.near import NearRule, Places, line_around
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_locator, is_placeholder, is_strong
from s3memory.redaction.text.wording import is_gibberish

_COMMAND = r"[^\n|;&]{0,200}?"
_VALUE = r"(?=[\"'A-Za-z0-9!-~])"
_NO_PROSE = r"(?!(?:and|or|for|to|with|is|are|as|of)[ ])"
_LEAST = 3
_OPTION_OF_USER = r"(?<!\S)(?:-[uUlD]|--user(?:name)?)(?:=|[ ]{1,3})[^\s-]\S{0,63}"
_OPTION_BESIDE = r"(?<!\S)-(?:p|P|pw|w|A|X|passw?d?|password)[ ]{1,3}(?=[\"'A-Za-z0-9!#%&*+@^])"
_SOURCE_OF_OPTIONS = "https://learn.microsoft.com/sql/tools/sqlcmd/sqlcmd-utility"
_LONGEST_COMMAND, _LEAST_OF_OPTION = 200, 6


def _value_at(text: str, position: int, least: int) -> Literal | None:
    """Return the value at `position`, unless it is shorter or stands for one that is elsewhere."""
    value = literal_at(text, position, is_setting=True)
    is_elsewhere = value is None or len(value.text) < least or is_placeholder(value.text) or is_locator(value.text)
    return None if is_elsewhere else value


def _option(match: re.Match[str]) -> Location:
    value = _value_at(match.string, match.end(), _LEAST)
    return None if value is None or value.text.startswith("-") else to_its_end(match.string, value.span)


def _strong_option(match: re.Match[str]) -> Location:
    """Return a value glued to its option, where it may be the rest of a longer option's name."""
    value = literal_at(match.string, match.end(), is_setting=True)
    is_password = value is not None and (is_strong(value.text) or " -u" in match[0] or "--user" in match[0])
    return _option(match) if is_password else None


def _options_of_a_user(match: re.Match[str], limit: int) -> Places:
    """Yield what is behind the options of a command, of which another one names a user, and looks like a password."""
    text = match.string
    start, end = line_around(text, *match.span(), _LONGEST_COMMAND)
    for option in compiled(_OPTION_BESIDE).finditer(text, start, min(limit, end)):
        value = _value_at(text, option.end(), _LEAST_OF_OPTION)
        if value and (is_mixed(value.text) or is_gibberish(value.text)):
            yield to_its_end(text, value.span)


def _listed_option(match: re.Match[str]) -> Location:
    secret = match["secret"]
    return None if is_placeholder(secret) or is_locator(secret) or secret.startswith("-") else match.span("secret")


def _batch_option(match: re.Match[str]) -> Location:
    return _option(match) if compiled(r" -[A-Za-z]{0,5}b").search(match[0]) else None


_option_rule = partial(Rule, kind="password", locate=_option)

RULES = (
    # An option and its value as two items of a list, as containers and subprocesses are started.
    Rule(
        kind="password",
        anchors=('"--', "'--"),
        pattern=(
            r"(?P<quote>[\"'])--[\w-]{0,30}?(?i:pass(?:word|wd|phrase)?|pwd|token|secret|api-?key)(?P=quote),\s{0,20}"
            r"(?P=quote)(?P<secret>[^\"'\s]{4,200})(?P=quote)"
        ),
        locate=_listed_option,
        source=_SOURCE_OF_OPTIONS,
        samples=('["redis-server", "--requirepass", "«{password}»"]', "run(['x', '--api-key', '«{password}»'])"),
        near=('["redis-server", "--requirepass", "$PASSWORD"]', '["--no-password", "--verbose"]'),
    ),
    # Of sqlcmd, mosquitto_pub, ipmitool, snmpwalk, plink and all others that name a user by an option as well.
    NearRule(
        kind="password",
        anchors=(" -u", " -l ", " -d ", "--user"),
        pattern=rf"[ ]?{_OPTION_OF_USER}",
        around=_options_of_a_user,
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
    # Programs of which this option, or this argument, is the password: https://man7.org/linux/man-pages/man1/sshpass.1.html,
    # https://www.rabbitmq.com/docs/man/rabbitmqctl.8 and https://docs.docker.com/reference/cli/docker/login as well.
    _option_rule(
        anchors=(
            *("ssh-keygen ", "sshpass", "rabbitmqctl "),
            *("docker login", "podman login", "helm registry login", "az login", "oc login", "az acr login"),
        ),
        pattern=(
            rf"(?:ssh-keygen[ ]{_COMMAND}(?<=[ ])-[NP][ ]{{1,3}}{_VALUE}"
            rf"|sshpass[ ]{{1,3}}{_COMMAND}-p[ ]{{0,3}}{_VALUE}"
            r"|rabbitmqctl[ ](?:-[\w-]{1,20}(?:[ =]\S{1,64})?[ ]){0,2}(?:add_user|change_password|authenticate_user)"
            rf"[ ][^\s-]\S{{0,63}}[ ]{_VALUE}"
            rf"|(?:docker|podman|helm registry|az acr|az|oc) login[ ]{_COMMAND}-p[ =]{{1,3}}{_VALUE})"
        ),
        source="https://man.openbsd.org/ssh-keygen",
        samples=(
            "ssh-keygen -t ed25519 -N '«{password}»' -f id",
            "sshpass -p «{password}» ssh bob@db1",
            "rabbitmqctl add_user app «{password}»",
            "docker login -u bob -p «{password}» registry.example.org",
        ),
        near=(
            *("ssh-keygen -t ed25519 -N '' -f id", 'ssh-keygen -N "$PASSPHRASE" -f id'),
            *("sshpass -e ssh bob@db1", "sshpass -p $SSH_PASSWORD ssh bob@db1"),
            *("rabbitmqctl add_user app $PASSWORD", "rabbitmqctl list_users"),
            *("docker login -u bob -p $TOKEN registry.example.org", "docker login -u bob --password-stdin"),
        ),
    ),
    # The password is glued to the option. "mysql -p app" asks for one and opens the database.
    Rule(
        kind="password",
        anchors=("mysql", "mariadb", "mysqladmin", "mysqldump"),
        pattern=(
            rf"(?:mysql|mariadb)(?:admin|dump|import|show)?[ ]{_COMMAND}(?<=[ ])-p"
            r"(?!assword|ort|rotocol|lugin|ath)(?=[\"'!-~])"
        ),
        locate=_strong_option,
        source="https://dev.mysql.com/doc/refman/en/connecting.html",
        samples=("mysql -u bob -p«{password}» shop",),
        near=("mysql -u bob -p shop", "mysql -u bob -p$DB_PASSWORD shop"),
    ),
    # What these take behind a short option is the password, and in none of them anything else.
    _option_rule(
        anchors=(
            *("redis-cli ", "ldap", "zip ", "hdbsql ", "lftp ", "schtasks ", "samba-tool user ", "mosquitto_passwd "),
            *("rootpw ", "kinit ", "vncpasswd ", "sqlcmd ", "osql ", "bcp ", "ipmitool ", "evil-winrm "),
            *("psexec", "PsExec", "PSEXEC", "paexec", "PAExec", "mosquitto_", "rabbitmqadmin ", "snmp"),
        ),
        pattern=(
            rf"(?:redis-cli[ ]{_COMMAND}(?<=[ ])-a"
            rf"|ldap(?:search|add|modify|delete|passwd|whoami|compare)[ ]{_COMMAND}(?<=[ ])-w"
            rf"|(?:zip|sqlcmd|osql|bcp|ipmitool|mosquitto_(?:pub|sub|rr))[ ]{_COMMAND}(?<=[ ])-P"
            rf"|snmp(?:(?:bulk)?(?:walk|get)|getnext|set|table|trap|inform|test)[ ]{_COMMAND}(?<=[ ])-[cAX]"
            r"(?![ ]{1,3}(?:public|private)\b)"
            rf"|(?:evil-winrm|hdbsql|rabbitmqadmin)[ ]{_COMMAND}(?<=[ ])-p)[ ]{{1,3}}{_VALUE}"
            rf"|(?i:(?:ps|pa)exec(?:64)?(?:\.exe)?)[ ]{_COMMAND}(?<=[ ])-u[ ]{_NO_PROSE}"
            rf"{_COMMAND}(?<=[ ])-p[ ]{{1,3}}{_NO_PROSE}{_VALUE}"
            rf"|schtasks[ ]{_COMMAND}(?<=[ ])/(?:rp|RP)[ ]|samba-tool user (?:create|add)[ ][\w.-]{{1,64}}[ ](?=[^\s-])"
            rf"|mosquitto_passwd[ ]-[a-z]*b[a-z]*[ ]\S{{1,128}}[ ]\S{{1,64}}[ ]|rootpw --plaintext[ ]"
            rf"|(?:kinit|vncpasswd)[ ]{_COMMAND}<<<[ ]?{_VALUE}"
            rf"|lftp[ ]{_COMMAND}(?<=[ ])(?:-u|open -u)[ ][\"']?[\w.@-]{{1,64}},"
        ),
        source="https://redis.io/docs/latest/develop/tools/cli/",
        samples=(
            "redis-cli -h cache -a «{password}» ping",
            "ldapsearch -x -D cn=admin,dc=acme -w «{password}» -b dc=acme",
            "unzip -P «{password}» a.zip",
            "sqlcmd -S db1 -U sa -P «{password}» -Q x",
            "ipmitool -I lanplus -H bmc1 -U jo -P «{password}» power on",
            "hdbsql -n db1:30015 -u SYSTEM -p «{password}» -I a.sql",
            "lftp -u 'upload,«{password}»' ftp.example.org",
            "schtasks /create /tn x /ru jo /rp «{password}»",
            "samba-tool user create jo «{password}»",
            "rootpw --plaintext «{password}»",
            "PSEXEC \\\\10.0.94.120 -u Administrator -p «dev_gravel» CMD /C ECHO",
            "PsExec64.exe \\\\srv01 -accepteula -u corp\\svc -p «{password}» cmd",
            "kinit jo <<< «{password}»",
            "mosquitto_sub -h db1 -u app -P «Gravelpond» -t a",
            "rabbitmqadmin -u app -p «gravel_pond» list queues",
            "snmpwalk -v2c -c «gravelpond» 10.0.0.1 sysUpTime",
        ),
        near=(
            *("redis-cli -a $PASSWORD ping", "ldapsearch -x -D cn=admin -W -b dc=acme", "unzip -P <password> a.zip"),
            *("psexec \\\\srv01 -u jo -p %PASSWORD% cmd", "psexec has -u and -p for users"),
            *("mosquitto_sub -p 1883 -t a", "snmpwalk -v2c -c public 10.0.0.1 sysUpTime"),
        ),
    ),
    # In containers' commands, "-p" behind "mongo" is a port.
    Rule(
        kind="password",
        anchors=("7z", "openssl enc", "mongo"),
        pattern=(
            rf"(?:7z[arz]?[ ]{_COMMAND}(?<=[ ])-p(?=[\"'!-~])"
            rf"|openssl enc[ ]{_COMMAND}(?<=[ ])-k[ ]{{1,3}}{_VALUE}"
            rf"|mongo(?:sh|dump|restore|import|export|stat|top|files)?[ ]{_COMMAND}(?<=[ ])-p[ ]{{1,3}}"
            rf"(?!\S{{0,60}}:[0-9]|[0-9]{{2,5}}(?:\s|\Z)){_VALUE})"
        ),
        locate=_strong_option,
        source="https://www.mongodb.com/docs/database-tools/mongodump/",
        samples=(
            "7z x -p«{password}» a.7z",
            "openssl enc -aes-256-cbc -k «{password}» -in a",
            "mongodump --host db1 -u bob -p «{password}» --out a",
        ),
        near=(
            "7z x -p$PASSWORD a.7z",
            "7z x -path a.7z",
            "openssl enc -aes-256-cbc -kfile a",
            "openssl enc -k $PASSWORD",
            "docker run --name mongo -u 1000 -p 27017:27017 -d mongo",
        ),
    ),
    Rule(
        kind="secret",
        anchors=("vault login",),
        pattern=r"vault login[ ](?:-[\w=-]{1,40}[ ]){0,4}(?=[A-Za-z0-9.]{16})",
        locate=_strong_option,
        source="https://developer.hashicorp.com/vault/docs/commands/login",
        samples=("vault login -no-print «<alnum:26>»",),
        near=("vault login -method=userpass", "vault login $VAULT_TOKEN", "vault login authenticationmethods"),
    ),
    # A user and a password as a pair, where a client's documentation wants one.
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
    # With -b the password is the last argument, or the one before a file of -n.
    Rule(
        kind="password",
        anchors=("htpasswd -",),
        pattern=r"htpasswd[ ]-[^\n|;&]{1,200}?[ ](?=[^\s-]\S{2,63}[ \t]{0,9}(?:\n|\Z))",
        locate=_batch_option,
        source="https://httpd.apache.org/docs/current/programs/htpasswd.html",
        samples=("htpasswd -b /etc/htpasswd bob «{password}»",),
        near=("htpasswd -c /etc/htpasswd bob",),
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
            r"(?:(?:src|dest)?(?:store|key)pass|requirepass|masterauth|bindpw|rootpw)[ \t]{1,3}"
            r"(?!(?:must|is|are|was|should|may|can|has|will)[ ])(?=[\"'!-~])"
        ),
        source="https://docs.oracle.com/en/java/javase/21/docs/specs/man/keytool.html",
        samples=("keytool -list -storepass «{password}»", "requirepass «{password}»"),
        near=("keytool -list -storepass $STOREPASS", "requirepass <password>"),
    ),
    _option_rule(
        anchors=("ConvertTo-SecureString", "ansible-vault "),
        pattern=(
            r"(?:ConvertTo-SecureString[ ]{1,3}(?:-(?:String|AsPlainText|Force)[ ]{1,3}){0,3}"
            r"|ansible-vault encrypt_string[ ]{1,3}(?:--?[\w-]{1,24}[ =][\w./@~-]{1,64}[ ]{1,3}){0,3})(?=[\"'])"
        ),
        source="https://learn.microsoft.com/powershell/module/microsoft.powershell.security/convertto-securestring",
        samples=(
            'ConvertTo-SecureString "«{password}»" -AsPlainText -Force',
            "ansible-vault encrypt_string --vault-id dev@prompt '«gravelpond»' --name db",
        ),
        near=(
            "ConvertTo-SecureString $plain -AsPlainText -Force",
            'ansible-vault encrypt_string "$PASSWORD" --name a',
        ),
    ),
    _option_rule(
        anchors=("net user ", "cmdkey ", "net use ", "rasdial "),
        pattern=(
            r"(?:net user[ ]\w{1,64}[ ](?=[^/\s])|cmdkey[ ][^\n]{0,120}?/pass:"
            r"|net use[ ][^\n]{0,120}?/user:\S{1,64}[ ](?=[^/\s])"
            r"|net use[ ](?:[A-Za-z*]:?[ ])?\\\\\S{1,120}[ ](?=[^/\s]\S{0,127}[ ][^\n]{0,40}/user:)"
            r"|rasdial[ ](?:\"[^\"\n]{1,64}\"|\w{1,64})[ ][\w.@\\-]{1,64}[ ](?=[^/\s]))"
        ),
        source="https://learn.microsoft.com/windows-server/administration/windows-commands/cmdkey",
        samples=(
            "net user bob «{password}» /add",
            "net use Z: \\\\nas\\media «{password}» /user:bob /persistent:yes",
            "net use \\\\nas\\media /user:bob «{password}»",
            'rasdial "Office" bob «Gravelpond»',
        ),
        near=(
            "net user bob /delete",
            "net use Z: \\\\nas\\media /user:bob /persistent:yes",
            "rasdial Office /disconnect",
        ),
    ),
)
