"""A random value without a name goes if a call hands it to a client, or a header, a variable or a stage leads to it."""

from __future__ import annotations

from support.for_each import for_each

from s3memory.redaction import PatternRedactor

REDACTOR = PatternRedactor()
VALUE = "gT7kQ2mZx9WvB4nLp8Rd5Yc3"


@for_each(
    "text",
    [
        'orbit = Orbit.connect("eu-west", "{}")',
        'new Orbit.Realtime("{}")',
        'bot.run("{}")',
        "ORBITLIB={} ./run",
        'const orbit = new Orbit("{}")',
        "X-Origin-Check: {}",
        "GET / HTTP/1.1\nHost: example.org\nX-Edge-Verify: {}",
        "headers = {{'Fly-Relay-Sign': '{}'}}",
        "ORBIT_THING={} ./run",
        "live {}",
        "sandbox: {}",
        "prod `{}`",
    ],
)
def test_a_value_goes_where_it_is_handed_over(text: str) -> None:
    assert VALUE not in REDACTOR.redact(text.format(VALUE)).text


@for_each(
    "text",
    [
        "$mj = new \\Mailjet\\Client('e00b0f2d122caf37cc8f05fe5308e407', '{}', true);",
        "client = plivo.RestClient('MAKXP6B2LB2TMRE37B17', '{}')",
    ],
)
def test_the_second_string_of_a_client_goes_though_it_is_hexadecimal(text: str) -> None:
    value = "23378aae055caf81847db5488528746d"
    assert value not in REDACTOR.redact(text.format(value)).text


@for_each(
    "text",
    [
        "print('{}')",
        "room {}",
        "alive {}",
        "X-Request-Id: {}",
        "X-Amz-Cf-Id: {}",
        "X-Google-Smtp-Source: {}",
        "X-MS-Exchange-AntiSpam-MessageData-0: {}",
        "x-nextjs-cache: {}",
        "ETAG_OF={}",
    ],
)
def test_a_value_stays_where_ids_digests_and_states_of_servers_stand(text: str) -> None:
    assert VALUE in REDACTOR.redact(text.format(VALUE)).text


@for_each("text", ["X-Orbit: {}", "live {}", 'new Orbit("{}")', "ORBIT_THING={}"])
def test_a_uuid_that_nothing_calls_a_secret_stays(text: str) -> None:
    uuid = "123e4567-e89b-42d3-a456-426614174999"
    assert uuid in REDACTOR.redact(text.format(uuid)).text


@for_each(
    "text",
    [
        'Credentials.builder().user("svc-etl").pass("{}".toCharArray()).build();',
        'store.setPassword("{}".getBytes());',
        'etherscan: {{ apiKey: {{ mainnet: "{}" }} }},',
        'var aesKey, _ = base64.Decode("{}")',
    ],
)
def test_a_value_goes_that_is_converted_or_nested_behind_its_name(text: str) -> None:
    assert VALUE not in REDACTOR.redact(text.format(VALUE)).text
