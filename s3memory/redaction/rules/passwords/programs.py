"""Programs of which an option or an argument is a password, whatever that looks like: a row for each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from s3memory.redaction.rules.reading.judging import is_said
from s3memory.redaction.rules.reading.literals import Literal, literal_at, to_its_end
from s3memory.redaction.rules.reading.near import NearRule, Places
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_elsewhere, is_strong
from s3memory.redaction.text.word_lists import word_set

# Programs, the words that have to be on the line as well, and behind the colon what stands before the password, each
# way apart by "|". "*" is the password, "_" any argument, "…" the rest of one, and "^" the end of the program's name.
# Behind "~" the password has to look like one, or an option to name a user: the letter may mean another thing. With "<"
# the program reads it, from a pipe, a string behind "<<<", or what "<(echo ...)" prints; with "<-", from a pipe alone.
PROGRAMS = """
ssh-keygen: -N * | -P *
sshpass: -p * | -p*
docker,podman,nerdctl,helm,az,oc,skopeo,fortclient login: ~-p *
rabbitmqctl: add_user _ * | change_password _ * | authenticate_user _ *
mysql,mysqldump,mysqlimport,mysqlshow,mysqlcheck,mysqlbinlog,mariadb,mariadb-admin,mariadb-dump: ~-p*
mysqladmin: ~-p* | password *
mongo,mongosh,mongodump,mongorestore,mongoimport,mongoexport,mongostat,mongotop,mongofiles: ~-p *
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

_SPACE, _COMMAND = r"(?:[ \t]{1,3}|[ \t]{0,3}\\\r?\n[ \t]{0,16})", r"(?:\\\r?\n|[^\n|;&]){0,400}"
_ARGUMENT = r"(?:-\S{1,30}[ ]{1,3}){0,3}(?:\"[^\"\n]{1,64}\"|'[^'\n]{1,64}'|[^\s\"'-][^\s,]{0,127})"
_REST = r"\S{0,120}"
_USER_BEFORE = r"[\"']?[\w.@-]{1,64}"
_OPTION_OF_USER = r"[ ](?:-[uUlD]|--user(?:name)?)(?:=|[ ]{0,3})[^\s-]"
_PORT = r"[0-9]{2,5}|\S{0,60}:[0-9]\S*"
_IS_GIVEN = r"<<<[ ]?(?=\S)|<\([ ]?(?:echo|printf)[ ](?:-\w{1,3}[ ])?(?=\S)"
_IS_PIPED = (
    r"(?:echo|printf)[ ](?:-\w{1,3}[ ])?(?=(?:\"[^\"\n]{1,128}\"|'[^'\n]{1,128}'|[^\s\"'|]{1,128})[ ]{0,3}"
    r"\|[ ]{0,3}(?:sudo[ ](?:-\w{1,8}[ ]){0,3})?(?:/[\w./-]{0,40}/)?\Z)"
)
_LONGEST_PIPE, _NOTHING = 200, r"(?!)"
_OPTION = r"-|\+[a-z]|/[A-Za-z]+(?::|\Z)"
_LEAST = 3
# What a sentence about an option goes on with.
_IN_PROSE = word_set(
    "and or for to with is are as of in on at from by the a an if when where which that this it its can may must "
    "should will was were has have not no only instead option options flag flags switch argument arguments parameter "
    "value values takes asks sets means needs expects reads prompts works public private"
)


class _Way(NamedTuple):
    """How a program is told a password.

    Attributes:
        words: What is on the line, as patterns.
        before: The pattern of what stands before the password.
        is_first: That stands right behind the program.
        is_read: The program reads it.
        is_doubtful: It may be another thing.
    """

    words: tuple[str, ...]
    before: str
    is_first: bool
    is_read: bool
    is_doubtful: bool


def _ways() -> dict[str, list[_Way]]:
    ways: dict[str, list[_Way]] = {}
    for row in PROGRAMS.strip().splitlines():
        called, _, told = row.partition(": ")
        programs, *words = called.split()
        for way in told.split(" | "):
            is_read = way.startswith("<")
            before = {"<": _IS_GIVEN, "<-": _NOTHING}.get(way) or _before(way.lstrip("^~"))
            one = _Way(tuple(map(_spelled, words)), before, way.startswith("^"), is_read, way.startswith("~"))
            for program in programs.split(","):
                ways.setdefault(program, []).append(one)
    return ways


def _spelled(part: str) -> str:
    return _ARGUMENT if part == "_" else _REST.join(map(re.escape, part.split("…")))


def _before(way: str) -> str:
    """Return the pattern of what stands before a password: the space or the sign before that as well."""
    *parts, last = way.split()
    glue = _spelled(last.removesuffix("*").removeprefix("_"))
    if last.startswith("_"):
        glue = _USER_BEFORE + glue
    is_option = len(parts) == 1 and parts[0].startswith("--")
    behind = (rf"(?:=|{_SPACE})" if is_option else _SPACE) if parts else ""
    return rf"(?<![^\s\"'`]){_SPACE.join(map(_spelled, parts))}{behind}{glue}(?=\S)"


_WAYS = _ways()


def _name(anchor: str) -> str:
    """Return the pattern of a program's name, which a host may have as well: "mysql -h db2 ..."."""
    return rf"(?<![\w.-])(?<!-h )(?<!--host[ =])(?<!etc/)(?<!openssl )(?i:{re.escape(anchor)}(?:\.exe)?)(?=\s|\Z)"


def _told(match: re.Match[str], limit: int) -> Places:
    text, end = match.string, match.end()
    stop = compiled(_COMMAND).match(text, end, limit).end()  # type: ignore[union-attr]  # it may be empty
    is_of_user = compiled(_OPTION_OF_USER).search(text, end, stop) is not None
    program = match[0].lower().removesuffix(".exe")
    for way in _WAYS[program]:
        if all(compiled(rf"(?<!\S){word}(?!\S)").search(text, end, stop) for word in way.words):
            for place in _places(match, way, stop):
                value = literal_at(text, place, is_setting=True)
                is_apart = text[place - 1].isspace()
                if value and _is_password(value, way, is_of_user=is_of_user, is_apart=is_apart):
                    yield to_its_end(text, value.span)


def _places(program: re.Match[str], way: _Way, stop: int) -> Iterator[int]:
    """Yield where what a program is told in a way starts."""
    text, start, end = program.string, *program.span()
    if way.is_first:
        found = compiled(_SPACE + way.before).match(text, end, stop)
        yield from (found.end(),) if found else ()
        return
    yield from (found.end() for found in compiled(way.before).finditer(text, end, stop))
    if way.is_read:
        line = max(text.rfind("\n", 0, start) + 1, start - _LONGEST_PIPE)
        piped = compiled(_IS_PIPED).search(text, line, start)
        yield from (piped.end(),) if piped else ()


def _is_password(value: Literal, way: _Way, *, is_of_user: bool, is_apart: bool) -> bool:
    text = value.text
    is_option = is_apart and not value.is_quoted and compiled(_OPTION).match(text) is not None
    if len(text) < _LEAST or is_elsewhere(text) or is_option:
        return False
    if way.is_doubtful and (compiled(_PORT).fullmatch(text) or not (is_of_user or is_strong(text))):
        return False
    return value.is_quoted or not (text.lower() in _IN_PROSE or is_said(text))


RULES = (
    NearRule(
        kind="password",
        anchors=tuple(_WAYS),
        pattern=_name,
        around=_told,
        source="https://man7.org/linux/man-pages/dir_section_1.html",
        samples=(
            "ssh-keygen -t ed25519 -N '«{password}»' -f id",
            "sshpass -p «{password}» ssh bob@db1",
            "rabbitmqctl add_user app «{password}»",
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
            *("rabbitmqctl add_user app $PASSWORD", "rabbitmqctl list_users"),
            *("docker login -u bob -p $TOKEN registry.example.org", "docker login -u bob --password-stdin"),
            *("mysql -u bob -p shop", "mysql -u bob -p$DB_PASSWORD shop"),
            *("redis-cli -a $PASSWORD ping", "ldapsearch -x -D cn=admin -W -b dc=acme", "unzip -P <password> a.zip"),
            *("psexec \\\\srv01 -u jo -p %PASSWORD% cmd", "psexec has -u and -p for users"),
            *("mosquitto_sub -p 1883 -t a", "snmpwalk -v2c -c public 10.0.0.1 sysUpTime"),
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
