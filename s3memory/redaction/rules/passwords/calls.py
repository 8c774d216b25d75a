"""Passwords in calls and SQL, known by their position: the argument after a user, or what follows IDENTIFIED BY."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.reading.harmless_forms import is_harmless_form
from s3memory.redaction.rules.reading.judging import is_word_of_code
from s3memory.redaction.rules.reading.near import NearRule, Places
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import is_elsewhere, is_strong
from s3memory.redaction.text.word_lists import word_list
from s3memory.redaction.text.wording import is_adjective

_STRING = r"(?:[bruf@]{0,2}\"(?P<double>[^\"\\\n]{1,200})(?:\\[rn])?\"|[bru]{0,2}'(?P<single>[^'\\\n]{1,200})')"
_ARGUMENT = r"(?:\"[^\"\n]{0,120}\"|'[^'\n]{0,120}'|[\w.$>:\[\]-]{1,80})"
_GAP = r"\s{0,24}"
# Calls that take a user and a password, up to the password: `new NetworkCredential("bob", `.
_PAIR_CALLS = (
    r"(?:(?:Network|PS)Credential|PasswordAuthentication|UsernamePassword(?:Credentials?|AuthenticationToken|Token)|BasicAWSCredentials"
    r"|(?:Basic|Digest|NTLM|Http|HTTP)(?:HTTP)?(?:Basic|Digest|Ntlm)?Auth(?:entication|Provider)?|[Ss]et[Bb]asic[Aa]uth|basic_?[Aa]uth"
    r"|Credentials?(?:\.basic)?|simple_bind(?:_s)?|(?:smtp|imap|server|mail|client|session|conn|ftp|api|bot)\.login|\.authenticate|\.auth"
    r"|WiFi(?:Multi)?\.(?:begin|addAP|softAP)|db\.auth|changeUserPassword|(?:cx_Oracle|oracledb)\.connect)"
    rf"[ ]?\({_GAP}{_ARGUMENT}[ ]?,{_GAP}"
    # Any other call that logs in, if its first argument is a usual account.
    rf"|(?i:(?:connect|log_?[io]n|auth|authenticate|bind|sign_?in)\({_GAP}[\"'](?:(?:sys|web|db|super)?admin(?:istrator)?|root"
    rf"|weblogic|system|sys|sa|scott|postgres|guest|operator|user[0-9]?)[\"'],{_GAP})"
    # In Java, `"v".toCharArray()` opens a key store or derives a key.
    rf"|(?:\.(?:load|store|init|getKey)\({_GAP}{_ARGUMENT},{_GAP}|(?:PBEKeySpec|PasswordProtection|SecretKeySpec)\(\(?{_GAP})"
    r"(?=\"[^\"\n]{1,200}\"\)?\.(?:toCharArray|getBytes)\()"
    # Calls without brackets, in Ruby and SQL.
    rf"|(?:basic_auth|sp_addlogin)[ ]{_ARGUMENT},{_GAP}"
)
_CONNECT_CALLS = (
    r"(?:(?:mysqli?|pg|maria|db|odbc|oci|ftp|ldap|ssh2|imap)_?(?:p?connect|login|open|auth_password|real_connect|bind)|DBI(?:->|\.)connect|new (?:PDO|mysqli)"
    r"|getConnection|createConnection|PlainAuth|DirectoryEntry|OpenDSObject|(?:MySQLdb|pymysql|mariadb)\.connect|[Ss]et_?[Pp]assword)"
    rf"\({_GAP}{_ARGUMENT},{_GAP}{_ARGUMENT},{_GAP}"
    rf"|(?:PrincipalContext|(?:psycopg2?|ssh|sftp|client)\.connect|->credentials)\({_GAP}(?:{_ARGUMENT},{_GAP}){{3}}"
)
# Tables of ClickHouse that are in another database: https://clickhouse.com/docs/sql-reference/table-functions
_TABLES = (
    rf"(?i:mysql|postgresql|mongodb)\({_GAP}(?:{_ARGUMENT},{_GAP}){{4}}(?=')"
    rf"|(?i:remote(?:secure)?)\({_GAP}'[^'\n]{{1,120}}',{_GAP}(?:{_ARGUMENT},{_GAP}){{2,3}}(?=')"
    rf"|(?i:s3(?:cluster)?)\({_GAP}(?:'[^'\n]{{1,80}}',{_GAP})?'https?://[^'\n]{{1,200}}',{_GAP}'[^'\n]{{1,80}}',{_GAP}(?=')"
)
# Calls that take credentials and nothing else, so that a plain word counts as a password too.
_CREDENTIAL_CALLS = (
    r"(?:(?:Network|PS)Credential|PasswordAuthentication|UsernamePassword\w{0,20}|DirectoryEntry|PrincipalContext|PlainAuth"
    r"|(?:smtp|imap|server|mail|ftp)\.login|\w{0,12}BasicAuth\w{0,16}|(?:ldap|imap)_(?:bind|login|open)"
    r"|mysqli?_p?connect|new (?:PDO|mysqli)|getConnection|(?:MySQLdb|pymysql|mariadb|cx_Oracle|oracledb|DBI)\.connect"
    r"|(?:ftp|ldap)_login|DBI->connect|OpenDSObject|simple_bind(?:_s)?"
    r"|(?i:connect|log_?[io]n|sign_?in)(?=\([\"'])|ed25519_password|Credentials\.basic|->credentials|WiFi(?:Multi)?\.\w{1,8}|changeUserPassword|db\.auth|PBEKeySpec|PasswordProtection"
    r"|(?:conn|client|session|api|bot)\.login(?=\([ ]?[\"'][\w.+-]{1,64}@[\w.-]{3,64}[\"'])"
    r"|\.(?:load|store|init|getKey))[ ]?\(|(?:basic_auth|sp_addlogin)[ ]"
)
# Calls by which a browser test types text into the field before them: `page.getByLabel("Password").fill(`.
_TYPING_CALLS = r"\.(?i:fill|type|send_?keys|set_?value|press_?sequentially)\([ ]?"
_FIELD_BEFORE = (
    r"(?i)(?:assword|pass(?:wd|phrase|code|wort)?)[:*? ]{0,3}[\"'`\])}]{1,4}(?:[^\w\n]|\r?\n[ \t]{0,8}|\.first){0,4}\Z"
)
_MAX_FIELD = 32
_CHARACTERS_NAME = r"(?i)(?:passw|pwd|pass(?![a-z])|passphrase|secret)\w{0,16}(?:\[\])?\s{0,3}:?=\s{0,3}(?:new char\[\][ ]?|\[\](?:byte|rune))?\Z"
_CALL_ANCHORS = word_list(
    ".fill( .type( .send_keys( .sendkeys( .setvalue( .set_value( .presssequentially( credential "
    "passwordauthentication usernamepassword pscredential auth simple_bind smtp.login imap.login server.login mail.login "
    "client.login session.login conn.login ftp.login api.login bot.login connect( mysql getconnection "
    "createconnection _login( _bind( setbasicauth networkcredential directoryentry( ldap_bind ftp_login imap_open "
    "oci_ odbc_ ssh. sftp. client.connect psycopg pymysql mariadb. principalcontext( basicauth digestauth httpauth "
    "ntlm plainauth set_password setpassword dbi-> pg_ ssh2_ basic_auth digest http .auth wifi. wifimulti. db.auth( "
    "->credentials( changeuserpassword dbi. cx_oracle. oracledb. opendsobject( sp_addlogin .load( .store( .init( .getkey( pbekeyspec( secretkeyspec( "
    "passwordprotection( login( logon( log_in( log_on( signin( sign_in( auth( authenticate( bind( "
    "postgresql( mongodb( remote( remotesecure( s3( s3cluster("
)
_ANCHORS = ("new pdo", "new mysqli", *_CALL_ANCHORS)
# Calls that hash their first argument as a password: `bcrypt.hash(`.
_HASHING_CALLS = (
    r"(?:(?i:passw\w*|bcrypt\w*|argon2?\w*|scrypt|hasher|hash|encoder|pwd_context)(?:\.|::|->)"
    r"(?:encode|encrypt|make|hash(?:Sync|pw|_password)?|compare(?:Sync)?|checkpw|verify|matches)|bcrypt|generate_password_hash"
    r"|make_password|password_(?:hash|verify)|ed25519_password)\([ ]?"
)
# With the name of a plugin ("IDENTIFIED WITH caching_sha2_password BY 'v'"), or in double quotes, as in Oracle.
_IDENTIFIED_BY = (
    r"(?i:identified[ ]{1,9}(?:(?:with|via)[ ]{1,9}[\"'`\\]{0,2}\w{1,64}[\"'`\\]{0,2}[ ]{1,9}(?:as|using|by)|by)[ ]{1,9}"
    r"(?:password[ ]{0,9}\(?)?)\\?(?P<quote>[\"'])(?P<secret>[^\"'\\\n]{3,256})\\?(?P=quote)(?![ ]?\+)"
    # Without quotes, in the statements of Oracle.
    r"|(?i:(?:(?:create|alter)[ ]{1,3}user[ ]{1,3}[\w#$.\"]{1,64}"
    r"|(?:connect|grant[ ](?:all|alter|connect|create|dba|resource|select|unlimited|usage)\b[^;\n]{0,120}?)[ ]to[ ][\w#$.\"]{1,64})"
    r"\s{1,20}identified[ ]{1,3}by[ ]{1,3})(?P<word>[A-Za-z_][\w$#]{3,63})(?=[ \t]{0,4}(?:;|/?\r?\n|\Z)"
    r"|\s{1,20}(?i:default|quota|account|temporary|profile|password|container|using|replace|with)\b)"
)
_MIN_LENGTH, _MAX_SPACES = 4, 2
_MIN_WORD = 6


def _argument(match: re.Match[str], _limit: int) -> Places:
    """Yield the span of the string that is the next argument of a call, if it is a password."""
    text, start = match.string, match.start()
    is_typing = compiled(_TYPING_CALLS).match(text, start) is not None
    if is_typing and not compiled(_FIELD_BEFORE).search(text, max(0, start - _MAX_FIELD), start):
        return
    value = compiled(_STRING).match(text, match.end())
    group = value.lastgroup if value else None
    if value is None or group is None:
        return
    is_word = compiled(_CREDENTIAL_CALLS).match(text, start) is not None and _is_word(value[group], match[0])
    if is_word or _is_password(value[group]):
        yield value.span(group)


def _is_word(text: str, call: str) -> bool:
    """Whether a plain word is the password of a call, and no placeholder, and not the user's name as well."""
    is_one = len(text) >= _MIN_WORD and text.isalpha() and text[1:].islower() and not is_harmless_form(text)
    return is_one and not is_word_of_code(text) and not is_adjective(text) and f'"{text}"' not in call


def _is_password(text: str) -> bool:
    """Whether a string looks like a password: no placeholder, no plain word and no sentence."""
    is_sentence = text.count(" ") > _MAX_SPACES
    return len(text) >= _MIN_LENGTH and is_strong(text) and not is_harmless_form(text) and not is_sentence


def _identified(match: re.Match[str]) -> Location:
    """Locate the password of an SQL statement, unless it is a placeholder or words of code."""
    group = "word" if match["word"] else "secret"
    is_code = is_elsewhere(match[group]) or all(map(is_word_of_code, match[group].split("_")))
    return None if is_code else match.span(group)


def _hashed(match: re.Match[str]) -> Location:
    return next(_argument(match, 0), None)


def _characters(match: re.Match[str]) -> Location:
    before = match.string[max(0, match.start() - _MAX_FIELD - _MAX_FIELD) : match.start()]
    return (match.start("secret") + 1, match.end("secret") - 1) if compiled(_CHARACTERS_NAME).search(before) else None


_SOURCE = "https://cwe.mitre.org/data/definitions/798.html"

RULES = (
    NearRule(
        kind="password",
        anchors=_ANCHORS,
        pattern=rf"(?:{_PAIR_CALLS}|{_CONNECT_CALLS}|{_TYPING_CALLS}|{_TABLES})",
        around=_argument,
        source=_SOURCE,
        samples=(
            'new NetworkCredential("bob", "«{password}»")',
            "mysqli_connect('db1', 'root', '«{password}»', 'shop')",
            'new NetworkCredential("jo@example.org", "«gravelstone»")',
            'new DirectoryEntry("LDAP://a",\n      "jo@example.org",\n      "«{password}»")',
            'new PrincipalContext(ContextType.Domain, "corp", "svc", "«gravelstone»")',
            'await page.getByLabel("Password").fill("«{password}»");',
            "cy.get('#password').type('«{password}»')",
            'new mysqli("db1", "app", "«Gravelstone»", "shop")',
            "req.basic_auth 'svc', '«gravelstone»'",
            '$ua->credentials("api.example.org:443", "api", "svc", "«gravelstone»");',
            'WiFi.begin("Attic", "«gravelstone»");',
            'db.auth("root", "«gravelstone»")',
            'keyStore.load(in, "«gravelstone»".toCharArray());',
            'new SecretKeySpec("«{password}»".getBytes(), "AES");',
            'DBI.connect("DBI:Mysql:shop:db1", "app", "«gravelstone»")',
            'oracledb.connect("app", "«gravelstone»", "db1/shop")',
            'ns.OpenDSObject("LDAP://a", "cn=svc", "«gravelstone»", 1)',
            "EXEC sp_addlogin 'app', '«gravelstone»'",
            "ENGINE = MySQL('db1:3306', 'shop', 'orders', 'app', '«{password}»')",
            "FROM remote('10.0.0.{1..3}', shop.orders, 'app', '«{password}»', rand())",
            "FROM s3('https://s3.example.org/a.csv', '<alnum:20>', '«{mixed 40}»', 'CSV')",
            'New-Object PSCredential ("CORP\\\\jo", "«gravelstone»")',
            "conn.login('jo@example.org', '«gravelstone»', next)",
            "connect('weblogic', '«gravelstone»', 't3://db1:7001')",
            'conn.simple_bind_s("cn=svc", "«gravelstone»")',
        ),
        near=(
            "cy.get('#search').type('{password}')",
            'page.getByLabel("Password").fill(password)',
            'new NetworkCredential("bob", password)',
            'mysqli_connect("db1", "root", "password")',
            'new NetworkCredential("bob", "secret")',
            'New-Object PSCredential("jo", $secure)',
            "conn.login('jo', 'gravelstone', next)",
            'connect("clicked", "gravelstone1")',
            'getConnection(url, "postgres", "postgres")',
            'new mysqli("localhost", "username", "Password", "shop")',
            "WiFi.begin(ssid, password);",
            "FROM s3('https://s3.example.org/a.csv', NOSIGN, 'CSVWithNames2')",
            "FROM remote('10.0.0.1', shop.orders, 'app', 'password')",
            'keyStore.load(in, "password".toCharArray());',
            'template.load(in, "gravelstone");',
            'oracledb.connect("app", "password", "db1/shop")',
        ),
    ),
    Rule(
        kind="password",
        anchors=(
            *("encode(", "encrypt(", "make(", "hash(", "Sync(", "hashpw(", "bcrypt(", "password(", "compare("),
            *("checkpw(", "verify(", "matches("),
        ),
        scan=True,
        pattern=_HASHING_CALLS,
        locate=_hashed,
        source=_SOURCE,
        samples=(
            *('user.setPassword(passwordEncoder.encode("«{password}»"));', "bcrypt.hash('«{password}»', 10)"),
            "password_verify('«{password}»', $hash)",
        ),
        near=("bcrypt.hash(password, 10)", 'passwordEncoder.encode("changeme")'),
    ),
    # A password as a list of its characters.
    Rule(
        kind="password",
        anchors=("{'", "{ '", "['"),
        pattern=r"[\[{][ ]?(?P<secret>'(?:[^'\\\n]|\\.)'(?:,[ ]?'(?:[^'\\\n]|\\.)'){3,64})[ ]?[\]}]",
        locate=_characters,
        source=_SOURCE,
        samples=("char[] PWD2 = {'«g', 'r', 'a', 'v', '4»'};",),
        near=("char[] vowels = {'a', 'e', 'i', 'o'};",),
    ),
    Rule(
        kind="password",
        anchors=("identified ",),
        fold=True,
        scan=True,
        pattern=_IDENTIFIED_BY,
        locate=_identified,
        source=_SOURCE,
        samples=(
            "ALTER USER 'app'@'%' IDENTIFIED WITH mysql_native_password BY '«gravelpond»';",
            "ALTER USER jo IDENTIFIED WITH 'mysql_native_password' AS '«*{password}»' REQUIRE NONE",
            "CREATE USER jo IDENTIFIED VIA mysql_native_password USING PASSWORD('«{password}»')",
            "CONNECT TO hr IDENTIFIED BY \"«gravelpond»\" USING 'hrdb'",
            "alter user sys identified by «gravel_on_pond»;",
            "GRANT CONNECT, RESOURCE TO hr IDENTIFIED BY «gravelpond»;",
        ),
        near=(
            "IDENTIFIED WITH caching_sha2_password BY 'password'",
            *("it is identified by 'id' and 'name'", "connect to a user identified by gravelpond and a key"),
            "CREATE USER hr IDENTIFIED BY new_password;",
            "IDENTIFIED BY '$PASSWORD'",
        ),
    ),
)
