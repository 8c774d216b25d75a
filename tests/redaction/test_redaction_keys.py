"""Keys that no prefix tells: without their BEGIN line, in JSON, with a mark inside, or of a provider nobody listed."""

from __future__ import annotations

import base64
import json
import string
import uuid

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from support.for_each import for_each
from support.made_tokens import seeded

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
RNG = seeded("keys")
ALNUM = string.ascii_letters + string.digits
PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey


def made_of(alphabet: str, length: int) -> str:
    return "".join(RNG.choices(alphabet, k=length))


def redacted(text: str) -> str:
    return REDACTOR.redact(text).text


def is_left_alone(text: str) -> bool:
    return REDACTOR.redact(text).findings == ()


def der(key: PrivateKey, form: serialization.PrivateFormat) -> str:
    pem = key.private_bytes(serialization.Encoding.DER, form, serialization.NoEncryption())
    return base64.b64encode(pem).decode()


RSA = rsa.generate_private_key(public_exponent=65537, key_size=1024)  # noqa: S505 - only to be found
BARE = {
    "pkcs8 rsa": der(RSA, serialization.PrivateFormat.PKCS8),
    "pkcs1 rsa": der(RSA, serialization.PrivateFormat.TraditionalOpenSSL),
    "pkcs8 ec": der(ec.generate_private_key(ec.SECP256R1()), serialization.PrivateFormat.PKCS8),
    "sec1 ec": der(ec.generate_private_key(ec.SECP256R1()), serialization.PrivateFormat.TraditionalOpenSSL),
}


@pytest.mark.parametrize("name", BARE)
@pytest.mark.parametrize("context", ["{}", 'key = "{}"', "the key {} leaked", "<k>{}</k>"])
def test_a_private_key_without_its_begin_line_goes(name: str, context: str) -> None:
    assert redacted(context.format(BARE[name])) == context.format("[REDACTED:private-key]")


@for_each("end", ["\n", "\r\n", "\\n", "\n    "])
@for_each("width", [60, 64, 76])
@for_each("name", BARE)
def test_a_private_key_without_its_begin_line_goes_to_its_last_line(name: str, width: int, end: str) -> None:
    key = BARE[name]
    text = end.join(key[start : start + width] for start in range(0, len(key), width))
    assert redacted(f"{text}\nand more") == "[REDACTED:private-key]\nand more"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\\n", "\n    "])
@pytest.mark.parametrize("key", [RSA, ed25519.Ed25519PrivateKey.generate()], ids=["rsa", "ed25519"])
def test_a_key_of_openssh_without_its_begin_line_goes_to_its_last_line(key: PrivateKey, end: str) -> None:
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
    )
    text = end.join(pem.decode().splitlines()[1:-1])
    assert redacted(f"the key {text}\nand more") == "the key [REDACTED:private-key]\nand more"


@pytest.mark.parametrize("name", ["Static key V1", "tls-crypt-v2 client key"])
def test_a_key_of_openvpn_goes_from_its_begin_to_its_end_line(name: str) -> None:
    lines = "\n".join(made_of("0123456789abcdef", 32) for _ in range(16))
    text = f"-----BEGIN OpenVPN {name}-----\n{lines}\n-----END OpenVPN {name}-----"
    assert redacted(f"<tls-auth>\n{text}\n</tls-auth>") == "<tls-auth>\n[REDACTED:private-key]\n</tls-auth>"
    assert redacted(text.partition("-----END")[0]) == "[REDACTED:private-key]"


def test_a_public_key_and_other_base64_are_left_alone() -> None:
    public = RSA.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    assert is_left_alone(base64.b64encode(public).decode())
    for _ in range(50):
        assert is_left_alone("MII" + made_of(ALNUM + "+/", 200))


def web_key(content: dict[str, str]) -> str:
    return json.dumps(content, indent=2)


def test_of_a_web_key_the_private_parts_go() -> None:
    parts = {name: made_of(ALNUM + "-_", 43) for name in ("x", "y", "d")}
    found = redacted(web_key({"kty": "EC", "crv": "P-256", **parts}))
    assert parts["d"] not in found
    assert parts["x"] in found
    assert parts["y"] in found
    symmetric = made_of(ALNUM + "-_", 43)
    assert symmetric not in redacted(web_key({"kty": "oct", "k": symmetric}))


def test_letters_that_name_parts_of_keys_are_common_in_other_json() -> None:
    assert is_left_alone(json.dumps({"d": made_of(ALNUM, 43), "q": made_of(ALNUM, 43)}))


UNKNOWN = [
    "acme_live_{}",
    "acme-{}",
    "zyx_key_{}",
    "ACME_{}",
    "value: acme_{}.",
    "'acme_{}'",
    '"\\nacme_{}"',
    "x=acme_{}&y",
]


@pytest.mark.parametrize("text", UNKNOWN)
def test_a_key_of_a_provider_that_nobody_listed_goes(text: str) -> None:
    for _ in range(20):
        key = "a1B2c3D4" + made_of(ALNUM, 32)
        assert key not in redacted(text.format(key))


@pytest.mark.parametrize(
    "text",
    [
        "sha256-{}",
        "chunk-{}.js",
        "https://example.org/files/acme_{}",
        "session_{}",
        "request-{}",
        "xY_{}",
        "acme_{}/photo",
        "data-{}",
    ],
)
def test_ids_and_files_with_something_random_in_them_are_left_alone(text: str) -> None:
    for _ in range(20):
        assert is_left_alone(text.format("a1B2c3D4" + made_of(ALNUM, 24)))


@pytest.mark.parametrize("kind", ["sk", "rk", "pat", "tok"])
def test_behind_a_kind_of_key_and_a_name_small_letters_and_digits_are_enough(kind: str) -> None:
    for _ in range(20):
        body = "a1b2c3" + made_of("0123456789abcdef", 18)
        assert body not in redacted(f"we use {kind}-orbit-{body} there")
        assert is_left_alone(f"we use orbit-{body} there")


def test_names_and_hashes_behind_a_prefix_are_left_alone() -> None:
    assert is_left_alone(f"build_{made_of('0123456789abcdef', 40)} acme-{uuid.UUID(int=RNG.getrandbits(128))}")
    assert is_left_alone("my_Very_Long2Identifier_WithManyHumps3AndNumbers4InIt")


def test_a_mailchimp_key_ends_with_its_data_centre() -> None:
    key = made_of("0123456789abcdef", 32)
    assert redacted(f"the list uses {key}-us12.") == "the list uses [REDACTED:mailchimp-key]."
    assert is_left_alone(f"a{key}-us12 {key}-us-east-1 {key[:-1]}-us12")


def test_azures_marks_give_its_keys_away() -> None:
    head = made_of(ALNUM, 76)
    assert redacted(f"key {head}+ASt{made_of(ALNUM, 5)}A==") == "key [REDACTED:azure-key]"
    assert redacted(f"key {head[:33]}+ASbA{made_of(ALNUM, 5)}=") == "key [REDACTED:azure-key]"
    assert "azure-key" not in redacted(f"key {head}+XSt{made_of(ALNUM, 5)}A==")


@pytest.mark.parametrize(
    "url",
    [
        "https://acme.webhook.office.com/webhookb2/{}@{}/IncomingWebhook/{}/{}",
        "https://hooks.zapier.com/hooks/catch/{}/{}/",
        "https://chat.googleapis.com/v1/spaces/{}/messages?key={}&token={}",
    ],
)
def test_a_webhook_whose_address_is_its_secret_goes_whole(url: str) -> None:
    made = url.format(*(made_of(ALNUM, 24) for _ in range(4)))
    assert redacted(f"posts to <{made}>") == "posts to <[REDACTED:webhook]>"


def test_a_web_key_is_judged_by_what_is_far_from_it_though_the_same_stood_elsewhere_before() -> None:
    value, others = made_of(ALNUM, 43), " 'width': 10," * 60
    around = f'{others} "d": "{value}",{others}'
    apart = "nothing to see here\n" * 300
    assert is_left_alone(f"{{{around}}}\n{apart}{{{around}}}")
    assert value not in redacted(f'{{{around}}}\n{apart}{{"kty": "OKP",{around}}}')
    assert value not in redacted(f'{{{around}}}\n{apart}{{{around}"kty": "OKP"}}')
