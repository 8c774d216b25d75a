"""Finds plain words that an English sentence states to be the password: "changed from maple to cedar", "namely maple".

A word that describes a password ("simple", "printed") never counts.
"""

from __future__ import annotations

from s3memory.redaction.rules.reading.changed_passwords import CHANGE
from s3memory.redaction.rules.reading.judging import is_leaked, is_plain_noun, is_remark_word, is_word_of_code
from s3memory.redaction.rules.reading.near import Found
from s3memory.redaction.text.compiling import compiled, occurs
from s3memory.redaction.text.word_lists import word_set
from s3memory.redaction.text.wording import is_adjective

NOUNS_AFTER_PASSWORD = word_set(
    "manager managers policy policies reset field fields hash hashes hashing prompt prompts form forms page "
    "protection recovery strength length rotation generator storage file files auth authentication login "
    "change changes history rules rule requirements hint hints expiry expiration database db vault store "
    "entry input box column columns validation validator link email mail attempts attempt flow grant type "
    "checking checker cracking types limit limits option options parameter parameter's argument less based check"
)
"""After "password", these make it something else: "password manager"."""

CHANGED = rf"{CHANGE}|\b(?:set|mov(?:ed|ing))\b|gesetzt|modifi|actuali|atuali|aggiorn|impost|defin|ustaw|nastav"
"""A pattern of verbs for changing or setting a password."""

_REACH_BEFORE, _REACH = 40, 160
_QUOTE = r"[\"'`*”“»]{0,2}"
_WORD = rf"[\"'`“„*]{{0,2}}(?P<word>[A-Za-z]{{4,20}}){_QUOTE}"
_WHOLE = r"(?![\w-]|[!-/:-@\[-`{-~]{1,3}\w)"  # not the first half of a value with a sign inside
_END_OF_CLAUSE = r"(?=[.,;!]?[ \t]*(?:\n|\Z)|[.,;!][ ])"
_END_OF_LINE = r"(?=[.,;!]?[ \t]*(?:\n|\Z))"
_TYPED = (  # "type the word v and press return"
    r"[:\"'`]{0,3},?[ ](?:[a-z]+[ ]){0,3}(?:type|enter|say|reply|answer)[ ](?:in[ ])?(?:just[ ]|the[ ]word[ ])?"
    rf"{_WORD}(?=[.!]?[ ]*(?:\n|\Z)|[ ](?:and|then)[ ])"
)
_WHICH = rf"(?i:,[ ]which[ ](?:[a-z]+[ ]){{0,4}}(?:is|was)[ ]){_WORD}{_END_OF_LINE}"
_NAME_OF = (  # "was the name of her dog, v"
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
    rf"{_WORD}{_END_OF_LINE}"
)
_LEFT_AT = rf"(?i:[^.,\n]{{0,40}}[ ](?:left|kept|fixed|stuck)[ ](?:at|as)[ ]){_WORD}{_END_OF_LINE}"
_SAY = (  # "... asks for the code word. Say v, or they send a car"
    r"[\"'`)]{0,2}[.!][ ](?:Say|Answer|Type|Enter|Try|Reply(?:[ ]with)?|Tell[ ]them)[ ](?:just[ ]|the[ ]word[ ])?"
    rf"{_WORD}(?=[.!]?[ ]*(?:\n|\Z)|[.,;!][ ]|[ ](?:and|or|then)[ ])"
)
_SPELLED = (  # "v, all lowercase", "v (capital V)"
    rf"(?i:[^\n]{{0,60}}?(?<![a-z'])){_WORD}(?:,[ ]|[ ][(]|[ ]?[\u2013\u2014][ ]?|[ ]-{{1,2}}[ ])"
    r"(?i:(?:it's|written|spelled|spelt|typed|in|all|with|as)[ ]){0,2}(?i:(?:lower|upper)[- ]?case(?![ ]\w)"
    r"|small[ ]letters|caps\b|(?:a[ ])?capital\b(?![ ]\w\w)|(?:no|without)[ ](?:spaces|caps|capitals)\b|one[ ]word\b)"
)
_OURS = (  # "they want the security word before they talk to you. Ours is v."
    rf"(?i:[^\n]{{0,60}}?[.!][ ](?:Ours|Mine)(?:['\u2019]s|[ ]is)[ ]){_WORD}{_END_OF_LINE}"
)
_TURNED_OUT = (  # "turned out to be v, can you believe it"
    rf"(?i:[^.,\n]{{0,40}}?[ ](?:turned out to be|happens to be|(?:is|was) literally)[ ]){_WORD}{_END_OF_CLAUSE}"
)
# "is just the word v": the only pattern that takes a word whatever it means.
_THE_WORD = (
    r"(?i:[^.,\n]{0,40}?[ ](?:is|was)[ ](?:just[ ]|simply[ ]|only[ ]|literally[ ])?the[ ](?:single[ ])?word[ ])"
    rf"{_WORD}{_END_OF_CLAUSE}"
)
_WITH_PORT = rf"[ ](?:is[ ])?{_WORD},?[ ](?i:(?:on[ ])?port)[ ][0-9]"  # "rcon pw v port 25575"
# Each pattern with words, one of which is in all that it matches: searching for these is cheaper than compiling it.
_AFTER_NAME = (
    (_SAY, ("say", "answer", "type", "enter", "try", "reply", "tell them")),
    (_SPELLED, ("case", "small letters", "cap", "spaces", "one word")),
    (_OURS, ("ours", "mine")),
    (_TURNED_OUT, ("turned out", "happens to", "literally")),
    (_LEFT_AT, ("left ", "kept ", "fixed ", "stuck ")),
    (_OF_COURSE, ("of course", "as always", "as usual", "again", "predictably", "surprisingly")),
    (_TYPED, ("type ", "enter ", "say ", "reply ", "answer ")),
    (_WHICH, (", which ",)),
    (_NAME_OF, ("name", "birthplace", "hometown", "street", "team", "band")),
    (_WITH_PORT, ("port ",)),
    (_NAMELY, ("namely", "viz", "i.e", "specifically", "simply", "just")),
    (_APPOSITION, (", ",)),
    (_STILL, (" it's ", " it\u2019s ", " it is ", " it was ")),
)
# After a comma and the name, at the end of the line: "kid logs on, password v".
_ENDS_LINE = rf"[ ]{_WORD}[.!]?[ \t]*(?:\n|\Z)", (" ",)
_FROM_TO = (
    r"(?i:[^.\n]{0,30}?[ ]from[ ])[\"'`“„*]{0,2}(?P<old>[A-Za-z]{4,20})[\"'`*”“]{0,2}[ ](?i:to)[ ]"
    rf"[\"'`“„*]{{0,2}}(?P<new>[A-Za-z]{{4,20}}){_WHOLE}"
)
# After a verb of changing before the name: "I set the password for the zip to v".
_TO = rf"(?i:[^.,\n]{{0,40}}?[ ]to[ ]){_WORD}{_END_OF_LINE}"
# "maple is the new password"
_IS_THE = r"(?i)\b(?P<word>[a-z]{4,20})[ ](?:is|was)[ ](?:the|our|its|his|her|their|my)[ ](?:[a-z-]{2,12}[ ]){0,2}\Z"
_USED_AS = (  # "they've kept v as the password", "Ethan picked v as admin password"
    r"(?i)\b(?:us(?:e[sd]?|ing)|sets?|g[ai]ve[sn]?|picks?|picked|ch[o]{1,2}s(?:es?|en)|enter(?:s|ed)?|typed?|put|keeps?|kept|ha[sd]|have"
    r"|left|t[ao]kes?|took|wants?|wanted|assigned|suggested|proposed)[ ](?:the[ ](?:default|old|new|usual)[ ])?"
    r"[\"'`*\u201c\u201e]{0,2}(?P<word>[A-Za-z]{4,20})[\"'`*\u201c\u201d]{0,2}[ ](?:as|for)[ ]"
    r"(?:(?:the|its|our|his|her|their|my|an?)[ ])?(?:[a-z-]{2,12}[ ]){0,2}\Z"
)
_PLURAL = r"[a-z]+[^s\W]s"  # "people use birthdays as passwords"
_AFTER_A_VERB = (
    r"[ ]{1,2}(?:(?:just|simply|literally|still|now|always|probably)[ ])?"
    r"(?:[\"`“„«](?P<quoted>[A-Za-z]{4,20})[\"`”“»]"
    r"|(?P<word>[A-Za-z]{4,20})(?=[.!;,]?[ \t]{0,3}(?:\r?\n|\Z|\(|--?[ ]|[\u2013\u2014])|,[ ]))"
)


def is_description(word: str) -> bool:
    """Whether `word`, in the place of a password, describes it ("expired") or makes it something else ("manager")."""
    return is_remark_word(word) or is_adjective(word) or word.lower() in NOUNS_AFTER_PASSWORD


def stated_after(text: str, start: int, end: int) -> Found:
    """Return the spans of words after the name from `start` to `end` that the sentence states to be the password."""
    following = text[end : end + _REACH].lower()
    from_to = compiled(_FROM_TO).match(text, end) if " from " in following else None
    if from_to and occurs(CHANGED, text, max(0, start - _REACH_BEFORE), from_to.start("old")):
        return [from_to.span(group) for group in ("old", "new") if not is_description(from_to[group])]
    set_to = compiled(_TO).match(text, end) if " to " in following else None
    is_set = set_to and occurs(CHANGED, text, max(0, start - _REACH_BEFORE // 2), start)
    if set_to and is_set and not is_description(set_to["word"]):
        return [set_to.span("word")]
    if " word " in following and (word := compiled(_THE_WORD).match(text, end)):
        return [word.span("word")]
    is_item = text[max(0, start - 2) : start] == ", "
    for pattern, words in (*_AFTER_NAME, _ENDS_LINE) if is_item else _AFTER_NAME:
        if any(map(following.__contains__, words)) and (stated := compiled(pattern).match(text, end)):
            return [] if is_description(stated["word"]) else [stated.span("word")]
    return []


def stated_before(text: str, begin: int, start: int) -> Found:
    """Return the span of a word before the name at `start` that is stated to be the password: "maple is the ..."."""
    if text[start - 1 : start] != " " or not (text[start - 2 : start - 1].isalpha() or text[start - 2] == "-"):
        return []  # cheaper than the search: what states it ends in a word
    stated, used = (
        compiled(pattern).search(text, begin, start) if occurs(pattern, text, begin, start) else None
        for pattern in (_IS_THE, _USED_AS)
    )
    found = stated or used
    if found is None:
        return []
    word = found["word"]
    is_excluded = is_description(word) or is_word_of_code(word) or compiled(_PLURAL).fullmatch(word) or word.isupper()
    is_chosen = used is not None and not is_excluded
    return [found.span("word")] if is_chosen or is_leaked(word) or is_plain_noun(word) else []


def stated_by_verb(text: str, position: int) -> Found:
    """Return the span of the word at `position`, after a verb or a sign, if it is in quotes or ends its clause."""
    stated = compiled(_AFTER_A_VERB).match(text, position)
    group = "quoted" if stated and stated["quoted"] else "word"
    return [] if stated is None or is_description(stated[group]) else [stated.span(group)]
