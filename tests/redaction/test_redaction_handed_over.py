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
