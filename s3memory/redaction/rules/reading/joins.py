"""What joins the name of a secret to its value: a sign, a verb, a table's bar, a bracket, or a space.

A name says that a secret may follow, not that one does: "password is required", `password: str` and
`password = os.environ["DB"]` name one as well. Name and join are patterns; the value is judged.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from s3memory.redaction.rules.reading.cells import names_none_of_its_row
from s3memory.redaction.rules.reading.literals import Literal, literal_at
from s3memory.redaction.text.compiling import compiled

# Names go on with a number, an environment or what they open: `password_hash` and `token_url` are something else.
_NAME_END = (
    r"(?:[_-]?[0-9]{1,2})?(?:[_-](?:prod|production|dev|staging|test|live|old|new|value|plain|plaintext|text))?"
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
_ABOUT = (
    r"(?: \([^()\n]{1,40}\)"
    r"|[ ](?:for|of|on|to|in|at|from|f\u00fcr|von|pour|du|de|para|del|do|da|dos|das|van|voor|della|per|till|til)[ ]"
    r"[^\n:=|.]{1,60}?)?"
)
# What YAML gives a value a name with, to have it elsewhere as "*name". Behind "&mut" and the like is a type of Rust.
_ANCHOR = r"(?<=: )&(?!mut|dyn|impl)[A-Za-z][\w-]{0,40}[ ]{1,4}(?=[^\s=(){}<>]{1,200}[ \t]{0,9}(?:\r?\n|\Z)|[\"'])"
_GUILLEMET = r"\u00ab[ \u00a0\u202f]{0,2}"
# In a table of settings, between name and value.
_KIND_OF_VALUE = r"(?:string|str|text|secret|password|varchar)"
# The value is inside an object or a block of its own, as in `"password": {"value": "..."}`.
_SETTINGS = r"(?:[a-z_]{2,20}[ \t]{0,20}=[^\n{}]{1,80}\n[ \t]{0,20}){0,4}"
_INSIDE = rf"[ \t]{{0,4}}(?:[:=]?[ \t]{{0,4}}\{{\s{{0,40}}{_SETTINGS}|:[ \t]{{0,4}}\r?\n[ \t]{{1,40}})\\?[\"']?"
# What else an object of JSON says of a name before it says its value.
_MEMBERS = r"(?:,\s{0,40}[\"'](?!value)\w{1,20}[\"'][ ]?:[ ]?(?:[\"'][^\"'\\\n]{0,60}[\"']|[\w.]{1,20})){0,3}"
# A word or two between the name and what joins: "password default:", "password (admin):".
_CLOSERS = r"(?:\\?[\"'`]|\*{1,2}|__|\]|\)){0,3}"
_JOIN = (
    rf"(?ai:{_NAME_END}{_CLOSERS}"
    r"(?:[ \t]{0,4}:[ \t]{0,3}(?P<block>[|>][+-]?)[ \t]{0,3}\n[ \t]{1,40}"
    rf"|(?P<inner>{_INSIDE}(?:value|default|S)\\?[\"']?[ \t]{{0,3}}[:=][ \t]{{0,3}})"
    rf"|[ \t]{{0,20}}(?:\{{[ ](?:(?:private |protected )?(?:get|set|init);[ ]){{1,2}}\}}[ ])?"
    rf"(?:(?::[ \t]{{0,3}}|(?<=[ \t])){_TYPE}[ \t]{{0,3}})?"
    r"(?P<sign>=>|:{1,3}=|\?\?=|[?+.|]=|={1,3}|!={1,2}|:{1,2}(?!//|\?\w)|-{1,2}>|<-|<<<|\uff1a|\uff1d|\u2192|\|\|=?|\?\?)"
    rf"(?:\*\*|__)?[ \t]{{0,20}}(?![ \t\r]*\n)(?:Some\(|!!(?:str|binary)[ ]{{1,4}}|{_ANCHOR}|{_GUILLEMET})?"
    rf"|[ \t]{{0,20}}(?P<cell>\|(?:[ \t]{{0,20}}{_KIND_OF_VALUE}[ \t]{{0,20}}\|)?)[ \t]{{0,20}}"
    r"|(?P<tag>>(?:\s{0,40}<(?:value|string|entry)>)?|</(?:key|name|dt|t[dh]|b)>\s{0,40}<(?:value|string|dd|td|code)>)\s{0,40}"
    rf"|{_MEMBERS},?\s{{0,40}}\\?[\"']?(?P<item>value\\?[\"']?[ \t]{{0,3}}[:=][ \t]{{0,3}})"
    r"|[ \t]{1,3}(?P<body>(?:--body|-b|--value|--secret-(?:string|value))[ =][ \t]{0,3})"
    r"|[ \t]{1,3}(?P<dash>[-\u2013\u2014])[ \t]{1,3}"
    rf"|{_ABOUT}(?:[ ]{{1,2}}|(?=['\u2019]))(?P<verb>{_VERB}):?[ ]{{1,2}}(?:{_GUILLEMET})?"
    rf"|{_ABOUT}[ ](?P<to>to)[ ]{{1,2}}"
    r"|[?.!]?[ ]{1,2}(?P<it>(?:[Ii]t|[Tt]hat)(?: is|'s| was):?[ ]{1,2})"
    rf"|{_ABOUT}[ ]?(?P<note>[:=](?!//|\?\w))(?:\*\*|__)?[ ]{{0,3}}(?![ \r]*\n)"
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

# Joins that leave no doubt that a value follows.
SURE = ("block", "sign", "item", "inner", "tag", "body", "option")

_BEFORE = 42
_MARK = "[REDACTED:"
_CHANGED = r"(?i)(?:chang|updat|rotat|switch|set|gesetzt)\w{0,5}(?: \w{1,12}){0,3} [\w.-]{0,30}\Z"
# What defines a name, where nothing but a space is between it and its value.
_DIRECTIVE = (
    r"(?:\b(?:ENV|ARG|setx|setenv|set -[A-Za-z]{1,3})|#[ ]?define|\((?:setq|defvar|defconst|defparameter|define|def))"
    r"[ \t]{1,3}[\w.-]{0,24}\Z"
)
_OPTION = r"(?<![\w-])--?[\w.-]{0,40}\Z"
_USER_BEFORE = (
    r"(?i)(?:\buser(?:[ _]?name)?|\blogin|\baccount|\bid|\bbenutzer|\busuario|\butilisateur)[ :=-]{1,3}"
    r"(?!(?:name[ ](?:and|or)|and|or|und|oder|et|ou|y|o)[ ])\S{1,30}[ ,;/]{1,3}"
    r"(?:(?:and|und|et|y|with|mit)[ ])?(?:the[ ])?\Z"
)
_LINE_OF_USER = (
    r"(?m:^)(?P<indent>[ \t]{0,12})[\"']?(?:[\w.-]{0,20}[_.-])?(?:user(?:[ _-]?name)?|login|account)[\"']?"
    r"(?::[ ]|[ ]?=[ ]?)[\"']?[^\s:{}\[\]\"']{1,40}[\"']?,?\r?\n(?:[ \t]{0,12}(?:#|//|;)[^\n]{0,60}\n){0,2}"
    r"(?P=indent)[\"']?(?:[\w.-]{0,20}[_.-])?\Z"
)
_LONGEST_LINE_OF_USER = 240
_TAGGED = r"([^\s<>]{1,40}(?:[ ][^\s<>]{1,40}){1,7})\s{0,40}</"  # words up to a closing tag
_CALL = (
    r"(?i)(?:get|getenv|env|environ|default|define|config|setting|param|set|put|with|flags?\.)\w{0,12}"
    r"\(?[\"'\w. -]{0,3}[\w.-]{0,30}\Z"
)


class Named(NamedTuple):
    """A name, and what stands between it and a value.

    Attributes:
        text: The whole text.
        start: Where the name starts.
        end: Where the value starts, if there is one.
        name: The name.
        how: What joins them: a group of the pattern, or an option's gap.
        join: The match of what joins them.
        before: What stands before the name, as much as is ever looked at.
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
        """The sign that joins name and value, if one does."""
        return self.join["sign"]

    @property
    def is_glued(self) -> bool:
        """Whether the value stands right behind "="."""
        return self.sign == "=" and self.text[self.end - 1] == "="

    @property
    def is_setting(self) -> bool:
        """Whether this is a line of an env file or a shell: a name in capitals, and the value right behind "="."""
        return self.name.isupper() and self.is_glued

    @property
    def is_option(self) -> bool:
        """Whether the name is a command line's option."""
        return compiled(_OPTION).search(self.before) is not None

    @property
    def is_beside_a_user(self) -> bool:
        """Whether a user, an account or an id is named right before the password is."""
        return compiled(_USER_BEFORE).search(self.before) is not None or self.is_below_a_user

    @property
    def is_below_a_user(self) -> bool:
        """Whether the line above sets a user, an account or a login, but for comments."""
        begin = self.text.rfind("\n", max(0, self.start - _LONGEST_LINE_OF_USER), self.start)
        if begin < 0:
            return False
        return (
            compiled(_LINE_OF_USER).search(self.text, max(0, self.start - _LONGEST_LINE_OF_USER), self.start)
            is not None
        )

    @property
    def is_argument(self) -> bool:
        """Whether name and value are two arguments of a call that reads, sets or defines something."""
        return compiled(_CALL).search(self.before) is not None

    @property
    def is_redacted(self) -> bool:
        """Whether the name stands inside a placeholder."""
        return self.before.endswith(_MARK)

    def value(self) -> Literal | None:
        """Return what stands where the value would."""
        is_latin = self.name[0].isascii()
        if self.how == "tag" and (phrase := compiled(_TAGGED).match(self.text, self.end)):
            return Literal(phrase[1], phrase.span(1), is_quoted=True, is_tagged=True)
        if not is_latin and not self.text[self.end : self.end + 1].isascii():
            return None
        value = literal_at(self.text, self.end, is_setting=self.is_setting)
        if value is None or is_latin:
            return value
        # In scripts that write no spaces, the sentence goes on behind the value.
        start = value.span[0]
        end = next((place for place, character in enumerate(value.text) if not character.isascii()), None)
        text = value.text[:end]
        if not text:
            return None
        return value if len(text) == len(value.text) else Literal(text, (start, start + len(text)))


def named(match: re.Match[str], *, script: str = "latin") -> Named | None:
    """Return what the name in `match` is joined to, or `None` where nothing is."""
    text, start = match.string, match.start()
    join = compiled(_JOIN if script == "latin" else _OTHER_JOIN).match(text, match.end())
    if join is None:
        return None
    # Each way of joining is a group of its own, with no other inside.
    how = join.lastgroup or "none"
    if how == "cell" and names_none_of_its_row(text, start, match.end()):
        return None
    before = text[max(0, start - _BEFORE) : start]
    if how == "to" or (how == "gap" and join["gap"].strip()):
        is_one = not match["name"].lower().endswith("words")  # several are not set to one value
        how = "verb" if is_one and compiled(_CHANGED).search(before) else "gap"
    elif how == "gap" and (compiled(_OPTION).search(before) or compiled(_DIRECTIVE).search(before)):
        how = "option"
    elif how == "label":
        how = "sign" if before.endswith("(") else "none"
    elif how == "it":
        how = "verb"
    return Named(text, start, join.end(), match["name"], how, join, before)
