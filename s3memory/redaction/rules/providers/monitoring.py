"""Keys of monitoring, analytics and feature services."""

from __future__ import annotations

import re
from functools import partial

from s3memory.redaction.rule import Location
from s3memory.redaction.rules.providers.table import ALPHABETS, table
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.tokens import Run, Token, unless_example

# The id under which Power BI publishes a report starts alike: it holds the UUIDs of a resource and a tenant.
_POWER_BI_REPORT = r"[A-Za-z0-9+/]{48}IiwidCI"


def _grafana_token(match: re.Match[str]) -> Location:
    return None if compiled(_POWER_BI_REPORT).match(match["body"]) else unless_example(match)


RULES = (
    *table("""
    new-relic-key     (NRAK-|NRII-|NRIQ-|NRSP-|NRRA-|NRJS-|NRBR-)<url:19+>  docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys/
    new-relic-key     <alnum:36>NRAL                                docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys/
    grafana-token     glsa_<url:32>_<HEX:8>                         grafana.com/docs/grafana/latest/administration/service-accounts/
    grafana-token     glc_<base64:32+>                              grafana.com/docs/grafana-cloud/security-and-account-management/authentication-and-permissions/access-policies/
    honeycomb-key     (hcaik_|hcaic_|hcamk_|hcalk_|hcxik_)<alnum:50+>  docs.honeycomb.io/configure/environments/manage-api-keys
    pagerduty-key     u+<url:18> !                                  developer.pagerduty.com/docs/rest-api-v2/authentication
    posthog-key       (phc_|phx_|phs_|pha_|phr_)<url:32+>           posthog.com/docs/api
    statsig-key       (secret-|console-)<alnum:40+> !               docs.statsig.com/sdk-keys/api-keys
    segment-token     sgp_<alnum:60+>                               segment.com/docs/api/public-api
    rootly-key        rootly_<hex:56+>                              docs.rootly.com
    axiom-token       (xaat-|xapt-)<uuid>                           axiom.co/docs/reference/tokens
    checkly-key       cu_<hex:32>                                   www.checklyhq.com/docs
    tinybird-token    p.eyJ<url:20-800>.<url:20+>                   www.tinybird.co/docs/concepts/auth-tokens
    metabase-key      mb_<base64:40+> !                             www.metabase.com/docs/latest/people-and-groups/api-keys
    fullstory-key     (na1.|eu1.)<alnum:40+> !                      developer.fullstory.com/server/v1/authentication
    statsig-key       (client-)<alnum:40+> !                        docs.statsig.com/sdk-keys/api-keys
"""),
    Token(
        "grafana-token",
        ("eyJrIjoi",),
        partial(tuple, (Run(ALPHABETS["base64"], 40),)),
        source="https://grafana.com/docs/grafana/latest/developers/http_api/auth",
        locate=_grafana_token,
    ),
)
