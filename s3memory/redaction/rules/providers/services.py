"""Tokens of messaging, mail, social and office services, and webhooks whose URL is a secret."""

from __future__ import annotations

import re
from collections.abc import Iterator

from s3memory.redaction.interface import Span
from s3memory.redaction.rule import Location, Rule, if_near
from s3memory.redaction.rules.providers.table import table
from s3memory.redaction.text.base64_text import decoded
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.subject import Subject
from s3memory.redaction.text.values import looks_random
from s3memory.redaction.tokens import WORD_START

_MAX_APP_ID = 16
_MIN_FIRST_PART, _MAX_REST = 23, 64


def _with_front(match: re.Match[str]) -> Location:
    return match.start("front"), match.end()


def _facebook_app_token(match: re.Match[str]) -> Location:
    start = match.start()
    while match.string[start - 1 : start].isdigit() and match.start() - start < _MAX_APP_ID:
        start -= 1
    return (start, match.end()) if looks_random(match["body"]) else None


def _webhook(match: re.Match[str]) -> Location:
    return None if "XXXXX" in match[0] else match.span()


def _discord_token(match: re.Match[str]) -> Location:
    # The first part is the id of the bot, a decimal number in base64.
    return match.span() if decoded(match["user"]).isdigit() else None


class _DiscordRule(Rule):
    """A rule that is tried at runs that are long enough and followed by a full stop."""

    def find(self, subject: Subject) -> Iterator[Span]:
        """Yield the tokens in the text of `subject`."""
        text = subject.text
        for start, end in subject.runs:
            if end - start >= _MIN_FIRST_PART and text.startswith(".", end):
                match = compiled(self.pattern).search(text, start, end + _MAX_REST)
                if match and (location := self.locate(match)):
                    yield Span(self.kind, *location)


RULES = (
    *table("""
    slack-token        (xoxb-|xoxp-|xoxa-|xoxr-|xoxs-|xoxo-|xoxe-|xoxc-|xapp-|xwfp-)<url:12+>  docs.slack.dev/authentication/tokens/
    slack-token        (xoxe.xoxb-|xoxe.xoxp-)<url:20+>                 docs.slack.dev/authentication/using-token-rotation
    asana-token        1/1<digits:11-17>:<hex:32>                        developers.asana.com/docs/personal-access-token
    asana-token        2/1<digits:11-17>/<digits:12-18>:<hex:32>         developers.asana.com/docs/personal-access-token
    discord-token      mfa.<url:84>                                     sapphirejs.dev/docs/Documentation/api-utilities/@sapphire/discord.js-utilities/variables/TokenRegex
    linkedin-secret    WPL_AP1.<alnum:16>.<base64:8>                    learn.microsoft.com/linkedin/shared/authentication/client-credentials-flow
    slack-token        xoxd-<cookie:40+>                               docs.slack.dev/authentication/tokens/
    sendgrid-key       SG.<url:16-32>.<url:16+>                         www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys
    sendgrid-key       SG.<dotted:60-70><equals:1+>                     www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys
    mailgun-key        (key-|pubkey-)<alnum:32> !                       documentation.mailgun.com/docs/mailgun/user-manual/get-started
    telegram-token     <digits:8-11>:AA<url:33>                         core.telegram.org/bots/api#authorizing-your-bot
    mailersend-token   mlsn.<alnum:30+>                                 developers.mailersend.com
    resend-key         re_<alnum:6-10>_<alnum:20+>                      resend.com/docs/api-reference
    brevo-key          (xkeysib-|xsmtpsib-)<HEX:64>-<alnum:16>          developers.brevo.com/docs/getting-started
    klaviyo-key        pk_<lower:34> !                                  developers.klaviyo.com/en/docs/authenticate_
    onesignal-key      (os_v2_app_|os_v2_org_)<lower:80+>               documentation.onesignal.com/docs/keys-and-ids
    courier-key        (pk_prod_|pk_test_|dk_prod_)<UPPER:26+>          www.courier.com/docs
    telnyx-key         KEY<url:50+> !                                   developers.telnyx.com/docs/development/api-guide/authentication
    intercom-token     dG9rO<base64:40+>                                developers.intercom.com/docs/build-an-integration/learn-more/authentication
    hubspot-token      (pat-na1-|pat-na2-|pat-na3-|pat-eu1-|pat-ap1-)<uuid>  developers.hubspot.com/docs/guides/apps/private-apps
    salesforce-token   00D<alnum:9-15>!<dotted:40-260><equals:1+>        developer.salesforce.com/docs
    salesforce-key     3MVG<dotted:40-200><equals:1+>                    developer.salesforce.com/docs
    facebook-token     EAA<alnum:60+> !                                 developers.facebook.com/docs/facebook-login/guides/access-tokens
    instagram-token    (IGQVJ|IGQWR|IGAA)<equals:80+>                   developers.facebook.com/docs/instagram-platform
    threads-token      THAA<alnum:80+> !                                developers.facebook.com/docs/threads
    x-token            AAAAAAAAAAAAAAAAAAAAA<percent:60+> !             docs.x.com/resources/fundamentals/authentication
    pinterest-token    pina_<url:20+>                                   developers.pinterest.com/docs/api/v5
    twitch-token       oauth:<lower:30>                                 dev.twitch.tv/docs/irc/authenticate-bot
    vk-token           vk1.a.<url:80+>                                  dev.vk.com/en/api/access-token
    dropbox-token      (sl.|sl.u.)<equals:60+>                          developers.dropbox.com/oauth-guide
    nylas-key          nyk_<word:56+>                         developer.nylas.com/docs/v3/auth
    calendly-token     eyJraWQiOiIxY2Ux<url:40-800>.<url:20-2000>.<url:20+>  developer.calendly.com/personal-access-tokens
    frameio-token      fio-u-<equals:60+>                               developer.frame.io
    mapbox-token       pk.<alnum:60>.<alnum:22>                         docs.mapbox.com/help/getting-started/access-tokens
    mapbox-token       (sk.eyJ|pk.eyJ|tk.eyJ)<url:40-400>.<url:20+>     docs.mapbox.com/help/getting-started/access-tokens
    locationiq-token   pk.<hex:32>                                      docs.locationiq.com/docs/authentication
    zoho-token         (1000.|1001.|1003.)<hex:32>.<hex:32>             www.zoho.com/accounts/protocol/oauth.html
    zoho-token         1003.<hex:33+>                                   www.zoho.com/accounts/protocol/oauth.html
    workato-token      wrka<lower:0-2>-eyJ<url:8-800>.<url:16-2000>.<url:40+>  docs.workato.com/workato-api.html
    pandadoc-key       pdk_<hex:40+>                                    developers.pandadoc.com
    apify-token        apify_api_<alnum:30+>                            docs.apify.com/platform/integrations/api
    foursquare-key     fsq3<base64:40+>                                 docs.foursquare.com/developer/reference/authentication
    planet-key         PLAK<hex:32>                                     docs.planet.com/develop/authentication
    hcaptcha-secret    ES_<hex:32>                                      docs.hcaptcha.com
    jumpcloud-key      jca_<alnum:36>                                   docs.jumpcloud.com/api
"""),
    Rule(
        kind="slack-webhook",
        anchors=("hooks.slack.com/",),
        scan=True,
        pattern=r"(?:https?://)?hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/-]{20,}+",
        locate=_webhook,
        source="https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/",
        samples=("posts to «https://hooks.slack.com/services/T<UPPER:8>/B<UPPER:8>/<alnum:24>».",),
        near=(
            "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
            "see https://hooks.slack.com/services/",
        ),
    ),
    Rule(
        kind="discord-webhook",
        anchors=("/webhooks/",),
        scan=True,
        pattern=(
            r"(?:https?://)?(?:(?:ptb|canary)\.)?discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?"
            r"webhooks/[0-9]{16,20}/(?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{20,}+"
        ),
        locate=_webhook,
        source="https://docs.discord.com/developers/resources/webhook",
        samples=(
            "«https://discord.com/api/webhooks/1<digits:17>/<alnum:68>»",
            "«https://discord.com/api/webhooks/1<digits:15>/<alnum:24>»",
        ),
        near=(
            "https://discord.com/api/webhooks/",
            "https://discord.com/api/webhooks/1<digits:17>/your-webhook-token-here",
        ),
    ),
    # The character classes are those of digits in base64; `_discord_token` decodes them to be sure.
    _DiscordRule(
        kind="discord-token",
        scan=True,
        pattern=(
            r"(?P<user>[MNO](?<![A-Za-z0-9_-][MNO])[DTjz][AEIMQUYcgk][0-5w-z][A-Za-z0-9]{19,23})"
            r"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}(?![A-Za-z0-9_-])"
        ),
        locate=_discord_token,
        source="https://docs.discord.com/developers/reference#authentication",
        samples=("the bot has «{discord}»",),
        near=("MTEx<alnum:20>.<alnum:6>.<alnum:30>",),
    ),
    Rule(
        kind="telegram-token",
        anchors=tuple(f"bot{digit}" for digit in range(1, 10)),
        pattern=r"bot(?<![A-Za-z0-9]bot)(?P<secret>[0-9]{8,11}:[A-Za-z0-9_-]{35})(?![A-Za-z0-9_-])",
        source="https://core.telegram.org/bots/api#making-requests",
        samples=("POST /bot«1234567890:AA<alnum:33>»/sendMessage", "it sent bot«1234567890:<alnum:35>»"),
        near=("/bot1234567890:AA<alnum:20>/sendMessage", "/robot/start", "robot1234567890:<alnum:35>"),
    ),
    # "SK" and as many digits as an MD5 sum could be anything, so "twilio" must be near.
    Rule(
        kind="twilio-key",
        anchors=("SK",),
        pattern=r"(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![0-9A-Za-z])",
        locate=if_near("(?i)twilio", before=100, behind=100),
        source="https://www.twilio.com/docs/iam/api-keys",
        samples=("«SK<hex:32>» is for Twilio",),
        near=("SK<hex:32> is for something else",),
    ),
    # It looks like the address of an account on a blockchain.
    Rule(
        kind="hcaptcha-secret",
        anchors=("0x",),
        pattern=r"(?<![A-Za-z0-9])0x[0-9A-Fa-f]{40}(?![0-9A-Za-z])",
        locate=if_near("(?i)captcha", before=100, behind=100),
        source="https://docs.hcaptcha.com",
        samples=("hcaptcha secret «0x<hex:40>»",),
        near=("the contract is 0x<hex:40>", "hcaptcha sitekey <uuid>"),
    ),
    # Keys in parts without a prefix: a search can only start at the separator of the parts.
    Rule(
        kind="mailgun-key",
        scan=True,
        pattern=rf"-(?<={WORD_START}(?P<front>[0-9a-f]{{32}}-))[0-9a-f]{{8}}-[0-9a-f]{{8}}(?![0-9A-Za-z_-])",
        locate=_with_front,
        source="https://documentation.mailgun.com/docs/mailgun/user-manual/get-started",
        samples=("mail goes out with «<hex:32>-<hex:8>-<hex:8>».",),
        near=("trace <hex:32>-<hex:8>-<hex:4>", "a<hex:32>-<hex:8>-<hex:8>", "<hex:32>-<hex:8>-<hex:8>-<hex:4>"),
    ),
    Rule(
        kind="ghost-key",
        anchors=(":",),
        scan=True,
        pattern=rf":(?<={WORD_START}(?P<front>[0-9a-f]{{24}}:))[0-9a-f]{{64}}(?![0-9A-Za-z_-])",
        locate=_with_front,
        source="https://docs.ghost.org/admin-api/#token-authentication",
        samples=("the blog takes «<hex:24>:<hex:64>».",),
        near=("layer <hex:12>:<hex:64>", "a<hex:24>:<hex:64>"),
    ),
    # A number and a bar are in any table of numbers, so what follows has to look random.
    Rule(
        kind="facebook-token",
        anchors=("|",),
        scan=True,
        pattern=(
            rf"\|(?:(?<={WORD_START}[0-9]{{15}}\|)|(?<={WORD_START}[0-9]{{16}}\|))"
            r"(?P<body>[A-Za-z0-9_-]{27})(?![A-Za-z0-9_-])"
        ),
        locate=_facebook_app_token,
        source="https://developers.facebook.com/docs/facebook-login/guides/access-tokens#apptokens",
        samples=("access_token=«1<digits:14>|{mixed 27}»&x=1",),
        near=("|123456789012345|a_name_of_27_characters_abc|", "access_token=<digits:9>|{mixed 27}"),
    ),
    # The id of an app and its secret, as some write the two.
    Rule(
        kind="facebook-token",
        anchors=("facebook", "fb_"),
        fold=True,
        pattern=r"(?i:facebook|fb_)[^\n]{0,40}?(?<![0-9])[0-9]{15,16}[ ]{0,2}[|:/,][ ]{0,2}[\"']?(?P<secret>[0-9a-f]{32})(?![0-9A-Za-z])",
        source="https://developers.facebook.com/docs/facebook-login/guides/access-tokens#apptokens",
        samples=("Facebook = 1<digits:14> | «<hex:32>»;",),
        near=("facebook page 1<digits:14> | 12 likes", "app 1<digits:14> | <hex:32>"),
    ),
    # A search can only start at the data centre, which is at the end.
    Rule(
        kind="mailchimp-key",
        anchors=("-us",),
        pattern=r"(?<=(?<![^\W_])(?P<front>[0-9a-f]{32}))-us[0-9]{1,2}(?![0-9A-Za-z])",
        locate=_with_front,
        source="https://mailchimp.com/developer/marketing/guides/quick-start/",
        samples=("mailchimp: «<hex:32>-us12»",),
        near=("the bucket <lower:10>-us12",),
    ),
    # Between the id of the user who made it and the method to call.
    Rule(
        kind="webhook",
        anchors=("/rest/",),
        pattern=r"/rest/[0-9]{1,8}/(?P<secret>(?=[a-z]{0,15}[0-9])[a-z0-9]{16})(?![A-Za-z0-9])",
        source="https://apidocs.bitrix24.com/local-integrations/local-webhooks.html",
        samples=("https://acme.bitrix24.com/rest/1/«k3<lower:14>»/crm.lead.add",),
        near=("https://acme.example.org/rest/1/customers/orders",),
    ),
    Rule(
        kind="webhook",
        anchors=(
            ".webhook.office.com/",
            "hooks.zapier.com/hooks/",
            "chat.googleapis.com/v1/spaces/",
            "maker.ifttt.com/",
            "sumologic.com/receiver/",
            "loggly.com/",
            "events.pagerduty.com/integration/",
            "alert.victorops.com/integrations/",
            "qyapi.weixin.qq.com/cgi-bin/webhook/",
        ),
        scan=True,
        pattern=(
            r"(?:https?://)?(?:[a-z0-9-]{1,63}\.webhook\.office\.com|hooks\.zapier\.com|chat\.googleapis\.com|"
            r"maker\.ifttt\.com|(?:[a-z0-9-]{1,63}\.){1,4}sumologic\.com/receiver|logs-[0-9]{2}\.loggly\.com/(?:inputs|bulk)|"
            r"events\.pagerduty\.com/integration|alert\.victorops\.com/integrations|qyapi\.weixin\.qq\.com/cgi-bin/webhook)"
            r"/(?=[!-~]{24})[A-Za-z0-9_@/?=&%.~-]{0,511}+"
        ),
        locate=_webhook,
        source="https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using",
        samples=("hook: «https://hooks.zapier.com/hooks/catch/<digits:7>/<alnum:12>/»",),
        near=(
            "hook: https://hooks.zapier.com/hooks/",
            "see https://help.sumologic.com/docs/send-data/hosted-collectors/",
        ),
    ),
)
