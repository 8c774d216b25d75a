"""Passwords that are an option or an argument of a program, whatever they look like: `PROGRAMS` is the table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from s3memory.redaction.rules.reading.judging import is_remark_word
from s3memory.redaction.rules.reading.literals import Literal, literal_at, to_end_of_secret
from s3memory.redaction.rules.reading.near import NearRule, Places, line_start
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_elsewhere, is_strong
from s3memory.redaction.text.word_lists import word_set

# A row has programs, words that have to be on the line as well, and after the colon the syntaxes, separated by "|".
# "*" is the password, "_" any argument, "…" the rest of an argument, and "^" the end of the program's name. "~" marks a
# letter that may mean something else: the password has to look like one, or an option has to name a user. "<" marks a
# program that reads the password from a pipe, after "<<<", or from "<(echo v)"; "<-" one that only reads from a pipe.
PROGRAMS = """
ssh-keygen: -N * | -P *
sshpass: -p * | -p*
docker,podman,nerdctl,helm,az,oc,skopeo,fortclient login: ~-p *
rabbitmqctl: add_user _ * | change_password _ * | authenticate_user _ * | hash_password *
hydra,medusa,ncrack,crackmapexec,cme,netexec,nxc: -p *
mysql,mysqldump,mysqlimport,mysqlshow,mysqlcheck,mysqlbinlog,mariadb,mariadb-admin,mariadb-dump: ~-p*
mysqladmin: ~-p* | password *
mongo,mongosh,mongodump,mongorestore,mongoimport,mongoexport,mongostat,mongotop,mongofiles: ~-p *
wpa_passphrase: ^ _ *
radtest: ^ _ * | ^ _ _ _ _ *
redis-cli: -a * | auth * | AUTH *
ldapsearch,ldapadd,ldapmodify,ldapdelete,ldapwhoami,ldapcompare,ldapmodrdn: -w *
ldappasswd: -w * | -s * | -a *
zip,unzip,zipcloak,zipnote: -P *
sqlcmd,osql,bcp,ipmitool,mosquitto_pub,mosquitto_sub,mosquitto_rr: -P *
evil-winrm,hdbsql,rabbitmqadmin,racadm,cqlsh,rdesktop,ncftpput,ncftpget,ncftp,mcrcon,rcon,twine,youtube-dl,yt-dlp: -p *
snmpwalk,snmpbulkwalk,snmpget,snmpbulkget,snmpgetnext,snmpset,snmptable,snmptrap,snmpinform,snmptest: -c * | -A * | -X *
psexec,psexec64,paexec -u: -p *
plink,pscp,psftp,putty,kitty: -pw *
addprinc,add_principal,cpw,manage-bde: -pw *
schtasks: /rp * | /RP *
signtool sign: /p *
samba-tool user: create _ * | add _ *
mosquitto_passwd,htpasswd: -…b… _ _ *
htpasswd: -nb _ * | -bn _ * | -nbB _ * | -bnB _ *
rootpw: --plaintext *
lftp: -u _,*
7z,7za,7zr,7zz: ~-p*
rar,unrar: ~-p* | ~-hp*
openssl enc: ~-k *
openssl: passwd * | passwd -… *
net: user _ *
net use /user:…: \\\\… * | /user:… *
rasdial: ^ _ _ *
security unlock-keychain: -p *
security create-keychain: -p *
security import: -P *
security add-generic-password: -w *
security add-internet-password: -w *
steamcmd: +login _ *
db2 connect: using *
virsh: secret-set-value _ *
rclone: obscure *
poetry config: http-basic.… _ *
networksetup: -setairportnetwork _ _ *
mc alias: set _ _ _ *
bw: login _ * | unlock *
aws secretsmanager: --secret-string *
aws ssm SecureString: --value *
az keyvault: --value *
qpdf: --encrypt * | --encrypt _ *
pdftk: user_pw * | owner_pw *
grafana-cli: reset-admin-password *
drush: user:password _ *
kinit,vncpasswd,smbpasswd,cryptsetup,openconnect,hdiutil,su,rsync,vncviewer,wg,realm,keepassxc-cli: <
sudo -S: <
passwd --stdin: <
gpg,gpg2 --passphrase-fd…: <
docker,podman,nerdctl,helm,crane,skopeo,oras,buildah,regctl,cosign --password-stdin: <
docker,podman secret create: <
gcloud secrets: <
gh,wrangler,doppler,supabase secret…: <-
firebase functions:secrets:set: <-
pulumi config set: <-
vercel env add: <-
pass insert: <
"""

_SPACE, _REST_OF_COMMAND = r"(?:[ \t]{1,3}|[ \t]{0,3}\\\r?\n[ \t]{0,16})", r"(?:\\\r?\n|[^\n|;&]){0,400}"
_ARGUMENT = r"(?:-\S{1,30}[ ]{1,3}){0,3}(?:\"[^\"\n]{1,64}\"|'[^'\n]{1,64}'|[^\s\"'-][^\s,]{0,127})"
_REST_OF_ARGUMENT = r"\S{0,120}"
_USER_BEFORE = r"[\"']?[\w.@-]{1,64}"
_OPTION_OF_USER = r"[ ](?:-[uUlD]|--user(?:name)?)(?:=|[ ]{0,3})[^\s-]"
_PORT = r"[0-9]{2,5}|\S{0,60}:[0-9]\S*"
_HERE_STRING = r"<<<[ ]?(?=\S)|<\([ ]?(?:echo|printf)[ ](?:-\w{1,3}[ ])?(?=\S)"
_PIPED_ECHO = (
    r"(?:echo|printf)[ ](?:-\w{1,3}[ ])?(?=(?:\"[^\"\n]{1,128}\"|'[^'\n]{1,128}'|[^\s\"'|]{1,128})[ ]{0,3}"
    r"\|[ ]{0,3}(?:sudo[ ](?:-\w{1,8}[ ]){0,3})?(?:/[\w./-]{0,40}/)?\Z)"
)
_MAX_PIPE, _NEVER = 200, r"(?!)"
_OPTION = r"-|\+[a-z]|/[A-Za-z]+(?::|\Z)|[\w./~-]{1,100}\.(?:txt|lst)\Z"  # or a list of passwords to try
_MIN_LENGTH = 3
# Words that follow an option in a sentence: "zip -P for a password".
_PROSE_WORDS = word_set(
    "and or for to with is are as of in on at from by the a an if when where which that this it its can may must "
    "should will was were has have not no only instead option options flag flags switch argument arguments parameter "
    "value values takes asks sets means needs expects reads prompts works public private"
)


class _Syntax(NamedTuple):
    """One syntax by which a program takes a password.

    Attributes:
        words: Patterns of the words that have to be on the line.
        before: The pattern of what stands before the password.
        is_first: That stands right after the name of the program.
        is_read: The program reads the password from a pipe or a string.
        is_doubtful: The option may mean something else.
    """

    words: tuple[str, ...]
    before: str
    is_first: bool
    is_read: bool
    is_doubtful: bool


def _syntaxes() -> dict[str, list[_Syntax]]:
    """Parse `PROGRAMS`: return the syntaxes of each program."""
    syntaxes: dict[str, list[_Syntax]] = {}
    for row in PROGRAMS.strip().splitlines():
        command, _, templates = row.partition(": ")
        programs, *words = command.split()
        for template in templates.split(" | "):
            is_read = template.startswith("<")
            before = {"<": _HERE_STRING, "<-": _NEVER}.get(template) or _prefix_pattern(template.lstrip("^~"))
            parsed = _Syntax(
                tuple(map(_spelled, words)), before, template.startswith("^"), is_read, template.startswith("~")
            )
            for program in programs.split(","):
                syntaxes.setdefault(program, []).append(parsed)
    return syntaxes


def _spelled(part: str) -> str:
    """Return the pattern of one word of a row, in which "_" is any argument and "…" the rest of one."""
    return _ARGUMENT if part == "_" else _REST_OF_ARGUMENT.join(map(re.escape, part.split("…")))


def _prefix_pattern(template: str) -> str:
    """Return the pattern of what stands before the password in a template, with the space or sign in between."""
    *parts, last = template.split()
    glue = _spelled(last.removesuffix("*").removeprefix("_"))
    if last.startswith("_"):
        glue = _USER_BEFORE + glue
    is_option = len(parts) == 1 and parts[0].startswith("--")
    behind = (rf"(?:=|{_SPACE})" if is_option else _SPACE) if parts else ""
    return rf"(?<![^\s\"'`]){_SPACE.join(map(_spelled, parts))}{behind}{glue}(?=\S)"


_SYNTAXES = _syntaxes()


def _name(anchor: str) -> str:
    """Return the pattern of a program's name, but not where it is the name of a host: "-h mysql"."""
    return rf"(?<![\w.-])(?<!-h )(?<!--host[ =])(?<!etc/)(?<!openssl )(?i:{re.escape(anchor)}(?:\.exe)?)(?=\s|\Z)"


def _passwords_of(match: re.Match[str], limit: int) -> Places:
    """Yield the spans of the passwords that the command of a program passes to it."""
    text, end = match.string, match.end()
    stop = compiled(_REST_OF_COMMAND).match(text, end, limit).end()  # type: ignore[union-attr]  # it may be empty
    has_user = compiled(_OPTION_OF_USER).search(text, end, stop) is not None
    program = match[0].lower().removesuffix(".exe")
    for syntax in _SYNTAXES[program]:
        if all(compiled(rf"(?<!\S){word}(?!\S)").search(text, end, stop) for word in syntax.words):
            for start in _value_starts(match, syntax, stop):
                value = literal_at(text, start, is_setting=True)
                is_separate = text[start - 1].isspace()
                if not value or text.startswith("}", value.span[1]):
                    continue
                if _is_password(value, syntax, has_user=has_user, is_separate=is_separate):
                    yield to_end_of_secret(text, value.span)


def _value_starts(program: re.Match[str], syntax: _Syntax, stop: int) -> Iterator[int]:
    """Yield where the values start that a command passes in one syntax."""
    text, start, end = program.string, *program.span()
    if syntax.is_first:
        found = compiled(_SPACE + syntax.before).match(text, end, stop)
        if found and found[0].split()[0] not in _PROSE_WORDS:
            yield found.end()
        return
    yield from (found.end() for found in compiled(syntax.before).finditer(text, end, stop))
    if syntax.is_read:
        line = line_start(text, start, _MAX_PIPE)
        piped = compiled(_PIPED_ECHO).search(text, line, start)
        yield from (piped.end(),) if piped else ()


def _is_password(value: Literal, syntax: _Syntax, *, has_user: bool, is_separate: bool) -> bool:
    """Whether a value passed to a program is its password, and no option, placeholder or prose."""
    text = value.text
    is_option = is_separate and not value.is_quoted and compiled(_OPTION).match(text) is not None
    if len(text) < _MIN_LENGTH or is_elsewhere(text) or is_option:
        return False
    if syntax.is_doubtful and (compiled(_PORT).fullmatch(text) or not (has_user or is_strong(text))):
        return False
    return value.is_quoted or not (text.lower() in _PROSE_WORDS or is_remark_word(text))


RULES = (
    NearRule(
        kind="password",
        anchors=tuple(_SYNTAXES),
        pattern=_name,
        around=_passwords_of,
        source="https://man7.org/linux/man-pages/dir_section_1.html",
        samples=(
            "ssh-keygen -t ed25519 -N '«{password}»' -f id",
            "sshpass -p «{password}» ssh bob@db1",
            "rabbitmqctl add_user app «{password}»",
            "rabbitmqctl hash_password «gravelpond»",
            "hydra -l root -p «gravel» ssh://db1",
            "docker login -u bob -p «{password}» registry.example.org",
            "mysql -u bob -p«{password}» shop",
            "mysql -h db2 -u bob -p«-gravel#Pond» shop",
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
            "mosquitto_sub -h db1 -u app -P «Gravelpond» -t a",
            "rabbitmqadmin -u app -p «gravel_pond» list queues",
            "snmpwalk -v2c -c «gravelpond» 10.0.0.1 sysUpTime",
            "7z x -p«{password}» a.7z",
            "wpa_passphrase Attic «12345678»",
            "openssl enc -aes-256-cbc -k «{password}» -in a",
            "mongodump --host db1 -u bob -p «{password}» --out a",
            "htpasswd -b /etc/htpasswd bob «{password}»",
            "net user bob «{password}» /add",
            "net use Z: \\\\nas\\media «{password}» /user:bob /persistent:yes",
            "net use \\\\nas\\media /user:bob «{password}»",
            'rasdial "Office" bob «Gravelpond»',
            "kinit jo <<< «gravelpond»",
            "rsync --password-file=<(echo «gravelpond») a b",
            "echo '«{password}»' | docker login -u bob --password-stdin",
            "echo '«{password}»' | sudo -S apt update",
            "printf '«gravelpond»' | docker secret create db -",
            "aws ssm put-parameter --type SecureString \\\n  --value «gravelpond»",
        ),
        near=(
            *("ssh-keygen -t ed25519 -N '' -f id", 'ssh-keygen -N "$PASSPHRASE" -f id'),
            *("sshpass -e ssh bob@db1", "sshpass -p $SSH_PASSWORD ssh bob@db1"),
            *("rabbitmqctl add_user app $PASSWORD", "rabbitmqctl list_users", "nxc smb db1 -u jo -p words.txt"),
            *("docker login -u bob -p $TOKEN registry.example.org", "docker login -u bob --password-stdin"),
            *("mysql -u bob -p shop", "mysql -u bob -p$DB_PASSWORD shop"),
            *("redis-cli -a $PASSWORD ping", "ldapsearch -x -D cn=admin -W -b dc=acme", "unzip -P <password> a.zip"),
            *("psexec \\\\srv01 -u jo -p %PASSWORD% cmd", "psexec has -u and -p for users"),
            *("mosquitto_sub -p 1883 -t a", "snmpwalk -v2c -c public 10.0.0.1 sysUpTime"),
            *("wpa_passphrase <ssid> <passphrase>", "wpa_passphrase {network ssid} {passphrase}"),
            *("wpa_passphrase SSID PASSPHRASE", "use wpa_passphrase and copy the psk"),
            *("7z x -p$PASSWORD a.7z", "7z x -path a.7z", "openssl enc -aes-256-cbc -kfile a"),
            "docker run --name mongo -u 1000 -p 27017:27017 -d mongo",
            *("htpasswd -c /etc/htpasswd bob", "net user bob /delete", "rasdial Office /disconnect"),
            "net use Z: \\\\nas\\media /user:bob /persistent:yes",
            *(
                'echo "$PASSWORD" | docker login -u bob --password-stdin',
                "echo done | tee a; docker login --password-stdin",
            ),
            *("echo $PASSWORD | sudo -S apt update", "echo $(cat a) | docker secret create db -"),
            *("use zip -P for a password", "sshpass -p option is insecure"),
        ),
    ),
)
