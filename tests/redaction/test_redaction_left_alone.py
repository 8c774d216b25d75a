"""Beside names of secrets, files hold references, types, masks, public keys, code and markup: these stay."""

from __future__ import annotations

from support.for_each import for_each

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
RANDOM = "Ctkx42uigSCQtKSuxVtnFnAqS7GURbE9"


@for_each(
    "text",
    [
        'password: z.string().min(12, "Password must be at least 12 characters").max(128),',
        f"AUTH0_CLIENT_ID={RANDOM}\nAUTH0_CLIENT_SECRET=<from 1Password>",
        f"NEXT_PUBLIC_STRIPE_KEY=pk_live_51{RANDOM}{RANDOM}",
        "Incorrect API key provided: sk-proj-********************7Qx2.",
        "ansible_password: \"{{ lookup('community.hashi_vault.hashi_vault', 'secret=kv/win01:password') }}\"",
        'kubectl create secret generic pg --from-literal=password="$(openssl rand -base64 24)"',
        "$ vault kv get -field=password kv/prod/ledger | pbcopy",
        "token: /^glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}$/,",
        "passord=Passord\nadgangskode=Adgangskode\nlozinka=Lozinka",
        "ssh_authorized_keys:\n- ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICbD7EPkEPhQtTx7iXDC9qqBULafVOEcNhCpZHxd+FvH ops",
        "api_password: !env_var HA_API_PASSWORD",
        '!function(e,t){var n=e.password||t.token,r=e.secret=function(o){return o.key===n?btoa(n+":"+o.auth):void 0}}',
        f"kind: SealedSecret\nspec:\n  encryptedData:\n    password: AgBc1guuh797Bacoq7xV+{RANDOM * 4}",
        "interface LoginForm {\n  password: string;\n  secretKey: Uint8Array;\n}",
        'config :depot,\n  password: System.fetch_env!("DB_PASSWORD"),',
        r"set /p PW=Password for \\fs01\scan:",
        '<a data-i18n="login.password.forgotten" href="/password/reset">Kennwort vergessen?</a>',
        "XRAY_TOKEN_KEY = 'AWS_XRAY_SDK_ENABLED'",
        "License: LGPLv3+_or_GPLv2+\n",
        "SSH_AUTH_SOCK=/tmp/ssh-ccWuqyFsfu0X/agent.2133",
        'log("FOUND: $git_token=$entry->{$git_token}");',
        "Auth0 user auth0|b444f0fde9d57e777a5c2d75 has two profiles",
        "Okta user 00uDQPhOLV4vblTlaLlP is deactivated, group 00gcZArQ6nx31RR7U0Mr stays",
        "okta: 0oakZhlQf9c1iIXOIJHz is the app",
        "S3 key: raw/2025/02/512ceb719ef86111c16566f93a96d1de.parquet",
        "pinned acme/auth-action to 8c52b5f783da6783415f4622e5a1f8582568dca5 since the attack",
    ],
)
def test_what_is_no_secret_in_files_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        ".apidoc #column2 > ul:nth-of-type(2) > :first-child > a[href] {",
        "openssl_evp_set_encrypt_key(ctx, key, EVP_cast5_ecb());",
        "0.00user 0.01system 0:00.04elapsed 25%CPU (0avgtext+0avgdata 0maxresident)k",
        "the algorithm number from RFC-2440.  (i.e. 1==RSA, 17==DSA, etc).",
        "| RH and IBM   | Michael         | 2023-Feb-16  |",
        "slot 3, label quay-sign-2024, is for signing secrets",
        "dataArray = encoder.encode('hello world from consumers!')",
        "パスワードは本人が管理。問い合わせ番号 0318-1516-2685(ヤマト)",
        "User asked about the password manager training on the 19th.",
        "Own username + password from the portal.",
        "Passwords with umlauts broke the old SOAP client (latin-1 vs utf-8).",
        "password hashing used cp1252, koi8-r and gb18030 before utf-8",
    ],
)
def test_what_is_no_password_in_code_manuals_and_sentences_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    "address",
    [
        "0x71586bfe2f375e23fb57265018761925aeb0f69d",
        "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
        "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
        "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
    ],
)
@for_each("text", ["contract of the token: {}, deployed", "TREASURY_KEY={}", "the secret's owner is {}", "password {}"])
def test_an_address_that_everybody_may_see_stays_whatever_is_beside_it(text: str, address: str) -> None:
    assert REDACTOR.redact(text.format(address)).text == text.format(address)


def test_a_key_that_is_written_as_an_address_is_goes() -> None:
    key = "0x71586bfe2f375e23fb57265018761925aeb0f69d71586bfe2f375e23fb572650"
    assert REDACTOR.redact(f"deployer key {key}").text == "deployer key [REDACTED:secret]"


@for_each(
    "text",
    [
        'curl -sL --user "$1:$2" "$3" > "$4"',
        "curl -u <user:password> https://example.org/endpoint",
        'curl -u "$USER:`cat pw.txt`" https://example.org',
        "- echo 'export DATABASE_PASSWORD=\"'$PRECOMPILE_PASSWORD'\"' >> .env",
        'curl -d \'{"password":"\'${PASSWORD}\'","user":"jo"}\' https://example.org',
        "FORGOT_PASSWORD=$BASE_URL/classroom/#/forgot_password",
        "DB_PASSWORD=$DB_PASS_PREFIX-$ENV",
        r"\$pwd = \$_POST[\"password\"];",
        r"\$password = mysqli_real_escape_string(\$con, \$_POST[\"password\"]);",
        '"//localhost:1337/:_password = "+new Buffer("feast").toString("base64")',
        '"password="+encodeURIComponent(pw)',
        "uid=#{store['DBUID']};pwd=#{store['DBPASSWORD']}",
        "environment:\n  - DB_PASSWORD=SHOP_DB_PASSWORD\n",
        'const DB_NO_AUTH = "postgresql://db.example.com:5432/shop";',
        "Authorization: Bearer mF_9.B5f-4.1JqM",
    ],
)
def test_what_a_shell_or_code_puts_in_place_of_a_password_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        '"/en/3.0/creating-a-strong-password":"/en/enterprise-server@3.0/auth"',
        'password: "/users/@me/password"',
        '"forgot_password": "/auth/forgot?step=1"',
        "put '/forgot-password' => \"cms/sites/passwords#update\", as: 'x'",
        'this.addPassword = "#add-password";',
        'selectors = {password: "#pass-1", user: "#user-1"}',
        'password: "input[name=password]"',
        "password = \"//input[@id='password']\"",
        'usernameLabel:"User:",passwordLabel:"Password:",rememberMeLabel:"Remember me:"',
        'const password = process.env.DEV_PASSWORD || "not-set"',
        'password: "to-be-defined"',
        'password = "set-in-env"',
    ],
)
def test_routes_selectors_labels_and_what_says_that_there_is_none_stay(text: str) -> None:
    assert REDACTOR.redact(text).text == text


SUM = "P6bYXFoao05z5uhOQzbC3Qd8JqF3jUoocoTeIxkp2cA="
LETTERS = "RmKqWvTzYbNcXpLdGhJsFaEuIoQwZxCvBn"
HEX_SUM = "b9dd9b6d52e3e6fcb6c65e151ad38bf4bc286382b5b6f97079c47ade6b1bcc6a"


@for_each(
    "text",
    [
        f"github.com/Azure/go-autorest/autorest/azure/auth v0.5.11 h1:{SUM}",
        f"github.com/golang-jwt/jwt/v4 v4.5.0/go.mod h1:{SUM}",
        f'resolved "https://registry.yarnpkg.com/access-token/-/access-token-9.0.2.tgz#{HEX_SUM[:40]}"',
        f'"jwt": {{:hex, :joken, "2.6.0", "{HEX_SUM}", [:mix], [], "hexpm", "{HEX_SUM[::-1]}"}},',
        f"SPEC CHECKSUMS:\n  Alamofire: {HEX_SUM[:40]}\n  KeychainAccess: {HEX_SUM[:40]}",
        'System.Web, Version=4.0.0.0, Culture=neutral, PublicKeyToken=b03f5f7f11d50a3a, processorArchitecture="MSIL"',
    ],
)
def test_sums_of_files_that_lock_versions_stay(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        "- (id)hf_requiredCharacteristicTypesForDisplayMetadata;",
        "&hf_servingcellpriorityparametersdescription_h_prio",
        "xoxb-my-bot-token, xoxb-Slack_BOT_TOKEN, xoxb-xoxb-my-bot-token",
        "xoxe.xoxp-1-SlackAppConfigurationAccessTokenHere",
        '"token4": "xoxp-572370529330-573807301142-572331691188-####################"',
        f'apiKey: "AIza{"a" * 35}"',
        f"ghp_{'0' * 36}",
        "Activation key : ZAQWS-XCDER-*****-VBGTR-FRTGU",
        "apikey: 3f9c2ab1********************",
        "export OP_SERVICE_ACCOUNT_TOKEN=ops_eyJzaWduSW5BZGRyZXNzIjoiaHR0cHM6...",
        "https://app.powerbi.com/view?r=eyJrIjoiYTZjMTk3YjEtMzQ4Yi00NTI5LTg6ZDItNmUyMGRlOTkwMGRlIiwidCI6IjcyZjk4OGJmIn0",
    ],
)
def test_names_of_code_masks_and_beginnings_are_no_tokens(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        "curl -u <user>:«Gravel-5111x» https://example.org",
        "DB_PASSWORD=«$Harbor4711!»",
        'password = "«+Harbor(4711»"',
        'password: "«/Harbor!4711»"',
        "password: '«#Harbor4711»'",
        'password: "«harbor#gravel»"',
        'password: "«no-more-tears»"',
        'passwordLabel:"Password:",password:"«Gravel51!x»"',
        f"auth token: «{SUM}»",
        "license key: «A1B2C-D3E4F-G5H6I-J7K8L-M9N0P»",
        f"Slack: «xoxb-572370529330-573807301142-{RANDOM}»...",
        f"«hf_{LETTERS}»",
    ],
)
def test_what_is_made_almost_alike_is_a_secret(text: str) -> None:
    secret = text.partition("«")[2].partition("»")[0]
    assert secret not in REDACTOR.redact(text.replace("«", "").replace("»", "")).text


@for_each(
    "text",
    [
        'level=warn msg="invalid password" user=marta.k ip=10.2.0.9 attempt=3',
        "level=info msg='wrong password' account=svc-web3 ip=10.2.0.9",
        "SSH host key for new box: SHA256:weTz+P8LZI+AFxAS5+bgmGx9B0p2zKAdC88A2dU4IlB (ED25519)",
    ],
)
def test_settings_beside_a_message_and_fingerprints_of_public_keys_stay(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        "safe to delete: tmp_9f2c, locked by pid 44121",
        "the lock timeout is 300000 ms and the archive has 482913 files",
        "kodeord: se boksen",
        "never read /etc/passwd\n@rules/reading.md\n",
        "Passwords\n@~/notes/where-they-are.md\n",
        "Sicherheitsfrage: siehe Wiki",
    ],
)
def test_locks_of_programs_and_where_an_answer_is_stay(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each("thing", ["object key", "hostname", "bucket", "page token", "meter number", "account id", "build"])
@for_each(
    "said",
    [
        "The {} they issued yesterday: {}",
        "{} for the scraper was {} before",
        "Both hosts share one {}, namely {}.",
        "The {} for Vexor is {}.",
        "the {} is still {}; nobody rotated it",
    ],
)
def test_what_a_sentence_says_is_a_thing_is_no_secret(thing: str, said: str) -> None:
    for value in ("9paTwnAdrwEzKxB0", "tok_4Hs9dKq2", "kd93jf83kd02"):
        assert REDACTOR.redact(said.format(thing, value)).findings == ()
        assert value not in REDACTOR.redact(said.format("deploy token", value)).text


@for_each(
    "text",
    (
        "        if self._more_args:\n            result = self._passphrase(size, rwflag, userdata)",
        "    def find_user_password(self, realm, authuri):\n        pass",
        "            return self.getToken(ASLIntrinsicParser.Base64Encode, 0)",
        "    key = RSA.importKey(self.rsaPublicKeyPEM)\n    self.assertFalse(key.has_private())",
        "        other_controls = list(self.find())\n        key = current_window, frozenset(other_controls)",
        "    ctx.load_cert_chain(CERTFILE_PROTECTED, password=getpass_huge)",
        "    user_pass = '%s:%s' % (unquote(user), unquote(password))",
        "    def auth(self, credentials: Credentials) -> SigV4Auth:\n        return SigV4Auth(credentials)",
        "PASS: ld-ifunc/ifunc-9-i386\nPASS: Build libpr16467a.so\nXFAIL: objcopy --set-start\nPASS: i386 float",
        '<h5 id="guarantees"><a class="doc-anchor" href="#guarantees">\u00a7</a>Guarantees</h5>\nIts key',
        "=== ld Summary ===\n\n# of expected passes\t\t2867\n# of expected failures\t\t59",
        "returns metadata for the key \\f5frodo\\fR within the\nkeyring \\f5fellowship\\fR",
        "a token in the URL safe alphabet, RFC 4648. */ char *encode_token(",
        "  * **Ann Roe** <<ann@example.com>>\n  `DD792F5973C6DE52C432CBDAC77ABFA00DDBF2B7`",
        "$ gpg-wks-server --install-key C0FCF8642D830C53246211400346653590B3795B",
        "the token is in the range (0..U+10ffff), and its node is at 0x7fff000?",
    ),
)
def test_calls_types_results_of_tests_and_markup_that_name_a_secret_stay(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    (
        "USER: jo\nPASS: {}\nUSER: mia\nPASS: Gravel!5111y\nUSER: ann\nPASS: Pebble!6222z\n",
        "jo\nPASS: {}\n\nmia\nPASS: Gravel!5111y\n\nann\nPASS: Pebble!6222z\n",
        "PASS: {}\nPASS: Gravel!5111y\nPASS: Pebble!6222z\n",
        "Router (user=admin, password={})",
        "Wifi password: {} > Guest",
        "log in to the EN {} site, password",
        'password: F"{}',
        "Password: {}</td>",
        "the password was reset to {}",
        "you have to pass {} as the api token",
        "<b>api token</b>: <code>{}</code>",
    ),
)
def test_beside_what_code_and_manuals_look_like_a_password_goes(text: str) -> None:
    assert "Harbor!4711x" not in REDACTOR.redact(text.format("Harbor!4711x")).text


@for_each("password", ("marble_kettle_otter", "marble.kettle.otter"))
def test_a_name_that_is_no_argument_of_a_call_goes(password: str) -> None:
    assert password not in REDACTOR.redact(f"Router (user=admin, password={password}), ask Jo").text


BEFORE = "What the command line prints for the account, copied on Tuesday, follows here.\n\n"


@for_each(
    "text",
    [
        '"SubnetIdentifier": "subnet-0bb1c79d",\n"SubnetStatus": "Active"',
        '"VPCZoneIdentifier": "subnet-7be0c3a1,subnet-21a9d4f0,subnet-c934b782"',
        "peer vpc-5f0a77c3 and vpc-90b1dd2e, and log in to the console for the rest",
        "The route table rtb-0e6d9c4b3a2f18571 has one route to igw-7c21b0aa.",
        "aws vpc-lattice get-service-network --service-network-identifier sn-04d0c8a7e3b2f6519",
        "the task replacevol-04b7d19c02f5e6a83 is done",
        '"DeploymentIdentifier": "bgd-qk3vu7f2m1x9zq0a"',
        '"PrivateKeyCiphertextBlob": "AQIDAHjXp7uTgPa0SbwQ5kdHLu9T2cZ0yKbq1eA3sNf7GkXw4gF1b0u9Rv8h6sQ2kQ0xYt"',
        '"nextForwardToken": "f/3720984kq1mZpT0aWd7Lr5Nc8Ux2Bv6Ys9Hg4Jt"',
        "X509v3 Subject Key Identifier:\n    9B:7E:06:49:A3:3E:62:B9:D5:EE:90:48:71:29:EF:57:CA:1F:0C:E3",
        '"TaskId": "9fYq3KZ0tWm1xYb7Lm2P"',
        "aws cognito-idp forgot-password --client-id 7q1mnd0v2sk9c4ulhx3tb8yrfe --username jo",
        '"MaximumEventAgeInSeconds": 5400',
        "postgres_login_password: changeme\npostgres_login_port: 6432",
        "the license of it:\n\nOpenGraph-client is under the MIT license",
        "| DBName | acme_dbname | |\n| DBPassword | acme_dbpassword | |\n| TLSCipherPSK13 | acme_tlscipherpsk13 | |",
        "from acme.types import Floats1d, Ints2d",
        "X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20190903%2Feu-west-1%2Fs3%2Faws4_request",
        "skip request-sampler.worker.js for now",
    ],
)
def test_ids_of_the_cloud_and_names_of_code_stay(text: str) -> None:
    text = f"{BEFORE}{text}\n"
    assert REDACTOR.redact(text).text == text


@for_each(
    "lines",
    [
        "baldpale banyek Bergkamp betanum bigo8525 bizmate boreal321 brutus burner1024 calfonso",
        "ACADEMY ACCENTURE ACCOUNTANT ACTOR ALIPAY ALLFINANZ ALLSTATE ALSACE",
        "9978 9979 9981 9989 9992 100344 100352 101120 101632",
    ],
)
def test_lines_in_order_are_a_list_of_words_or_numbers(lines: str) -> None:
    text = f"{BEFORE}{lines.replace(' ', chr(10))}\n"
    assert REDACTOR.redact(text).text == text


@for_each("name", ["secret_id: ", '"secretId": "', "vault write auth/approle/login --secret-id "])
def test_the_secret_id_of_a_role_is_no_id(name: str) -> None:
    assert RANDOM not in REDACTOR.redact(f"{BEFORE}{name}{RANDOM}\n").text


@for_each(
    "name",
    ["MyTestSecret-a1b2c3", "prod/db/password", "arn:aws:secretsmanager:eu-west-1:111122223333:secret:db-a1B2c3"],
)
def test_the_name_of_a_managed_secret_stays(name: str) -> None:
    text = f"{BEFORE}aws secretsmanager get-secret-value --secret-id {name}\n"
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        'The lists of the most common passwords begin with "qwerty".',
        "Leaked lists show how many choose passwords such as sunshine or 1234567.",
        "Passw\u00f6rter wie qwertz1 fallen sofort.",
    ],
)
def test_a_word_that_leads_every_list_stays_where_passwords_in_general_are_spoken_of(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each("text", ["the passwords are sunshine and Gravel!5111", "the wifi password is sunshine", "password: 1234567"])
def test_a_word_that_leads_every_list_goes_where_it_is_somebodys(text: str) -> None:
    redacted = REDACTOR.redact(text).text
    assert "sunshine" not in redacted
    assert "1234567" not in redacted


@for_each("head", ["Passwords:", "Old wifi passwords, newest last:", "PINs of the lockers:"])
@for_each(
    "lines",
    [
        "bramble-cinder-maple candle-otter-ferry copper-falcon-kettle harbor-tinsel-quarry juniper-meadow-saddle",
        "1184 2250 3371 4482 5593 6604",
    ],
)
def test_lines_in_order_go_below_the_name_of_a_secret(head: str, lines: str) -> None:
    redacted = REDACTOR.redact(f"{BEFORE}{head}\n\n{lines.replace(' ', chr(10))}\n").text
    assert not [line for line in lines.split() if line in redacted]


@for_each(
    "text",
    [
        "next api token: {}",
        "previous deploy token: {}",
        "nextSecretToken = {}",
        "import the key with {}",
        "secret identifier: {}",
        '"secretIdentifier": "{}"',
    ],
)
def test_what_resembles_an_id_an_import_or_a_place_in_a_list_goes(text: str) -> None:
    assert RANDOM not in REDACTOR.redact(f"{BEFORE}{text.format(RANDOM)}\n").text


@for_each(
    "text",
    [
        "import the key with harbor4711",
        "token commit bot: harbor4711",
        "our most used passwords: dragon and Gravel!5111",
    ],
)
def test_a_password_of_words_goes_beside_import_and_in_a_list_of_ones_own(text: str) -> None:
    redacted = REDACTOR.redact(f"{BEFORE}{text}\n").text
    assert "harbor4711" not in redacted
    assert "dragon" not in redacted


@for_each("value", ["sg-2nc09ixw", "import-sunshine", "fs-harbours", "otter-5788059729a617227"])
def test_what_has_other_letters_than_an_id_of_the_cloud_goes(value: str) -> None:
    assert value not in REDACTOR.redact(f"{BEFORE}the wifi password is {value}\n").text


@for_each("name", ["x-api-key: ", "secret: ", "token: "])
@for_each("value", ["mEXkwQ.TpHfVv.BZjELq", "XqTXvK.CYfhUB.TyDWuO"])
def test_what_is_random_in_groups_of_letters_goes(name: str, value: str) -> None:
    assert value not in REDACTOR.redact(f"{BEFORE}{name}{value}\n").text


@for_each(
    "text", ["common passwords of the office: wifi {}", "weak passwords found: jo uses {}", "our weak passwords: {}"]
)
def test_a_word_that_leads_every_list_goes_where_it_is_told_whose_it_is(text: str) -> None:
    assert "dragon77" not in REDACTOR.redact(text.format("dragon77")).text


@for_each(
    "text",
    [
        'private static final String TRUST_STORE_PASSWORD = "trustStorePassword";',
        "- Hash de senha: `Bun.password.hash` / `Bun.password.verify`",
        'logger.info(String.format("%nGenerated security password: %s%n", user.getPassword()));',
        "CREATE LOGIN app WITH PASSWORD = N'$(APP_DB_PASSWORD)';",
        "sed -i 's/^# requirepass .*$/requirepass ${PW}/' /etc/redis/redis.conf",
        "- 비밀번호: `apps/android/keystore.properties`에만 있다.",
        "key_mgmt=WPA-EAP WPA-PSK IEEE8021X NONE",
        'String query = "password=\'" + pwd + "\'"; // Compliant',
        "用户忘了默认密码是多少",
        "`plain-text-password` 是「用互動方式輸入」",
        "- **Cambia la contraseña inmediatamente**",
        "The credentials were valid and gave WinRM access (Pwn3d!).",
        'if (password.equals(confirmation) && !"password".equals(type)) {',
        'assertThat(user.getPassword()).isEqualTo("required");',
    ],
)
def test_names_formats_and_what_is_to_be_done_stay_in_the_place_of_a_password(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    "text",
    [
        'private static final String TRUST_STORE_PASSWORD = "trustStore4711";',
        "- Senha: `Gravel.pond.4711`",
        "CREATE LOGIN app WITH PASSWORD = N'gravel$(4711';",
        "key_mgmt=WPA-PSK\npsk=gravel8021X",
        "默认密码是gravel4711",
        'assertThat(user.getPassword()).isEqualTo("gravel4711");',
    ],
)
def test_a_password_in_the_same_place_goes(text: str) -> None:
    redacted = REDACTOR.redact(text).text
    assert "[REDACTED:" in redacted
    assert "4711" not in redacted
    assert "8021X" not in redacted


@for_each(
    "text",
    [
        "Photocopier dept code 2231 (not secret, on the lid)",
        "código de la fotocopiadora 2231 (no es secreto)",
        "Kopierer-Code 2231 (nicht geheim, steht auf dem Deckel)",
        "コピー機の暗証番号 2231(秘密ではない)",
        "senha do painel da fila: B044, guichê 7",
        "senha do atendimento: C112, guichê 3",
        "turno código C044, ventanilla 3",
        '{"properties":{"username":{"type":"string"},"password":{"type":"string","minLength":12}}}',
        "the password is season+year, i.e. easy to guess",
        "Passwort ist Jahreszeit+Jahr, wird quartalsweise neu",
    ],
)
def test_what_is_no_secret_in_notes_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@for_each(
    ("text", "secret"),
    [
        ("gate code 2231 (not secret from Tom)", "2231"),
        ("gate code 2231 (secret, not on the lid)", "2231"),
        ("nas password Grackle_77! (not secret)", "Grackle_77!"),
        ("senha da porta: B4471, sala 7", "B4471"),
        ("the db pw is season+year of the audit, i.e. Autumn2021 and then a bang", "Autumn2021"),
        ('borg key phrase "the ferry leaves at half six" (typed w/ spaces, no caps)', "the ferry leaves at half six"),
        ("rcon pw sheepdip port 25575, whitelist on", "sheepdip"),
        ("Code portail A2718. Gardienne : Mme Pinto, 8h-12h", "A2718"),
    ],
)
def test_only_the_secret_next_to_what_describes_it_goes(text: str, secret: str) -> None:
    before, after = text.split(secret)
    redacted = REDACTOR.redact(text).text
    assert redacted.startswith(before)
    assert redacted.endswith(f"]{after}")


def test_the_word_that_a_password_replaced_goes() -> None:
    assert "calvin" not in REDACTOR.redact("root-Zugang dort jetzt calvin → Zwetschge-88-kalt").text
    assert "portalului" in REDACTOR.redact("parola portalului => Grackle_77!").text
