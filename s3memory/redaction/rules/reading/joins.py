"""What joins the name of a secret to its value: a sign, a verb, the bar of a table, a bracket, or a space.

After a name, a secret may follow or not: "password is required", `password: str` and `password = os.environ["DB"]` have
none. Names and joins are matched by patterns; other modules judge the value.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from s3memory.redaction.rules.reading import names
from s3memory.redaction.rules.reading.literals import Literal, literal_at
from s3memory.redaction.rules.reading.near import is_in_placeholder
from s3memory.redaction.rules.reading.table_cells import next_cell_is_unrelated
from s3memory.redaction.text.compiling import compiled, occurs

# A name may end in a number, an environment or what it opens: "password2", "token_prod", "password_db". With any other
# ending it names something else: "password_hash", "token_url".
_NAME_END = (
    rf"(?:{names.ENDINGS})?(?:[_-]?[0-9]{{1,2}})?(?:[_-](?:prod|production|dev|staging|test|live|old|new|value|plain|plaintext|text))?"
    r"(?:[_-]?(?:(?:my)?sql|db|bd|database|banco|postgres|redis|mongo|mqtt|smtp|imap|e?mail|s?ftp|ssh|ldap|vpn|wi-?fi|wlan"
    r"|nas|router|admin|root|guest|gast|backup|master|server|srv|cloud|proxy))?(?![A-Za-z0-9_-])"
)
_TYPE = r"(?:Option(?:al)?[\[<])?(?:&?(?:'static )?[Ss]tr(?:ing)?|bytes|SecretStr|char ?\*)[\]>]?(?: \| None)?\??"
_SET_TO = r"(?:re)?set to|changed to|rotated to|updated to"
_VERB = (
    rf"(?:is|was|are|has been|(?:will|shall|should|must|needs to|has to) be)"
    rf"(?: now| currently| still)?(?: (?:{_SET_TO}))?(?:,)?|{_SET_TO}"
    r"|lautet|hei(?:\u00df|ss)t|ist|war|wurde auf|est|sera|es|ser\u00e1|\u00e8|\u00e9|jest|\u00e4r|becomes|['\u2019]s"
)
_PURPOSE = (
    r"(?: \([^()\n]{1,40}\)"
    r"|[ ](?:for|of|on|to|in|at|from|f\u00fcr|von|pour|du|de|para|del|do|da|dos|das|van|voor|della|per|till|til)[ ]"
    r"[^\n:=|.]{1,60}?)?"
)
# YAML's anchor, "&name", which "*name" refers to. After "&mut" and the like comes a type of Rust.
_ANCHOR = r"(?<=: )&(?!mut|dyn|impl)[A-Za-z][\w-]{0,40}[ ]{1,4}(?=[^\s=(){}<>]{1,200}[ \t]{0,9}(?:\r?\n|\Z)|[\"'])"
# What code has before the string: a conversion (`String::from("v")`), a format (`"{}".format("v")`), or the variable
# whose default it is (`os.getenv("CI_KEY", "v")`, `process.env.CI_KEY || "v"`).
_VARIABLE = r"[\"'][\w.-]{1,64}[\"']"
_WRAPPER = (
    r"(?:(?:new )?(?:std::)?(?:string|str|bytes|SecretStr|SecretString|Secret)(?:::from|::new|\.valueOf)?\( ?"
    r"|\[NSString stringWithFormat:|(?:String\.format|(?:fmt\.)?sprintf|format!)\( ?\"(?:%s|\{\})\", ?"
    r"|\"(?:\{0?\}\"\.format\( ?|%s\" % \(?)|'(?:\{0?\}'\.format\( ?|%s' % \(?)"
    r"|(?:\w{1,16}\.)?(?:get_?env\w{0,12}|env|(?:environ|env)\.(?:get|fetch)|getenv\(\)\.getOrDefault)"
    rf"\( ?{_VARIABLE}, ?(?:default ?= ?)?"
    rf"|(?:process\.env\.\w{{1,64}}|(?:process\.env|ENV)\[{_VARIABLE}\]|os\.(?:getenv|environ\.get)\({_VARIABLE}\))"
    r" (?:\|\||\?\?|or) )(?=[@fbru]?[\"'])"
)
# A shell reads a variable, or else takes this value: `${1:-v}`, as `${PASSWORD:-v}` is read from the name inside.
_DEFAULT = r"\"?\$\{[0-9]:?[-=]"
_OPENING_GUILLEMET = r"\u00ab[ \u00a0\u202f]{0,2}"
# A column for the type, between name and value in a table of settings.
_TYPE_COLUMN = r"(?:string|str|text|secret|password|varchar)"
# The value is nested in an object or a block: `"password": {"value": "..."}`.
_SETTINGS = r"(?:[a-z_]{2,20}[ \t]{0,20}=[^\n{}]{1,80}\n[ \t]{0,20}){0,4}"
_NESTED = rf"[ \t]{{0,4}}(?:[:=]?[ \t]{{0,4}}\{{\s{{0,40}}{_SETTINGS}|:[ \t]{{0,4}}\r?\n[ \t]{{1,40}})\\?[\"']?"
# Other members of a JSON object, between its name and its value.
_MEMBERS = r"(?:,\s{0,40}[\"'](?!value)\w{1,20}[\"'][ ]?:[ ]?(?:[\"'][^\"'\\\n]{0,60}[\"']|[\w.]{1,20})){0,3}"
# What closes around a name: quotes, emphasis, brackets.
_CLOSERS = r"(?:\\?[\"'`]|\*{1,2}|__|\]|\)){0,3}"
_LATIN_JOIN = (
    rf"(?ai:{_NAME_END}(?:\(\)(?=\){{0,2}}\.))?{_CLOSERS}"
    r"(?:[ \t]{0,4}:[ \t]{0,3}(?P<block>[|>][+-]?)[ \t]{0,3}\n[ \t]{1,40}"
    rf"|(?P<inner>{_NESTED}(?:value|default|S)\\?[\"']?[ \t]{{0,3}}[:=][ \t]{{0,3}})"
    rf"|[ \t]{{0,20}}(?:\{{[ ](?:(?:private |protected )?(?:get|set|init);[ ]){{1,2}}\}}[ ])?"
    rf"(?:(?::[ \t]{{0,3}}|(?<=[ \t])){_TYPE}[ \t]{{0,3}})?"
    r"(?P<sign>=>|:{1,3}=|:-(?![)(/|-]|[DPp]\b)|\?\?=|[?+.|]=|={1,3}|!={1,2}|:{1,2}(?!//|\?\w)|-{1,2}>|<-|<<<"
    r"|\.(?:[Ee]quals(?:IgnoreCase)?|contentEquals|isEqualTo|thenReturn|eql\?|to(?:Be|(?:Strict)?Equal))\([ ]?(?=[\"'])"
    r"|\uff1a|\uff1d|\u2192|\|\|=?|\?\?)"
    rf"(?:\*\*|__)?[ \t]{{0,20}}(?![ \t\r]*\n)"
    rf"(?:Some\(|{_WRAPPER}|{_DEFAULT}|!!(?:str|binary)[ ]{{1,4}}|{_ANCHOR}|{_OPENING_GUILLEMET})?"
    rf"|[ \t]{{0,20}}(?P<cell>\|(?:[ \t]{{0,20}}{_TYPE_COLUMN}[ \t]{{0,20}}\|)?)[ \t]{{0,20}}"
    r"|(?P<tag>(?: [\w:-]{1,24}=[\"']?[\w.:/#-]{0,60}[\"']?){0,4} ?>(?:\s{0,40}<(?:value|string|entry)>)?"
    r"|</(?:key|name|dt|t[dh]|b)>\s{0,40}<(?:value|string|dd|td|code)>)\s{0,40}"
    rf"|{_MEMBERS},?\s{{0,40}}\\?[\"']?(?P<item>value\\?[\"']?[ \t]{{0,3}}[:=][ \t]{{0,3}})"
    r"|[ \t]{1,3}(?P<body>(?:--body|-b|--value|--secret-(?:string|value))[ =][ \t]{0,3})"
    r"|[ \t]{1,3}(?P<dash>[-\u2013\u2014])[ \t]{1,3}"
    rf"|{_PURPOSE}(?:[ ]{{1,2}}|(?=['\u2019]))(?P<verb>{_VERB}):?[ ]{{1,2}}(?:{_OPENING_GUILLEMET})?"
    rf"|{_PURPOSE}[ ](?P<to>to)[ ]{{1,2}}"
    r"|[?.!]?[ ]{1,2}(?P<it>(?:[Ii]t|[Tt]hat)(?: is|'s| was):?[ ]{1,2})"
    rf"|{_PURPOSE}[ ]?(?P<note>[:=](?!//|\?\w))(?:\*\*|__)?[ ]{{0,3}}(?![ \r]*\n)"
    r"|[ \t]{0,3}(?P<comma>[,(])[ \t]{0,3}"
    r"|:?(?P<below>[ \t]{0,3}\n[ \t]{0,3}\n?[ \t]{0,8}(?:[-*+][ ]{1,3})?)"
    r"|(?P<gap>[ \t]{1,3}(?:(?:to|as|auf|with)[ ]{1,2})?)"
    r"|(?P<label>(?<=\)))))"
)
_OTHER_JOIN = (
    r"[\"'`*)\]]{0,3}(?:[ \t]{0,3}(?P<sign>=>|:=|={1,3}|:{1,2}|->|\uff1a|\uff1d)(?:\*\*)?"
    r"|(?P<verb>[ \t]{0,3}(?:\u306f|\u662f|\u4e3a|\u70ba|\ub294|\uc740|\u2014|-|\u044d\u0442\u043e"
    r"|\u0434\u043b\u044f[^\n:]{1,40}:))"
    r"|(?P<cell>[ \t]{0,20}\|)|(?P<comma>\()"
    r"|(?P<gap>(?:[ ](?:to|jest)(?=[ ])|[ ](?:\u043e\u0442|\u0434\u043b\u044f|\u043a)"
    r"(?:[ ][\u0400-\u04ff-]{2,20}){1,2}(?=[ ]))?))[ \t\u300c\u201c\uff08]{0,3}"
)

# After these joins a value follows for certain.
SURE = ("block", "sign", "item", "inner", "tag", "body", "option")

_MAX_LENGTH_BEFORE = 42
# Before a name whose value follows after "to": "changed the ".
_CHANGED = r"(?i)(?:chang|updat|rotat|switch|set|gesetzt)\w{0,5}(?: \w{1,12}){0,3} [\w.-]{0,30}\Z"
# Commands that set a name with only a space before the value: "ENV TOKEN v", "#define PASSWORD v".
_DIRECTIVE = (
    r"(?:\b(?:ENV|ARG|setx|setenv|set -[A-Za-z]{1,3})|#[ ]?define|\((?:setq|defvar|defconst|defparameter|define|def))"
    r"[ \t]{1,3}[\w.-]{0,24}\Z"
)
_OPTION = r"(?<![\w-])--?[\w.-]{0,40}\Z"
# A user right before the name of the password: "user: jo, ", "jo@example.org with ".
_USER_BEFORE = (
    r"(?i)(?:(?:\buser(?:[ _]?name)?|\blogin|\baccount|\bid|\bbenutzer|\busuario|\butilisateur)[ :=-]{1,3}"
    r"(?!(?:name[ ](?:and|or)|and|or|und|oder|et|ou|y|o)[ ])\S{1,30}|\w@[\w.-]{3,32}\.[a-z]{2,12})[ ,;/]{1,3}"
    r"(?:(?:and|und|et|y|with|mit)[ ])?(?:the[ ])?(?:(?:plain|clear)[ -]?text[ ])?\Z"
)
# A user on the line above that name, as in YAML or an env file: "DB_USER=jo".
_USER_LINE = (
    r"(?m:^)(?P<indent>[ \t]{0,12})[\"']?(?:[\w.-]{0,20}[_.-])?(?:user(?:[ _-]?name)?|login|account)[\"']?"
    r"(?::[ ]|[ ]?=[ ]?)[\"']?[^\s:{}\[\]\"']{1,40}[\"']?,?\r?\n(?:[ \t]{0,12}(?:#|//|;)[^\n]{0,60}\n){0,2}"
    r"(?P=indent)[\"']?(?:[\w.-]{0,20}[_.-])?\Z"
)
_MAX_USER_LINE_LENGTH, _MAX_DEFAULT = 240, 70
_TAGGED = r"([^\s<>]{1,40}(?:[ ][^\s<>]{1,40}){1,7})\s{0,40}</"  # words before a closing tag
# A call whose first argument is the name: "getenv(", "define(".
_CALL = (
    r"(?i)(?:get|getenv|env|environ|default|define|config|setting|param|set|put|with|flags?\.)\w{0,12}"
    r"\(?[\"'\w. -]{0,3}[\w.-]{0,30}\Z"
)


class Named(NamedTuple):
    """The name of a secret and its join to a value.

    Attributes:
        text: The whole text.
        start: The start of the name.
        end: The end of the join, where a value would start.
        name: The name.
        how: The kind of join: the name of the group that matched, or "option" for the space after a command's option.
        join: The match of the join.
        before: The text before the name, as much of it as is needed.
    """

    text: str
    start: int
    end: int
    name: str
    how: str
    join: re.Match[str]
    before: str

    @property
    def sign(self) -> str | None:
        """The sign between name and value, or `None` for another kind of join."""
        return self.join["sign"]

    @property
    def is_glued(self) -> bool:
        """Whether the value follows "=" without a space."""
        return self.sign == "=" and self.text[self.end - 1] == "="

    @property
    def is_setting(self) -> bool:
        """Whether this is a setting of an env file or a shell: "DB_PASSWORD=hunter2"."""
        return self.name.isupper() and self.is_glued

    @property
    def is_default(self) -> bool:
        """Whether a shell takes the value if a variable is not set: "${DB_PASSWORD:-hunter2}"."""
        start = max(0, self.end - _MAX_DEFAULT)
        return compiled(r"\$\{\w{1,64}:?[-=]\Z").search(self.text, start, self.end) is not None

    @property
    def is_option(self) -> bool:
        """Whether the name is an option of a command: "--password"."""
        return compiled(_OPTION).search(self.before) is not None

    @property
    def is_beside_a_user(self) -> bool:
        """Whether a user, an account or an identifier comes right before the name: "user jo, password"."""
        return occurs(_USER_BEFORE, self.before) or self.is_below_a_user

    @property
    def is_below_a_user(self) -> bool:
        """Whether the line above, comments aside, sets a user, an account or a login."""
        begin = max(0, self.start - _MAX_USER_LINE_LENGTH)
        if "\n" not in self.text[begin : self.start]:
            return False
        return compiled(_USER_LINE).search(self.text, begin, self.start) is not None

    @property
    def is_argument(self) -> bool:
        """Whether name and value are arguments of a call that reads, sets or defines one: `put("password", "..."`."""
        return occurs(_CALL, self.before)

    @property
    def is_redacted(self) -> bool:
        """Whether the name is inside a placeholder."""
        return is_in_placeholder(self.text, self.start)

    def value(self) -> Literal | None:
        """Return the text in the place of the value, or `None` if there is none."""
        is_latin = self.name[0].isascii()
        if self.how == "tag" and (phrase := compiled(_TAGGED).match(self.text, self.end)):
            return Literal(phrase[1], phrase.span(1), is_quoted=True, is_tagged=True)
        if not is_latin and not self.text[self.end : self.end + 1].isascii():
            return None
        value = literal_at(self.text, self.end, is_setting=self.is_setting)
        if value is None or is_latin:
            return value
        # In a script without spaces, the sentence goes on right after the value.
        end = next((index for index, character in enumerate(value.text) if not character.isascii()), None)
        if end is None:
            return value
        return Literal(value.text[:end], (value.span[0], value.span[0] + end)) if end else None


def named(match: re.Match[str], *, script: str = "latin") -> Named | None:
    """Return the name in `match` with its join, or `None` if nothing joins it to a value.

    Args:
        match: The match of a name.
        script: "latin", or any other for a name in another script.
    """
    text, start = match.string, match.start()
    join = compiled(_LATIN_JOIN if script == "latin" else _OTHER_JOIN).match(text, match.end())
    if join is None:
        return None
    # Each kind of join is a group of its own, without groups inside.
    how = join.lastgroup or "none"
    if how == "cell" and next_cell_is_unrelated(text, start, match.end()):
        return None
    before = text[max(0, start - _MAX_LENGTH_BEFORE) : start]
    if how == "to" or (how == "gap" and join["gap"].strip()):
        is_single = not match["name"].lower().endswith("words")  # several passwords are not set to one value
        how = "verb" if is_single and occurs(_CHANGED, before) else "gap"
    elif how == "gap" and (compiled(_OPTION).search(before) or compiled(_DIRECTIVE).search(before)):
        how = "option"
    elif how == "label":
        how = "sign" if before.endswith("(") else "none"
    elif how == "it":
        how = "verb"
    return Named(text, start, join.end(), match["name"], how, join, before)
