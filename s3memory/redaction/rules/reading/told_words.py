"""Plain words that a sentence tells are the password, whatever they mean: "changed from v to v", "namely v".

The sentences are English. What only says how a password is ("simple", "printed") is never told to be one.
"""

from __future__ import annotations

from s3memory.redaction.rules.reading.judging import is_leaked, is_plain_noun, is_said, is_word_of_code
from s3memory.redaction.rules.reading.near import Found
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.word_lists import word_set
from s3memory.redaction.text.wording import is_adjective

NOUNS_BEHIND = word_set(
    "manager managers policy policies reset field fields hash hashes hashing prompt prompts form forms page "
    "protection recovery strength length rotation generator storage file files auth authentication login "
    "change changes history rules rule requirements hint hints expiry expiration database db vault store "
    "entry input box column columns validation validator link email mail attempts attempt flow grant type "
    "checking checker cracking types option options parameter parameter's argument less based check"
)
"""Behind "password", they make another thing of it."""

CHANGED = (
    r"(?i)chang|\bmov(?:ed|ing)\b|swap|replac|switch|cambi|mud|alter|ge(?:ä|ae)nder|gesetzt|wijzig|(?:ä|æ)ndr|endr|zmien|změn|zmen|promijen"
    r"|смен|измен|помен|змін|reset|rotat|updat|\bset\b|modifi|actuali|atuali|aggiorn|impost|defin|ustaw|nastav"
)
"""A verb that says that a password became another one."""

_NEAR, _REACH = 40, 160
_QUOTE = r"[\"'`*”“»]{0,2}"
_WORD = rf"[\"'`“„*]{{0,2}}(?P<word>[A-Za-z]{{4,20}}){_QUOTE}"
_WHOLE = r"(?![\w-]|[!-/:-@\[-`{-~]{1,3}\w)"  # no half of a value with a sign inside
_END_OF_CLAUSE = r"(?=[.,;!]?[ \t]*(?:\n|\Z)|[.,;!][ ])"
_END = r"(?=[.,;!]?[ \t]*(?:\n|\Z))"
_TYPED = (  # "type the word v and press return"
    r"[:\"'`]{0,3},?[ ](?:[a-z]+[ ]){0,3}(?:type|enter|say|reply|answer)[ ](?:in[ ])?(?:just[ ]|the[ ]word[ ])?"
    rf"{_WORD}(?=[.!]?[ ]*(?:\n|\Z)|[ ](?:and|then)[ ])"
)
_WHICH = rf"(?i:,[ ]which[ ](?:[a-z]+[ ]){{0,4}}(?:is|was)[ ]){_WORD}{_END}"
_NAME_OF_SOMEBODY = (  # "was the name of her dog, v"
    r"(?i:[^.,\n]{0,40}[ ](?:is|was)[ ](?:just[ ]|simply[ ])?(?:the|her|his|their|my|our)[ ][^.,\n]{0,24}"
    rf"(?:name|surname|nickname|birthplace|hometown|street|team|band)[^.,\n]{{0,20}},[ ]){_WORD}{_WHOLE}"
)
_NAMELY = rf"(?i:,[ ](?:namely|viz[.]?|i[.]e[.]|specifically|simply|just)[,:]?[ ]){_WORD}{_WHOLE}"
_APPOSITION = (  # "the password, v, is on the whiteboard"
    rf",[ ]{_WORD},[ ](?i:(?:is[ ]|was[ ])?(?:on|in|at|to|under|for|into|behind)|so|which|because)[ ]"
)
_STILL = (  # "nobody changed it, it's still v"
    r"(?i:[^.\n]{0,60}[,;.][ ]?it(?:['\u2019]s|[ ]is|[ ]was)[ ](?:still|now|just|simply|always)[ ])"
    rf"{_WORD}(?=[.,;!]?[ ]*(?:\n|\Z)|[.,;][ ])"
)
_OF_COURSE = (  # "is, of course, v"
    r"(?i:[^.,\n]{0,40}[ ](?:is|was),[ ](?:of course|as always|as usual|again|unsurprisingly|predictably),[ ])"
    rf"{_WORD}{_END}"
)
_LEFT_AT = rf"(?i:[^.,\n]{{0,40}}[ ](?:left|kept|fixed|stuck)[ ](?:at|as)[ ]){_WORD}{_END}"
_SAY = (  # "... asks for the code word. Say v, or they send a car"
    r"[\"'`)]{0,2}[.!][ ](?:Say|Answer|Type|Enter|Try|Reply(?:[ ]with)?|Tell[ ]them)[ ](?:just[ ]|the[ ]word[ ])?"
    rf"{_WORD}(?=[.!]?[ ]*(?:\n|\Z)|[.,;!][ ]|[ ](?:and|or|then)[ ])"
)
_SPELT = (  # "v, all lowercase", "v (capital V)"
    rf"(?i:[^\n]{{0,60}}?(?<![a-z'])){_WORD}(?:,[ ]|[ ][(]|[ ]?[\u2013\u2014][ ]?|[ ]-{{1,2}}[ ])"
    r"(?i:(?:it's|written|spelled|spelt|typed|in|all|with|as)[ ]){0,2}(?i:(?:lower|upper)[- ]?case(?![ ]\w)"
    r"|small[ ]letters|caps\b|(?:a[ ])?capital\b(?![ ]\w\w)|(?:no|without)[ ](?:spaces|caps|capitals)\b|one[ ]word\b)"
)
_OURS = (  # "they want the security word before they talk to you. Ours is v."
    rf"(?i:[^\n]{{0,60}}?[.!][ ](?:Ours|Mine)(?:['\u2019]s|[ ]is)[ ]){_WORD}{_END}"
)
_IS_ONE = (  # "turned out to be v, can you believe it"
    rf"(?i:[^.,\n]{{0,40}}?[ ](?:turned out to be|happens to be|(?:is|was) literally)[ ]){_WORD}{_END_OF_CLAUSE}"
)
# Whatever the word means.
_THE_WORD = (
    r"(?i:[^.,\n]{0,40}?[ ](?:is|was)[ ](?:just[ ]|simply[ ]|only[ ]|literally[ ])?the[ ](?:single[ ])?word[ ])"
    rf"{_WORD}{_END_OF_CLAUSE}"
)
# Each with words, one of which stands in all that it takes: to look for these costs less than to compile it.
_BEHIND = (
    (_SAY, ("say", "answer", "type", "enter", "try", "reply", "tell them")),
    (_SPELT, ("case", "small letters", "cap", "spaces", "one word")),
    (_OURS, ("ours", "mine")),
    (_IS_ONE, ("turned out", "happens to", "literally")),
    (_LEFT_AT, ("left ", "kept ", "fixed ", "stuck ")),
    (_OF_COURSE, ("of course", "as always", "as usual", "again", "predictably", "surprisingly")),
    (_TYPED, ("type ", "enter ", "say ", "reply ", "answer ")),
    (_WHICH, (", which ",)),
    (_NAME_OF_SOMEBODY, ("name", "birthplace", "hometown", "street", "team", "band")),
    (_NAMELY, ("namely", "viz", "i.e", "specifically", "simply", "just")),
    (_APPOSITION, (", ",)),
    (_STILL, (" it's ", " it\u2019s ", " it is ", " it was ")),
)
# Behind a comma and the name, at the end of its line: "kid logs on, password v".
_LAST_OF_ITS_LINE = rf"[ ]{_WORD}[.!]?[ \t]*(?:\n|\Z)", (" ",)
_FROM_TO = (
    r"(?i:[^.\n]{0,30}?[ ]from[ ])[\"'`“„*]{0,2}(?P<old>[A-Za-z]{4,20})[\"'`*”“]{0,2}[ ](?i:to)[ ]"
    rf"[\"'`“„*]{{0,2}}(?P<new>[A-Za-z]{{4,20}}){_WHOLE}"
)
# Behind a verb before the name: "I set the password for the zip to v".
_TO = rf"(?i:[^.,\n]{{0,40}}?[ ]to[ ]){_WORD}{_END}"
_IS_THE = r"(?i)\b(?P<word>[a-z]{4,20})[ ](?:is|was)[ ](?:the|our|its|his|her|their|my)[ ](?:[a-z-]{2,12}[ ]){0,2}\Z"
_USED_AS = (  # "they've kept v as the password", "Ethan picked v as admin password"
    r"(?i)\b(?:us(?:e[sd]?|ing)|sets?|g[ai]ve[sn]?|picks?|picked|ch[o]{1,2}s(?:es?|en)|enter(?:s|ed)?|typed?|put|keeps?|kept|ha[sd]|have"
    r"|left|t[ao]kes?|took|wants?|wanted|assigned|suggested|proposed)[ ](?:the[ ](?:default|old|new|usual)[ ])?"
    r"[\"'`*\u201c\u201e]{0,2}(?P<word>[A-Za-z]{4,20})[\"'`*\u201c\u201d]{0,2}[ ](?:as|for)[ ]"
    r"(?:(?:the|its|our|his|her|their|my|an?)[ ])?(?:[a-z-]{2,12}[ ]){0,2}\Z"
)
_SEVERAL = r"[a-z]+[^s\W]s"  # "people use birthdays as passwords"
_BEHIND_A_VERB = (
    r"[ ]{1,2}(?:(?:just|simply|literally|still|now|always|probably)[ ])?"
    r"(?:[\"`“„«](?P<quoted>[A-Za-z]{4,20})[\"`”“»]"
    r"|(?P<word>[A-Za-z]{4,20})(?=[.!;,]?[ \t]{0,3}(?:\r?\n|\Z|\(|--?[ ]|[\u2013\u2014])|,[ ]))"
)


def says_something(word: str) -> bool:
    """Whether `word`, in place of a password, says something about it, or names another thing together with it."""
    return is_said(word) or is_adjective(word) or word.lower() in NOUNS_BEHIND


def told_behind(text: str, start: int, end: int) -> Found:
    """Return the words that are told to be the password whose name stands from `start` to `end`."""
    near = text[end : end + _REACH].lower()
    two = compiled(_FROM_TO).match(text, end) if " from " in near else None
    if two and compiled(CHANGED).search(text, max(0, start - _NEAR), two.start("old")):
        return [two.span(group) for group in ("old", "new") if not says_something(two[group])]
    set_to = compiled(_TO).match(text, end) if " to " in near else None
    is_set = set_to and compiled(CHANGED).search(text, max(0, start - _NEAR // 2), start)
    if set_to and is_set and not says_something(set_to["word"]):
        return [set_to.span("word")]
    if " word " in near and (word := compiled(_THE_WORD).match(text, end)):
        return [word.span("word")]
    is_item = text[max(0, start - 2) : start] == ", "
    for pattern, words in (*_BEHIND, _LAST_OF_ITS_LINE) if is_item else _BEHIND:
        if any(word in near for word in words) and (told := compiled(pattern).match(text, end)):
            return [] if says_something(told["word"]) else [told.span("word")]
    return []


def told_before(text: str, begin: int, start: int) -> Found:
    """Return the word before a name at `start` that is told to be the password, if it stands for something."""
    told, used = (compiled(pattern).search(text, begin, start) for pattern in (_IS_THE, _USED_AS))
    found = told or used
    if found is None:
        return []
    word = found["word"]
    is_another = says_something(word) or is_word_of_code(word) or compiled(_SEVERAL).fullmatch(word) or word.isupper()
    is_chosen = used is not None and not is_another
    return [found.span("word")] if is_chosen or is_leaked(word) or is_plain_noun(word) else []


def told_by_a_verb(text: str, position: int) -> Found:
    """Return the word at `position`, behind a verb or a sign, that is in quotes or ends its clause."""
    told = compiled(_BEHIND_A_VERB).match(text, position)
    group = "quoted" if told and told["quoted"] else "word"
    return [] if told is None or says_something(told[group]) else [told.span(group)]
