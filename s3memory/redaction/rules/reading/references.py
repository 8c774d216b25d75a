"""Recognizes what stands for a secret that is elsewhere, by the whole expression around a finding.

A rule may see only a part of an expression, such as `os.Getenv("DB_PASSWORD` up to a quote. An expression is harmless
only if everything in it is a name: a default value, as in `${PASSWORD:-hunter2}`, is a secret. Sources:
https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/,
https://www.serverless.com/framework/docs/guides/variables,
https://learn.microsoft.com/azure/app-service/app-service-key-vault-references,
https://developer.1password.com/docs/cli/secret-references/, https://github.com/helmfile/vals,
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references.html, https://getsops.io/docs/.
"""

from __future__ import annotations

from s3memory.redaction.rules.reading.near import line_around, line_start
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import looks_random

_REACH = 160
_NAME = r"[A-Za-z_$][\w$]{0,60}"
_KEY = r"[A-Za-z_./-][\w./:~#@?=-]{0,100}"
# What reads a setting of the environment, of a file or of a store.
_GETTER = (
    r"(?i:get_?env(?:ironment_?variable)?|(?:lookup|fetch|require)_?env!?|environ|(?:option_)?env(?:iron(?:ment)?)?!?|_env|_server"
    r"|_(?:get|post|request|session|cookie)|env::var(?:_os)?|config(?:uration)?|settings?|conf|cfg|secrets?|credentials?"
    r"|params?|parameters?|options?|opts|args|kwargs|flags|request|req|session|cookies|headers|form|body|data|props"
    r"|state|store|values?|vars?|vault|keyring|viper|system|properties|hiera|lookup|prop(?:erty)?)"
)
_METHOD = r"(?i:(?:get|fetch|read|load|find|require|lookup|must)\w{0,24}!?|var|str|string|as_?string|value|secret|password|dig)"
_ARGUMENT = rf"\\?(?:[\"'`]{_KEY}|:{_NAME}|(?-i:[A-Z][A-Z0-9_]{{2,60}})(?=[)\]]))(?:\\?[\"'`])?"
_CLOSED = r"(?:[ ]?[)\]])"
_READ = (
    rf"(?:{_NAME}(?:\(\))?(?:\?\.|&\.|\.|::|->)){{0,5}}(?:{_GETTER}|get_?secret\w{{0,12}}|(?i:get)[A-Z]\w{{0,24}})"
    rf"(?:(?:\.|::|->){_METHOD}){{0,2}}[ ]?[(\[](?:{_ARGUMENT}{_CLOSED}?)?(?:(?:\[{_ARGUMENT}\]?)|\.{_NAME}(?:\(\))?){{0,4}}"
)
# A member of an object that holds settings or input: "form.pw1_x", "var.db1_password".
_OBJECT = (
    r"(?:form|settings?|config|conf|cfg|self|this|state|props|user|account|args|kwargs|request|req|body|data|params|options|opts"
    r"|env|ctx|context|values|secrets|credentials|creds|process|import|module|local|var|vars|input|inputs|event|payload"
    r"|session|app|db|database|outputs?|steps|needs|parameters|variables|each|random_password|aws_\w{2,40}|google_\w{2,40}"
    r"|azurerm_\w{2,40}|vault_\w{2,40}|Rails)"
)
_MEMBER = rf"\$?{_OBJECT}(?:(?:\?\.|\.|->|::){_NAME}|\[(?:[\"']?[A-Za-z_][\w-]{{0,60}}[\"']?|:{_NAME}|[0-9])\]){{1,6}}"
_MEMBER_WORD = r"(?i)pass|pw|secret|token|key|cred|auth|value|result|pin"
# Templates. A value after ":" counts as a name only where a source is before it: Spring writes defaults like that.
_SOURCE_OF = (
    r"(?:self|ssm|cf|env|file|sys|secrets?|opt|s3|sm|vault|aws|gcp|azure|kv|param|sls|bundle|var|secretsmanager)"
)
_COMMAND = (
    r"(?:<[ ]?[~.\w-]{0,40}/|(?:cat|pass|gopass|op|vault|aws|gcloud|az|kubectl"
    r"|security|secret-tool|bw|head|tail|openssl|pwgen|read|jq|sops|age"
    r"|uuidgen|doppler|chamber|lpass|keyring|gpg|base64|terraform|docker|sed|awk|grep|cut|tr)\b)"
)
_TEMPLATE = (
    rf"[$#%]\{{\{{?[ ]?@?[A-Za-z_][\w.-]{{0,80}}(?:\[[\"']?{_KEY}[\"']?\])?(?::-?)?[ ]?\}}?\}}"
    rf"|\$\{{{_SOURCE_OF}(?:\([\w./-]{{1,60}}\))?[:.][\w./~:${{-]{{1,100}}\}}{{1,2}}"
    rf"|\$\({_NAME}(?:[.:-]\w{{1,60}}){{0,4}}\)"
    r"|\{\{(?=[^{}0-9\n]{0,104}\}|-?[ ]?\.|[^{}\n]{0,104}(?i:pass|pw|secret|token|key|cred|user))-?[ ]?[\w.$](?:[\w.$|()/ ,-]|\[[\"'][\w.-]{1,60}[\"']\]){0,100}[ ]?-?\}\}|\{\{[ ]?(?:lookup|env|secret|include|resolve|ssm|vault)\b[^{}|\n]{1,120}\}\}"
    r"|%\([A-Za-z_]\w{0,60}\)s|%%?(?:[A-Z][A-Z0-9]*_[A-Z0-9_]{1,60}|[A-Za-z_]{1,60})%%?"
    r"|\{(?:[A-Za-z_]{1,60}|(?=[\w.]*(?i:pass|pw|secret|token|key|cred|user))[A-Za-z_][\w.]{1,60})\}"
    r"|<%=[ ]?[@\w.]{1,60}(?:\[[\"':][\w.-]{1,60}[\"']?\])?[ ]?%>|\$[Ee]nv:[A-Za-z_]\w{0,60}"
    r"|\$\$?[A-Za-z_]{1,30}(?:[0-9]{0,2}_[A-Za-z0-9]{1,20}){0,5}[0-9]?(?![\w$])"
    r"|\[\[[ ]?(?=[\w.]*(?i:pass|pw|secret|token|key|user|host))[A-Za-z_][\w.]{0,60}[ ]?\]\]|@@@[a-z]{1,12}@@@"
    r"|##[A-Z][A-Z0-9_]{2,60}##|__[A-Z][A-Z0-9_]{2,60}__|@[A-Z][A-Z0-9_]{2,60}@"
    r"|<[A-Za-z][a-z]*(?:[_ -][A-Za-z][a-z]*){0,6}[0-9]?>|<([0-9])\1{2,15}>"
)
_COMMAND_OUTPUT = rf"\$\({_COMMAND}[^()\n;]{{0,120}}\)|`{_COMMAND}[^`\n;]{{0,120}}`"
# Where the value is sealed or only pointed to, what looks random is no secret.
_SEALED = (
    r"@Microsoft\.KeyVault\([^()\n]{1,300}\)?|ENC\[[A-Z0-9_]{3,16},data:[^\]\n]{0,600}\]?|\{\{resolve:[^{}\n]{1,300}\}\}"
    r"|op://[^\s\"'`@/]{1,100}/[^\s\"'`@]{1,200}|(?:sm|awssm|awsps|asm|akv|gsm|gcp-?sm|gcpsecrets?|bws|chamber|keyring|keychain"
    r"|secretsmanager|doppler|infisical|conjur"
    r"|ref\+[a-z0-9]{2,20})://[^\s\"'`@]{1,200}|arn:aws[a-z-]{0,12}:(?:secretsmanager|ssm|kms|iam):[^\s\"'`,]{1,200}"
)
_MAY_BE_SEALED = r"KeyVault|ENC\[|resolve:|://|arn:"
_POINTER = (
    rf"(?:vault|keyring|kms|credstash|ssm|awssm|conjur|keystore|secretsmanager|hiera):(?=[\w:-]{{0,60}}[/#.]){_KEY}"
    r"|secret(?:Key)?[Rr]ef:[\w./-]{1,80}"
    r"|!(?:Ref|GetAtt|Sub|ImportValue|Join|Select|env_var|secret|include|file|vault|env|var|config)\b[ ][|>\"']?[\w.${}:/-]{0,120}"
    r"|@(?:[~.]{0,2}/)?[\w.-]{1,40}(?:/[\w.-]{1,40}){1,8}"
    r"|(?:(?<=PASSWORD )|(?<=BY )):[\"'][A-Za-z_]\w{0,60}[\"']"  # a variable of psql
)
_DIGEST = r"sha(?:1|256|384|512):[0-9a-f]{32,128}"
_MIN_MASK, _MAX_DIGITS, _MAX_PORT = 4, 3, 5
_CODE_OBJECTS = ("process.env.", "import.meta.", "self.", "this.", "data.", "var.", "local.", "module.")
_QUOTES, _CODE_SIGNS = ("'", '"', "`"), (",", ")", "}")
_BRACKETS = "{}()[]<>\"'`\\,;:"
_SIGNS_BETWEEN, _END_OF_URL = r"[@:/?&=.,;+ -]*", r"s?@[\w.:/?&=+-]*"
# A command that reads or sets passwords, at the end of a pipe.
_PIPED = r"\|[ ](?:sudo[ ](?:-\S{1,8}[ ]){0,2})?\Z"
_PASSWORD_TOOL = r"(?:ch|ht|mk|smb|ldap|vnc|gr|uni|pdbedit|yp|kd)?passwd|sshpass|askpass"
# In a call, a variable follows the name of an argument: "login(user: jo, password: dbPassword)".
_ARGUMENT_BEFORE = r"\w[ ]?\((?:[^()\n]{0,120}[, ])?[\"']?\w{1,40}[\"']?(?::[ ]?|[ ]?=[ ]?)\Z"
_VARIABLE = (
    r"[a-z][a-z0-9]{0,20}(?:[A-Z][a-z]{1,20}){0,3}(?:P(?:assword|asswd|assphrase|wd|ass|w)|Secret|Token|Key)[0-9]?"
    r"|(?:[a-z][a-z0-9]{0,20}_){1,4}(?:password|passwd|passphrase|pwd|pass|pw|secret|token|key)(?:_?[0-9])?"
)
_ARGUMENT_ENDS = r"[ ]{0,4}[,)}]"
# A literal to which code adds something: '"app:" + key', '"prefix_{}".format(x)'. Only its signs show that it is a part.
_JOINED_LITERAL, _JOINED = (
    r"[A-Za-z]{2,20}(?:[ _-][A-Za-z]{2,20}){0,3}[:=_./ -]{1,2}",
    r"\\?[\"'][ ]?(?:\+|\.|\.\.|&|<>|\|\|)[ ]?[A-Za-z_$@(]",
)
_FORMATTED = (
    r"(?:[A-Za-z_.:/ -]{0,40}[_.:/ -])?(?:\{[0-9]?\}|%[sdv])"
    r"(?:[_.:/ -](?:[A-Za-z_.:/ -]{0,40}[_.:/ -])?(?:\{[0-9]?\}|%[sdv])){0,4}(?:[_.:/ -][A-Za-z_.:/ -]{0,40})?"
)
# The name of a widget in a form: "passwordFieldLabel1". "mailBox12" may be a password.
_WIDGET = (
    r"[a-z]{2,20}(?:[A-Z][a-z]{1,20}){0,4}(?:Label|Field|Input|Placeholder|Button|Tooltip|Hint)[0-9]{0,2}"
    r"|(?:user|login|email|form|(?:[a-z]{2,16}P|p)ass(?:word|wd)?|pwd)(?:[A-Z][a-z]{1,20}){0,4}(?:Text|Title|Message|Box|Error)[0-9]{0,2}"
)
_NAME_IN_KEY = r"(?:[A-Za-z0-9]{1,20}[_.-]){0,6}(?i:password|passwd|passphrase|pwd|secret|token)[0-9]{0,2}"
_QUOTED_NAME = r"[A-Za-z][a-z]{1,20}(?:[A-Z_.-][a-z]{1,20}){0,4}"
_TO_DO = (
    r"(?i)change_?this|fixme|todo|(?:put|enter|insert)?your_?(?:own_?)?(?:db|smtp|secret|api|access)?_?"
    r"(?:password|passwd|secret|token|key)(?:here)?"
)
# The path of a setting ("queue/amqp/password"), and a constant of code ("processors.MASK").
_SETTING_PATH = (
    r"[a-z][\w-]{0,30}(?:/[a-z][\w-]{0,30}){0,6}/(?:\w{1,20}[_-])?(?:password|passwd|passphrase|secret|token|key)"
)
_CONSTANT = r"[a-z_]{2,30}(?:\.[a-z_]{2,30}){0,3}\.[A-Z]{2,}(?:_[A-Z]+){0,5}"
# A program at a commit or digest ("docker/login-action@343f7c43..."), a value in an audit log of Vault, and a cipher of
# a wireless network ("psk2+ccmp").
_PINNED = (
    r"[\w.-]{1,60}(?:/[\w.-]{1,60}){0,4}@(?:[0-9a-f]{40}|sha256:[0-9a-f]{64})"
    r"|(?:hmac-sha256:|(?<=hmac-sha256:))[0-9a-f]{64}|(?:psk2?|sae|owe|wpa2?)(?:-mixed)?(?:\+(?:tkip|ccmp|aes|gcmp)){1,3}"
)
# What a function of GraphQL and the like returns: "login(password: String!): Session!".
_TYPE, _RETURNED = r"[A-Z][a-z]\w{1,40}!?", r"\([^()\n]{0,120}:[ ]?\[?[A-Z]\w+[!\]]{0,3}\)[ ]?:[ ]?\Z"
_CODE_BEFORE = r"[\w\"'\]](?:[ ]?=|:)[ ]?\Z"
_KEY_BEGINS, _KEY_ENDS = r"(?:\A|\n|[{,(])[ \t]{0,40}(?:- )?[\"']?\Z", r"[\"']?[ ]?(?::[ \n]|=[ ])"


def is_reference_at(text: str, start: int, end: int) -> bool:
    """Whether the text from `start` to `end` is an expression that says where a secret is, or a part of one."""
    word = text[start:end]
    return (
        _is_masked(word)
        or _is_name(text, start, end, word)
        or _is_part_of_literal(text, end, word)
        or _is_in_expression(text, start, end)
    )


def _is_masked(word: str) -> bool:
    """Whether a word is a digest, a mask, as "xxxxxxxx" or "XXXX-XXXX", or asks for a value, as "yourpassword"."""
    if compiled(_TO_DO).fullmatch(word):
        return True
    if compiled(_DIGEST).fullmatch(word):
        return True
    core = word.replace("-", "").strip("$<>")
    return len(core) >= _MIN_MASK and (
        set(core) <= {"x"} or set(core) <= {"X"} or (core != word and core.isdigit() and len(set(core)) == 1)
    )


def _is_name(text: str, start: int, end: int, word: str) -> bool:
    """Whether a word names something: a setting, a widget of a form, a command, or a variable in a call."""
    line = text[line_start(text, start, _REACH) : start]
    if compiled(_WIDGET).fullmatch(word) or compiled(_SETTING_PATH).fullmatch(word):
        return True
    if compiled(_PINNED).fullmatch(text, start, end) or (
        compiled(_TYPE).fullmatch(word) and compiled(_RETURNED).search(line)
    ):
        return True
    if (
        compiled(_CONSTANT).fullmatch(word)
        and compiled(_CODE_BEFORE).search(line)
        and text[end : end + 1] in _CODE_SIGNS
    ):
        return True
    is_quoted_name = text[start - 1 : start] in _QUOTES and compiled(_QUOTED_NAME).fullmatch(word) is not None
    if (is_quoted_name or compiled(_NAME_IN_KEY).fullmatch(word)) and compiled(_KEY_ENDS).match(text, end):
        return compiled(_KEY_BEGINS).search(text, max(0, start - 48), start) is not None
    if compiled(_PASSWORD_TOOL).fullmatch(word):
        return compiled(_PIPED).search(line) is not None and not line.startswith("|")
    is_variable = compiled(_VARIABLE).fullmatch(word) is not None
    return is_variable and bool(compiled(_ARGUMENT_ENDS).match(text, end) and compiled(_ARGUMENT_BEFORE).search(line))


def _is_part_of_literal(text: str, end: int, word: str) -> bool:
    """Whether a word is the fixed part of a text that code completes."""
    if compiled(_FORMATTED).fullmatch(word):
        return True
    return compiled(_JOINED_LITERAL).fullmatch(word) is not None and compiled(_JOINED).match(text, end) is not None


def _is_in_expression(text: str, start: int, end: int) -> bool:
    """Whether an expression of names covers a finding, or several of them with signs between."""
    begin, stop = line_around(text, start, end, _REACH)
    if compiled(_MAY_BE_SEALED).search(text, begin, stop) and _any_covers(_SEALED, text, start, end):
        return True
    if not all(map(_is_plain, compiled(r"[A-Za-z0-9]+").findall(text, start, end))):
        return False
    around = text[begin:stop]
    for pattern, signs in ((_TEMPLATE, "$#%{<[@_"), (_READ, "(["), (_POINTER, ":!@")):
        # Each expression has one of these signs, and prose has few of them.
        if any(sign in around for sign in signs) and _any_covers(pattern, text, start, end):
            return True
    if _is_member(text, start, end) and _any_covers(_MEMBER, text, start, end):
        return True
    for found in compiled(_COMMAND_OUTPUT).finditer(text, begin, stop):
        # A password may be an argument of a command, which is in backticks in a note: `vault login hunter2`.
        if _covers(found.span(), text, start, end) and not text[found.start() : start].strip(_BRACKETS + "$"):
            return True
    rest, n_templates = compiled(_TEMPLATE).subn("", text[start:end])
    # A host may follow in a URL. Elsewhere "$h@d0w68" is a password.
    may_follow = f"{_SIGNS_BETWEEN}|{_END_OF_URL}" if "://" in text[begin:start] else _SIGNS_BETWEEN
    return n_templates > 0 and compiled(may_follow).fullmatch(rest) is not None


def _is_member(text: str, start: int, end: int) -> bool:
    """Whether a member of an object is named like a secret, and is code: in quotes or a file, "user.pass1" may be a value."""
    if compiled(_MEMBER_WORD).search(text, start, end) is None:
        return False
    if text.startswith(_CODE_OBJECTS, start):
        return True
    is_value = text[start - 1 : start] in _QUOTES or (
        text[start - 1 : start] in ("=", ":") and text[end : end + 1] not in _CODE_SIGNS
    )
    return not (is_value and any(map(str.isdigit, text[start:end])))


def _any_covers(pattern: str, text: str, start: int, end: int) -> bool:
    begin, stop = line_around(text, start, end, _REACH)
    return any(_covers(found.span(), text, start, end) for found in compiled(pattern).finditer(text, begin, stop))


def _covers(span: tuple[int, int], text: str, start: int, end: int) -> bool:
    """Whether `span` covers the text from `start` to `end`, apart from brackets and quotes around it."""
    word = text[start:end]
    start += len(word) - len(word.lstrip(_BRACKETS))
    return span[0] <= start and start + len(word.strip(_BRACKETS)) <= span[1]


def _is_plain(part: str) -> bool:
    """Whether a run of letters and digits may be part of a name: it has few digits, and does not look random."""
    return (
        sum(map(str.isdigit, part)) <= _MAX_DIGITS or (part.isdigit() and len(part) <= _MAX_PORT)
    ) and not looks_random(part, least=6)
