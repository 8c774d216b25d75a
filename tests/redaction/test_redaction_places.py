"""Where a call, a statement or a command has a place for a password, a plain word that stands there is one."""

from __future__ import annotations

from support.for_each import for_each

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
PASSWORD = "[REDACTED:password]"


def redacted(text: str) -> str:
    return REDACTOR.redact(text).text


CALLS = [
    'new mysqli("db1", "app", "{}", "shop");',
    "new PDO('mysql:host=db1', 'app', '{}');",
    "ftp_login($connection, 'upload', '{}');",
    'DBI->connect("dbi:mysql:shop", "report", "{}") or die;',
    'getConnection("jdbc:oracle:thin:@db1:1521:x", "report", "{}");',
    'Credentials.basic("report", "{}")',
    "request.basic_auth 'report', '{}'",
    '$agent->credentials("api.example.org:443", "api", "report", "{}");',
    'WiFi.begin("Attic", "{}");',
    'db.auth("root", "{}")',
    'db.changeUserPassword("app", "{}")',
]


@for_each("word", ["gravelpond", "Gravelpond"])
@for_each("call", CALLS)
def test_a_word_goes_where_a_call_takes_nothing_but_a_password(call: str, word: str) -> None:
    assert redacted(call.format(word)) == call.format(PASSWORD)


@for_each("word", ["password", "Password", "secret", "your_password"])
@for_each("call", CALLS)
def test_a_word_that_stands_for_the_password_of_a_call_stays(call: str, word: str) -> None:
    assert redacted(call.format(word)) == call.format(word)


@for_each("name", ["&db", "&db_main", "&d1"])
@for_each("value", ["gravelpond", '"gravelpond"', "'gravelpond'"])
def test_a_value_of_yaml_goes_behind_the_name_that_it_is_given(name: str, value: str) -> None:
    text = f"user: app\npassword: {name} {{}}\nother: {name.replace('&', '*')}\n"
    assert redacted(text.format(value)) == text.format(value.replace("gravelpond", PASSWORD))


@for_each(
    "text", ["password: *gravelpond\n", "base:\n  db_password: *gravelpond\n  port: 1\n", "pwd: *pond # as above\n"]
)
def test_a_value_of_yaml_that_stands_elsewhere_stays(text: str) -> None:
    assert redacted(text) == text


@for_each("text", ["fn log_in(password: &mut Buffer) {", "password: &mut Buffer\n", "let password: &str = input;"])
def test_a_type_of_rust_is_no_value_with_a_name(text: str) -> None:
    assert redacted(text) == text


STATEMENTS = [
    "CREATE USER 'app'@'%' IDENTIFIED WITH mysql_native_password BY '{}';",
    "ALTER USER app IDENTIFIED WITH 'caching_sha2_password' BY '{}' PASSWORD EXPIRE NEVER;",
    "CREATE USER ro IDENTIFIED WITH sha256_password BY '{}';",
    "CREATE DATABASE LINK hr CONNECT TO hr IDENTIFIED BY \"{}\" USING 'hrdb';",
    'CREATE USER app IDENTIFIED BY "{}" DEFAULT TABLESPACE users;',
]


@for_each("statement", STATEMENTS)
@for_each("word", ["gravelpond", "pond", "gravel pond"])
def test_what_identifies_an_account_of_a_database_goes_whatever_its_plugin_is(statement: str, word: str) -> None:
    assert redacted(statement.format(word)) == statement.format(PASSWORD)


@for_each("statement", STATEMENTS)
@for_each("word", ["password", "new_password", "<password>", "$DB_PASSWORD", "your_password"])
def test_what_stands_for_the_password_of_an_account_of_a_database_stays(statement: str, word: str) -> None:
    assert redacted(statement.format(word)) == statement.format(word)


COMMANDS = [
    "mosquitto_sub -h 10.0.0.5 -u app -P {} -t a",
    "mosquitto_pub -t a -m b -u app -P '{}'",
    "rabbitmqadmin -u app -p {} list queues",
    "snmpwalk -v2c -c {} 10.0.0.1 sysUpTime",
    "snmpget -v3 -u mon -l authPriv -a SHA -A {} 10.0.0.1 sysUpTime",
    "net use Z: \\\\nas\\media {} /user:bob /persistent:yes",
    "net use \\\\nas\\media /user:bob {} /persistent:yes",
    'rasdial "Office" bob {}',
]


@for_each("command", COMMANDS)
@for_each("word", ["gravelpond", "Gravelpond", "Gravel_pond"])
def test_a_word_goes_where_a_command_takes_nothing_but_a_password(command: str, word: str) -> None:
    assert redacted(command.format(word)) == command.format(PASSWORD)


@for_each("command", COMMANDS)
@for_each("word", ["$PASSWORD", "<password>"])
def test_what_stands_for_the_password_of_a_command_stays(command: str, word: str) -> None:
    assert redacted(command.format(word)) == command.format(word)


@for_each(
    "text",
    [
        "net use Z: \\\\nas\\media /user:bob /persistent:yes",
        "mosquitto_sub -h 10.0.0.5 -p 1883 -t a",
        "snmpwalk -v2c -c public 10.0.0.1 sysUpTime",
        "rasdial Office /disconnect",
    ],
)
def test_the_other_options_of_such_a_command_stay(text: str) -> None:
    assert redacted(text) == text


BASE64 = "q7RtB2xKp9ZmW4sLd8Vn+/" * 4


@for_each(
    ("text", "value"),
    [
        ("jo:{}\n", f"$7$101${BASE64[:16]}${BASE64[:86]}=="),
        ("jo:{}\n", f"$6${BASE64[:16]}${BASE64[:86]}=="),
        ("password_hash: '{}'\n", "*" + "4F0C9A1B" * 5),
        ('{{"name": "jo", "password_hash": "{}", "tags": []}}', BASE64[:48]),
    ],
)
def test_the_hashes_of_mosquitto_mysql_and_rabbitmq_go(text: str, value: str) -> None:
    assert redacted(text.format(value)) == text.format("[REDACTED:password-hash]")


@for_each("scheme", ["{PLAIN}", "{CLEARTEXT}", "{noop}", "{NOOP}"])
@for_each("text", ["jo@example.org:%s:1001:1001::/home/jo::\n", 'password: "%s"\n', "users.jo=%s,ROLE_USER\n"])
def test_a_word_goes_behind_the_scheme_of_a_password_that_is_not_hashed(text: str, scheme: str) -> None:
    assert redacted(text % f"{scheme}gravelpond") == text % f"{scheme}{PASSWORD}"


@for_each(
    "text", ['password: "{noop}password"\n', "users.jo={PLAIN}<password>,ROLE_USER\n", "password: {noop}$PASSWORD\n"]
)
def test_what_stands_for_a_password_behind_a_scheme_stays(text: str) -> None:
    assert redacted(text) == text


DEVICES = [
    "com2sec readonly default {}\n",
    "com2sec\treadonly\t10.0.0.0/8\t{}\n",
    "trap2sink 10.0.0.9 {}\n",
    "snmp {{\n    community {} {{\n        authorization read-only;\n    }}\n}}\n",
    "set snmp community {} authorization read-only\n",
    " standby 1 authentication {}\n",
    " vrrp 12 authentication text {}\n",
    'jo\t*\t{}\t*\n"jo@dsl"\t*\t"{}"\t10.0.0.2\n',
]


@for_each("text", DEVICES)
@for_each("word", ["gravelpond", "Gravelpond"])
def test_a_word_goes_at_its_place_in_the_configuration_of_a_device(text: str, word: str) -> None:
    assert redacted(text.format(word, word)) == text.format(PASSWORD, PASSWORD)


@for_each(
    "text",
    [
        "com2sec readonly default public\n",
        "set policy-options community customers members 65000:100\n",
        "standby 1 authentication md5 key-chain operations\n",
        "standby 1 preempt\n",
        "0\t4\t*\tjanuary\t*\t/usr/bin/backup\n",
        "jo\t*\t<secret>\t*\n",
    ],
)
def test_what_stands_at_other_places_of_such_a_configuration_stays(text: str) -> None:
    assert redacted(text) == text


@for_each(
    ("text", "value"),
    [
        ('{{"value": "{}", "name": "password", "type": "P"}}', "gravelpond"),
        ('{{\n  "value": "{}",\n  "key": "smtp password"\n}}', "gravel pond"),
        ('<add value="{}" key="FtpPassword" />', "Gravel+Pond"),
        ("INSERT INTO settings (name, value) VALUES ('host','a'),('smtp_password','{}');", "Gravelpond1"),
        ('settings = [("host", "a"), ("smtp_password", "{}")]', "Gravelpond1"),
    ],
)
def test_a_password_goes_that_is_one_pair_with_its_name(text: str, value: str) -> None:
    assert redacted(text.format(value)) == text.format(PASSWORD)


@for_each(
    "text",
    [
        '{"value": "expired", "name": "password"}',
        '{"value": "${PASSWORD}", "name": "password"}',
        '<input type="submit" value="Continue" name="reset_password">',
        '[{"name": "user", "value": "gravelpond"}, {"name": "password", "label": "a"}]',
        'labels = (("password", "Password1"), ("token", "Token1"))',
    ],
)
def test_what_is_no_pair_with_the_name_of_a_password_stays(text: str) -> None:
    assert redacted(text) == text


@for_each("note", ['"moved in June, ask jo"', '"a, b"', '"an ""old"" one, from June"', ""])
@for_each("first", ["Gravelpond#2", '"Gravel,Pond5"'])
def test_a_comma_between_quotes_ends_no_cell_of_csv(first: str, note: str) -> None:
    text = f"name,username,password,notes\nmail,jo,{{}},{note}\nshop,jo,{{}},\n"
    expected = text.format(first.replace(first.strip('"'), PASSWORD), PASSWORD)
    assert redacted(text.format(first, "Kettle-Stone7")) == expected


def test_a_line_of_fields_goes_on_no_heading_that_names_them() -> None:
    text = "# host:port:database:user:password\ndb1.example.org:5432:shop:app:{}\n*:*:*:jo:{}\n"
    values = ("gravelpond", "Gravel\\:pond")
    assert redacted(text.format(*values)) == text.format(PASSWORD, PASSWORD)


DIGEST = "3fb83ac35e2fa3a337f7fa153fb83ac35e2fa3a337f7fa153fb83ac35e2fa3a3"


@for_each(
    "text",
    [
        f"SHA256 (password.txt) = {DIGEST}\nMD5 (token list.json) = {DIGEST[:32]}\n",
        "vault_token_count 412\nprocess_start_time_seconds 1.70983211e+09\n",
        "Key               Value\n---               -----\ntoken_accessor    gSgBdDjxJu8rzayFTCtVTtPL\n",
        "admin_key_type: ssh-ed25519\nhost_key_type: ecdsa-sha2-nistp256\n",
    ],
)
def test_sums_numbers_accessors_and_types_of_keys_stay_beside_the_name_of_a_secret(text: str) -> None:
    assert redacted(text) == text


@for_each("name", ["objectClass", "objectclass", "structuralObjectClass", "account_type", "loginType"])
def test_the_sort_of_a_thing_is_no_password_beside_one(name: str) -> None:
    text = f"dn: uid=jo,ou=people,dc=example,dc=org\n{name}: simpleSecurityObject\nuid: jo\nuserPassword: {{}}\n"
    assert redacted(text.format("gravelpond")) == text.format(PASSWORD)


@for_each(
    ("text", "value"),
    [
        ("password: '{}'\n", "it''s-gravel-9"),
        ("ALTER USER app WITH PASSWORD '{}';", "it''s-gravel-9"),
        ('set "RESTIC_PASSWORD={}"\n', "Gravel & Pond"),
        ("docker run -e 'DB_PASSWORD={}' -e \"A=b\" acme/agent", "gravel pond"),
        ('Environment="DB_PASSWORD={}" PORT=3000\n', "gravel pond"),
        ('"Env": ["A=b", "DB_PASSWORD={}", "C=d"]', "gravel pond"),
    ],
)
def test_a_value_goes_up_to_the_quote_that_ends_it(text: str, value: str) -> None:
    assert redacted(text.format(value)) == text.format(PASSWORD)


@for_each("text", ["connect(password='', user='jo')", "password = '' + other + ''", 'run -e "PASSWORD=" -e "A=b c"'])
def test_an_empty_string_is_no_password(text: str) -> None:
    assert redacted(text) == text


@for_each("name", ["smtppass", "ftppass", "dbpass", "sshpass", "ldapPass", "mysqlpass"])
@for_each("text", ["public ${} = '{}';", "{}={}\n", '{{"{}": "{}"}}'])
def test_a_name_may_be_glued_to_the_protocol_that_it_is_of(text: str, name: str) -> None:
    assert redacted(text.format(name, "Gravelpond3")) == text.format(name, PASSWORD)


@for_each("text", ["ftppass and dbpass are required", "the surpass of it = gravelpond", "bypass: 'gravelpond'"])
def test_a_word_that_ends_in_pass_is_no_name(text: str) -> None:
    assert redacted(text) == text


@for_each("text", ["GPG_KEY={}\n", '"GPG_KEY={}",\n', "PGP_KEY: '{}'\n"])
def test_the_fingerprint_of_a_key_of_openpgp_stays(text: str) -> None:
    assert redacted(text.format("0B4FBA4F30D0B01E773A0E1FE30F27CA0F0CB290")) == text.format(
        "0B4FBA4F30D0B01E773A0E1FE30F27CA0F0CB290"
    )


def test_of_a_setting_only_the_value_goes() -> None:
    text = 'add authentication-types=wpa2-psk name=home identity="" wpa2-pre-shared-key={}\n'
    assert redacted(text.format("gravelpond77")) == text.format(PASSWORD)


@for_each("table", ["public.users", "users", '"users"'])
def test_the_cells_of_a_dump_of_postgresql_go_by_the_name_of_their_column(table: str) -> None:
    text = (
        f"COPY {table} (id, name, password, api_token, state) FROM stdin;\n"
        f"1\tjo\t{{}}\t{{}}\tactive\n2\tmia\t{{}}\t\\N\tactive\n3\tann\t\\N\t{{}}\tgone\n\\.\n\nSELECT gravelpond;\n"
    )
    values = ("gravelpond", BASE64[:20], "Gravel Pond", BASE64[20:40])
    assert redacted(text.format(*values)).replace("[REDACTED:secret]", PASSWORD) == text.format(*[PASSWORD] * 4)


@for_each("column", ["password_id", "passwords_total", "token_count", "note"])
def test_the_cells_of_other_columns_of_a_dump_stay(column: str) -> None:
    text = f"COPY users (id, name, {column}) FROM stdin;\n1\tjo\tgravelpond\n2\tmia\t48\n\\.\n"
    assert redacted(text) == text


@for_each("value", [BASE64[:24], "//" + BASE64[:30], "+" + BASE64[:31]])
def test_what_jasypt_has_encrypted_stays(value: str) -> None:
    text = "spring.datasource.password=ENC({0})\nspring:\n  mail:\n    password: ENC({0})\n"
    assert redacted(text.format(value)) == text.format(value)


@for_each(
    "text",
    [
        'keyStore.load(in, "{}".toCharArray());',
        'factory.init(store, "{}".toCharArray());',
        'new PBEKeySpec("{}".toCharArray(), salt, 65536, 256);',
    ],
)
def test_a_string_that_java_makes_characters_of_goes_where_a_store_of_keys_is_opened(text: str) -> None:
    assert redacted(text.format("gravelpond")) == text.format(PASSWORD)
    assert redacted(text.format("password")) == text.format("password")


@for_each("flag", ['flag.String("db-password", "{}", "of the database")', 'flag.StringVar(&pw, "password", "{}", "a")'])
def test_the_default_of_a_flag_goes(flag: str) -> None:
    assert redacted(flag.format("Gravelpond8")) == flag.format(PASSWORD)
    assert redacted(flag.format("required")) == flag.format("required")


@for_each(
    "text",
    [
        "printf '{}' | docker secret create db -",
        "echo -n {} | gh secret set DB",
        "ansible-vault encrypt_string '{}' --name db",
    ],
)
def test_a_word_that_a_command_is_to_keep_as_a_secret_goes(text: str) -> None:
    assert redacted(text.format("gravelpond")) == text.format(PASSWORD)
    assert redacted(text.format("$PASSWORD")) == text.format("$PASSWORD")


@for_each(
    "text",
    [
        ': RSA gateway.key "{}"\n',
        'gateway : ECDSA /etc/ipsec.d/gateway.pem "{}"\n',
        "schema.registry.basic.auth.user.info=app:{}\n",
        '"basic.auth.user.info": "app:{}"\n',
    ],
)
def test_a_word_goes_at_its_place_in_the_files_of_strongswan_and_kafka(text: str) -> None:
    assert redacted(text.format("gravelpond")) == text.format(PASSWORD)


@for_each("head", ["login_totp", "totp", "TOTP"])
def test_the_seeds_of_one_time_codes_go_in_an_export_of_passwords(head: str) -> None:
    text = f"name,username,password,{head}\nmail,jo,{{}},{{}}\nshop,jo,{{}},\n"
    made = redacted(text.format("Gravelpond#2", "QX7MKT2ZPA5RJ3WBLVYD6HNCEF4GSUIO", "Kettle-Stone7"))
    assert made == text.format(PASSWORD, "[REDACTED:one-time-seed]", PASSWORD)
