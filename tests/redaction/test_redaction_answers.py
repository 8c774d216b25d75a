"""An answer to a question that names a secret is read as if it stood behind the name."""

from __future__ import annotations

from support.for_each import for_each

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
TALKS = (
    "user: what's the {}?\nassistant: It's {}\n",
    "Q: What is the {}?\nA: {}\n",
    "[10:02] Ana: {} for the router?\n[10:03] Bo: {}\n",
    "**Ana:** {}?\n\n**Bo:** yes, {}.\n",
    "<ana> do you have the {}?\n<bo> {}\n",
    "Ana: send me the {} please\nBo: {}\nAna: thanks",
    "Human: I forgot the {}.\nAI: You told me it was {}.\n",
    "Ana 10:02\nwhat was the {} again\n\nBo 10:04\n{}\n",
    "- Ana asked for the {}\n- it is {}\n",
    "> what was the {} again?\n< {}\n> thx\n",
)


@for_each("talk", TALKS)
@for_each("name", ["wifi password", "access token", "PIN", "door code", "client secret"])
def test_what_somebody_answers_goes(talk: str, name: str) -> None:
    values = ["4821", "739104"] if name in ("PIN", "door code") else ["9paTwnAdrwEzKxB0", "W1cWGDHLrNk4n0anxL"]
    for value in values:
        assert value not in REDACTOR.redact(talk.format(name, value)).text


@for_each("speakers", [("Ana: ", "Bo: "), ("> ", "< ")])
@for_each(
    "question",
    [
        "what's the code for the bike shed?",
        "wie war der Code fürs Tor?",
        "which code opens the side door?",
        "and the till pin?",
    ],
)
def test_the_code_of_what_a_question_names_behind_it_goes(question: str, speakers: tuple[str, str]) -> None:
    asked, told = speakers
    assert "4827" not in REDACTOR.redact(f"{asked}{question}\n{told}4827\n").text


@for_each(
    "talk",
    [
        "Ana: how long is the recovery code?\nBo: 12 or OPS-4711",
        "Ana: who knows the admin password?\nBo: ext. 4711",
        "Ana: what's the password policy?\nBo: 14+",
        "Ana: do you have the door code?\nBo: in room B2.14",
        "Ana: what was the ticket for the password reset?\nBo: OPS-4711",
        "Ana: where is the API key?\nBo: docs/auth2.md",
        "Ana: do you have the wifi password?\nAna: see 2025-03-04",
        "> which error code was it?\n< 4827",
        "> what code is on the box?\n< 4827",
        "> do you have the wifi password?\n> see 2025-03-04",
        "label: Forgot password?\nid: pwd-input-1",
        "question: What is the PIN?\nurl: q12-4",
    ],
)
def test_what_answers_something_else_stays(talk: str) -> None:
    assert REDACTOR.redact(talk).findings == ()


@for_each(
    "talk",
    [
        "agent: And the password?\nuser: hang on\nuser: Larkspur99",
        "ana: which password are you using?\nbo: let me look...\nbo: it's Larkspur99, as always.",
        "Agent : \u00ab Quel mot de passe utilisez-vous ? \u00bb\nCliente : \u00ab Larkspur99, comme toujours. \u00bb",
    ],
)
def test_an_answer_after_a_pause_or_before_a_remark_goes(talk: str) -> None:
    assert "Larkspur99" not in REDACTOR.redact(talk).text


def test_what_stands_below_a_heading_that_is_underlined_goes() -> None:
    assert "Trellis!88" not in REDACTOR.redact("wifi password\n=============\nTrellis!88\n").text
