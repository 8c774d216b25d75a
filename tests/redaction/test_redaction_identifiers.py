"""Names of code, settings, resources and accounts stay; what is called a password goes, even if it looks like one."""

from __future__ import annotations

from support.for_each import for_each

from s3memory.redaction import PatternRedactor
from s3memory.redaction.rules.scoring.identifiers import is_recurring_term

REDACTOR = PatternRedactor()


def redacted(text: str) -> str:
    return REDACTOR.redact(text).text


@for_each(
    "text",
    [
        "Add `setup_credential_usage` on `Charge.payment_method_details.card`, `Payment.payment_method_options`",
        "key: { type: table.AttributeType.STRING },\n  encryption: table.TableEncryptionV2.awsManagedKey(),\n",
        "Set up [the CloudFormation AWS::GreengrassV2 resources](https://docs.example.com/x) by hand.",
        "A policy that pins `kms:EncryptionContext:app:tenant` limits this to that tenant.",
        '"Resource": "arn:aws:lambda:*:*:function:agent-memory-*",\n"Condition": {"StringEquals": {}}',
        'logos/assistant-logo.png" height="40"><br><sub><b>CrewAI</b></sub></a></td>',
        "Set the number of days with `APP_TOUCH_AFTER_DAYS=30`, the key with `APP_KMS_KEY_ID=alias/memory`.",
        '* [`c444d0f`](https://git.example/commit/c444d0f): drop "backup" code.\n* [`83dda9b`](https://git.example/commit/83dda9b)',
        "cassandra_read = 'LOCAL_QUORUM'\ncassandra_entry_ttl = 86400\n",
        "* ISSUE 28120: clear text passwords (refs: `#30097`_)",
        "shared-password = hub.auth:SharedPasswordAuthenticator\npam = hub.auth:PAMAuthenticator\n",
    ],
)
def test_a_name_of_code_of_a_setting_or_of_a_resource_stays(text: str) -> None:
    assert redacted(text) == text


@for_each(
    "told",
    [
        "The stall's tablet, where `isSet` and `authAdmin` are logged, has the password «grumpyOtter»",
        "root password is: «13.8.1971» (told by phone)",
        "notes, `isLocked` and `getPin` aside: password «harborMill.otter_7»",
        "PASSWORD: «Flask-CORS<7»",
        "db:5432:shop:jo:«Marmalade_6347»\n",
        "arn:aws:rds:eu-west-1:1:db:prod\ndb.example.com:5432:app:anna:«tulip_brine»\n",
        "Alarm code, after hours: «7955»",
        "door code, valid 3 days: «1077»",
        "- j.doe:«Cactus!5535»",
        "pass::«Kettle!9479»",
        "the wifi, s3:«Harbour!4711», is for guests",
        "anna: «Sommer2024!»\nbob: Sommer2024!\ncarl: Sommer2024!\ndora: Sommer2024!\n",
        "`isSet` and `authAdmin` fail, so sudo on the box takes «MeadowRocket77»",
        "`isSet` and `authAdmin` fail.\nadmin pw: `«magpieLantern»`\n",
        "`isSet` and `authAdmin` fail.\napi key is «marmalade_magpie.velvet»\n",
        "<h2>Anna's password is «tulipBrine»</h2>",
    ],
)
def test_what_has_the_form_of_a_name_of_code_goes_if_it_is_called_a_password(told: str) -> None:
    secret = told[told.index("«") + 1 : told.index("»")]
    assert secret not in redacted(told.replace("«", "").replace("»", ""))


def test_a_word_that_comes_behind_many_words_is_a_term_of_the_text() -> None:
    text = "Use rabbit4 as the broker: start rabbit4 first, watch rabbit4 closely, and stop rabbit4 last."
    assert is_recurring_term(text, 4, 11)
    assert not is_recurring_term(text.replace("stop rabbit4", "stop it"), 4, 11)
    devices = (
        "- printer: admin / rabbit4\n- router: admin / rabbit4\n- camera: admin / rabbit4\n- nas: admin / rabbit4\n"
    )
    start = devices.index("rabbit4")
    assert not is_recurring_term(devices, start, start + 7), (
        "behind the same word each time, it may be a password of all"
    )
