"""Tokens of messaging, payment, mail, shop and monitoring services, and webhooks whose URL is the secret."""

from __future__ import annotations

import re
from binascii import Error as Base64Error
from binascii import a2b_base64

from s3memory.redaction.rule import (
    ALNUM,
    BASE64URL,
    DIGITS,
    HEX,
    UPPER_ALNUM,
    Location,
    Rule,
    Run,
    at_least,
    exactly,
    token,
)

_NEAR = 100
_SLACK = "https://docs.slack.dev/authentication/tokens/"
_STRIPE = "https://docs.stripe.com/keys"
_MADE_UP_WEBHOOK = "XXXXX"


def _beside_twilio(match: re.Match[str]) -> Location:
    around = match.string[max(0, match.start() - _NEAR) : match.end() + _NEAR]
    return match.span() if "twilio" in around.lower() else None


def _webhook(match: re.Match[str]) -> Location:
    return None if _MADE_UP_WEBHOOK in match[0] else match.span()


def _discord_token(match: re.Match[str]) -> Location:
    # The first part is the bot's id, a snowflake, as decimal digits in base64.
    user = match["user"]
    try:
        digits = a2b_base64(user + "=" * (-len(user) % 4))
    except Base64Error:
        return None
    return match.span() if digits.isdigit() else None


RULES = (
    # Every one goes on with a number: a version or the workspace's id.
    token(
        "slack-token",
        ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-", "xoxc-", "xapp-", "xwfp-"),
        Run(DIGITS, 1, 16),
        "-",
        at_least(20, "A-Za-z0-9-"),
        source=_SLACK,
    ),
    token(
        "slack-token",
        "xoxd-",
        at_least(40, "A-Za-z0-9%+/=_-"),
        source=_SLACK,
    ),
    Rule(
        kind="slack-webhook",
        anchors=("hooks.slack.com/",),
        scan=True,
        pattern=r"(?:https?://)?hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/-]{20,}+",
        locate=_webhook,
        source="https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/",
    ),
    Rule(
        kind="discord-webhook",
        anchors=("/webhooks/",),
        scan=True,
        pattern=(
            r"(?:https?://)?(?:(?:ptb|canary)\.)?discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?"
            r"webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60,}+"
        ),
        locate=_webhook,
        source="https://docs.discord.com/developers/resources/webhook",
    ),
    # The character classes spell "digits in base64", which makes the search fast; `_discord_token` makes sure.
    Rule(
        kind="discord-token",
        anchors=(),
        scan=True,
        pattern=(
            r"(?P<user>[MNO](?<![A-Za-z0-9_-][MNO])[DTjz][AEIMQUYcgk][0-5w-z][A-Za-z0-9]{19,23})"
            r"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}(?![A-Za-z0-9_-])"
        ),
        locate=_discord_token,
        source="https://docs.discord.com/developers/reference#authentication",
    ),
    token(
        "telegram-token",
        (),
        Run(DIGITS, 8, 10),
        ":AA",
        exactly(33, BASE64URL),
        anchors=(":AA",),
        source="https://core.telegram.org/bots/api#authorizing-your-bot",
    ),
    token(
        "stripe-key",
        ("sk_live_", "sk_test_", "rk_live_", "rk_test_"),
        at_least(24, ALNUM),
        source=_STRIPE,
    ),
    token(
        "stripe-webhook-secret",
        "whsec_",
        at_least(32, "A-Za-z0-9+/="),
        source="https://docs.stripe.com/webhooks/signature",
    ),
    # "SK" and an MD5 sum's worth of digits are too little to go by alone.
    Rule(
        kind="twilio-key",
        anchors=("SK",),
        pattern=r"(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![0-9A-Za-z])",
        locate=_beside_twilio,
        source="https://www.twilio.com/docs/iam/api-keys",
    ),
    token(
        "sendgrid-key",
        "SG.",
        exactly(22, BASE64URL),
        ".",
        exactly(43, BASE64URL),
        source="https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys",
    ),
    token(
        "shopify-token",
        ("shpat_", "shpca_", "shppa_", "shpss_"),
        exactly(32, "0-9A-Fa-f"),
        source="https://shopify.dev/docs/apps/build/authentication-authorization",
    ),
    token(
        "new-relic-key",
        "NRAK-",
        exactly(27, UPPER_ALNUM),
        source="https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys/",
    ),
    token(
        "new-relic-key",
        (),
        exactly(36, "0-9A-Fa-f"),
        "NRAL",
        anchors=("NRAL",),
        source="https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys/",
    ),
    token(
        "grafana-token",
        "glsa_",
        exactly(32, ALNUM),
        "_",
        exactly(8, HEX),
        source="https://grafana.com/docs/grafana/latest/administration/service-accounts/",
    ),
    # The token is JSON in base64.
    token(
        "grafana-token",
        "glc_eyJ",
        at_least(32, "A-Za-z0-9+/="),
        source="https://grafana.com/docs/grafana-cloud/security-and-account-management/authentication-and-permissions/access-policies/",
    ),
)
