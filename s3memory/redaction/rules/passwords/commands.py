"""Passwords written together with their user, in commands and in password files: "-U jo%v", "db1:5432:shop:jo:v"."""

from __future__ import annotations

import re
from functools import partial

from s3memory.redaction.rule import Location, Rule, ShapeRule
from s3memory.redaction.rules.reading.locating import if_strong, unless_placeholder
from s3memory.redaction.text.compiling import compiled

_ARGUMENTS = r"[^\n|;&]{0,200}?"
_PARAMETER = (
    r"(?i:control|data|(?:dump|log|par)?file|directory|from_?user|full|log|owner|rows|schemas|tables(?:paces)?)"
)
_IMPACKET = r"(?:(?:(?<=ps)|(?<=at)|(?<=wmi)|(?<=smb)|(?<=dcom))exec|secretsdump|mssqlclient|GetUserSPNs|GetNPUsers)"
# The host at the start of an entry in ".pgpass": "*", an address or a name. Only letters tell a name from a date.
_HOST_BEFORE = (
    r"(?:\A|[\s\"'`>])(?:\*|(?:[0-9]{1,3}\.){3}[0-9]{1,3}"
    r"|(?=[0-9.-]{0,64}[A-Za-z])[\w-]{1,63}(?:\.[\w-]{1,63}){0,8})\Z"
)
_MAX_HOST, _USUAL_PORTS = 255, ("5432", "5433", "6432", "*")
# What tools that try passwords write: "login attempt [root/v] failed", "[+] CORP\\jo:v (Pwn3d!)".
_TRIED = (
    r"(?:login attempt \[(?:b')?[^/\]\n]{0,64}/(?:b')?|\[[+-]\] [\w.-]{1,64}\\{1,2}[\w.$@-]{1,64}:(?=\S)"
    r"|(?:Login Successful: |Success: ')(?:[\w.-]{1,64}\\{1,2})?[\w.$@-]{1,64}:(?=\S)"
    r"|\] host: \S{1,90}[ \t]{1,9}login: \S{1,64}[ \t]{1,9}password: )"
    r"(?P<secret>[^\n]{1,128}?)(?='?\] (?:failed|succeeded)|[ ]\(|[ ]STATUS_|[\"'`<]|\\n|[ \t]*(?:\r?\n|\Z))"
)
# The command that registers with a service of IRC, or logs in there. In prose, no "/msg" stands before its name.
_TO_SERVICE = (
    r"(?i:(?:(?:/(?:msg|query|quote|m)|privmsg|squery)[ ]{1,2}(?:nick|chan|auth|user)serv(?:@\S{1,60})?[ ]{1,2}:?"
    r"|/(?:nick|chan)serv[ ]|/[nc]s[ ]|\bto=[\"'](?:nick|chan)serv[^\n<>]{0,80}>\s{0,20}<body>)"
    r"(?:identify[ ](?:[^\s<>]{1,40}[ ](?=[^\s<>]))?|login[ ]\S{1,40}[ ]|(?:ghost|recover|release|regain)[ ]\S{1,40}[ ]"
    r"|register[ ](?:#\S{1,40}[ ])?|set[ ]password[ ]))(?P<secret>[^\s<>\"'`]{3,64})"
)
_USER_BEFORE_PWNED = r"(?<![^\s\\\"'`])[\w.$@-]{1,64}:(?P<secret>\S{1,128}) \Z"


def _in_password_file(match: re.Match[str]) -> Location:
    """Locate the password of an entry of ".pgpass": with another port than usual, it has to look like one."""
    before = match.string[max(0, match.start() - _MAX_HOST) : match.start()]
    locate = unless_placeholder if match["port"] in _USUAL_PORTS else if_strong
    return locate(match) if compiled(_HOST_BEFORE).search(before) else None


def _tried_password(match: re.Match[str]) -> Location:
    """Locate a password that was tried: after its user, or before "(Pwn3d!)"."""
    found = match
    if match["pwned"]:
        before = max(0, match.start() - _MAX_HOST)
        found = compiled(_USER_BEFORE_PWNED).search(match.string, before, match.start()) or match
    return unless_placeholder(found) if found["secret"] else None


_command_rule = partial(Rule, kind="password", locate=unless_placeholder)

RULES = (
    _command_rule(
        anchors=("login attempt [", "Login Successful: ", "Success: '", "[+] ", "[-] ", "] host: ", "(Pwn3d!)"),
        pattern=rf"{_TRIED}|(?P<pwned>\(Pwn3d!\))",
        locate=_tried_password,
        source="https://github.com/seriotonctf/cme-nxc-cheat-sheet",
        samples=(
            "login attempt [root/«gravel»] failed",
            "login attempt [b'root'/b'«gravel»'] succeeded",
            "SMB 10.0.0.4 445 DC1 [+] CORP\\jo:«gravelpond»\n",
            "SMB 10.0.0.4 445 DC1 [-] corp.local\\jo:«{password}» STATUS_LOGON_FAILURE",
            "SSH 10.0.0.4 22 web1 [+] root:«gravelpond» (Pwn3d!)",
            "[22][ssh] host: 10.0.0.4   login: jo   password: «the old pond»\n",
        ),
        near=(
            "login attempt [root] failed",
            "[+] Listening on: 10.0.0.4",
            "[-] C:\\Users\\jo: not found",
            "it was valid for WinRM access (Pwn3d!).",
        ),
    ),
    _command_rule(
        anchors=("nickserv", "chanserv", "authserv", "userserv", "/ns ", "/cs "),
        fold=True,
        scan=True,
        pattern=_TO_SERVICE,
        source="https://anope.org/docs.html",
        samples=(
            "/msg NickServ IDENTIFY jo «gravelpond»\n",
            "/ns register «gravelpond» jo@example.org",
            "<message to='nickserv%irc.example.org' type='chat'><body>register «gravelpond»</body></message>",
        ),
        near=("/msg NickServ identify <password>", "ask NickServ to register gravelpond"),
    ),
    # A data source name of Go's MySQL driver.
    _command_rule(
        anchors=("@tcp(", "@unix("),
        scan=True,
        pattern=r"(?<![\w.-])[\w.-]{1,64}:(?P<secret>[^\s\"'`<>]{3,128}?)@(?:tcp|unix)\(",
        source="https://github.com/go-sql-driver/mysql#dsn-data-source-name",
        samples=("app:«{password}»@tcp(10.0.0.4:3306)/shop",),
        near=("app:$PASSWORD@tcp(db1)/shop", "app:<password>@tcp(db1)/shop", "app@tcp(db1)/shop"),
    ),
    # FreeRDP, mstsc's wrappers and cmdkey: "/p:password".
    _command_rule(
        anchors=("/p:", "/pass:"),
        pattern=r"(?<=[ ])/(?:p|pass):(?![A-Za-z]+=)[\"']?(?P<secret>[^\s\"']{4,128})",
        source="https://github.com/FreeRDP/FreeRDP/wiki/CommandLineInterface",
        samples=("xfreerdp /u:ops /p:«{password}» /v:db1",),
        near=("xfreerdp /u:ops /p:<password> /v:db1", "see http://example.org/p:12345"),
    ),
    # smbclient, rpcclient and winexe: "-U user%password".
    _command_rule(
        anchors=("-U", "--user"),
        pattern=r"(?<![^\s\"'])-(?:U|-user)[ =]?[\"']?[\w.@/\\-]{1,64}%(?P<secret>[^\s\"']{3,128})",
        source="https://www.samba.org/samba/docs/current/man-html/smbclient.1.html",
        samples=("smbclient //nas/x -U jo%«{password}»\n",),
        near=("smbclient //nas/x -U jo%<password>",),
    ),
    ShapeRule(
        kind="password",
        shape=rb":(?:0000|00000|\*):",
        pattern=(
            r":(?<=[A-Za-z0-9.*]:)(?P<port>[0-9]{4,5}|\*):(?:(?:[A-Za-z_][\w.@-]{0,63}|\*):){2}"
            r"(?P<secret>(?:\\.|[^\\\s:\"'`|<>]){3,128})(?=[\"'`]|[ \t\r]{0,9}(?:\n|\Z))"
        ),
        locate=_in_password_file,
        source="https://www.postgresql.org/docs/current/libpq-pgpass.html",
        samples=(
            "db1.example.org:5432:shop:bob:«gravelpond»\n",
            "db1.example.org:54321:shop:bob:«{password}»\n",
            "*:*:*:bob:«{password}»",
        ),
        near=(
            "src/main.c:1234:warn:unused:{password}",
            "2026-11-22:1234:info:worker:{password}",
            *("db1:5432:shop:bob:$PASSWORD", "db1:54321:shop:bob:gravelpond"),
            "10:5432 to 10:5433",
        ),
    ),
    # The command that joins an ESP modem to a WiFi network.
    _command_rule(
        anchors=("AT+CWJAP",),
        pattern=r"AT\+CWJAP(?:_[A-Z]{3})?=\\?\"[^\"\n]{1,64}\",\\?\"(?P<secret>[^\"\n\\<>]{8,63})\\?\"",
        source="https://docs.espressif.com/projects/esp-at/en/latest/esp32/AT_Command_Set/Wi-Fi_AT_Commands.html",
        samples=('AT+CWJAP="Lakeview","«gravel-pond»"',),
        near=('AT+CWJAP="Lakeview","<password>"', 'AT+CWJAP="Lakeview",""'),
    ),
    _command_rule(
        anchors=("chpasswd",),
        scan=True,
        pattern=(
            r"echo[ ](?:-\w[ ])?[\"']?[a-z_][\w.-]{0,31}:(?P<secret>[^\s\"'|]{3,128})[\"']?"
            r"[ ]{0,3}\|[ ]{0,3}(?:sudo[ ])?chpasswd"
        ),
        source="https://man7.org/linux/man-pages/man8/chpasswd.8.html",
        samples=("echo 'bob:«{password}»' | sudo chpasswd",),
        near=('echo "bob:$PASSWORD" | chpasswd',),
    ),
    _command_rule(
        anchors=(
            *("sqlplus ", "imp ", "impd ", "impdp ", "exp ", "expd ", "expdp ", "sqlldr ", "rman ", "userid="),
            "USERID=",
            *("exec.py ", "secretsdump", "mssqlclient", "GetUserSPNs", "GetNPUsers"),
        ),
        pattern=(
            r"(?:(?<![\w.-])(?:(?:(?P<plus>sqlplus)|(?:imp|exp)(?:dp?)?|sqlldr|rman)[ ]"
            r"(?:-\w{1,2}[ ]|target[ ]|(?i:userid)=){0,2}|(?i:userid)=)[\"']?[\w#$]{1,64}/[\"']?"
            rf"|{_IMPACKET}(?:\.py)?[ ]{_ARGUMENTS}[\w.-]{{1,40}}/[\w.-]{{1,64}}:)"
            r"(?P<secret>[^\s\"']{3,64}(?=[\"']?@)"
            # Without a database, only parameters or the end of the command tell it from a path.
            rf"|[^\s\"'@/]{{3,64}}(?=[\"']?(?:\s{{1,9}}{_PARAMETER}[ ]?=|(?(plus)[ \t]{{0,3}}(?:\r?\n|\Z|<<)|(?!)))))"
        ),
        source="https://docs.oracle.com/en/database/oracle/oracle-database/21/sqpug/starting-SQL-Plus.html",
        samples=(
            "sqlplus bob/«p@{password}»@db1",
            "rman target sys/«{password}»@db1",
            "imp system/«gravelpond» \nfile=a.dmp",
            "wmiexec.py corp/jo:«{password}»@10.0.0.1",
        ),
        near=(
            *("sqlplus bob/$PASSWORD@db1", "sqlplus /nolog", "git imp feature/gravelpond"),
            *("psexec.py corp/jo:$PASSWORD@10.0.0.1", "python exec.py src/app:{password}@sha256:1f"),
        ),
    ),
)
