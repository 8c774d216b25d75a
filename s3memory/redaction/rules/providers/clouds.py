"""Keys of cloud providers, of databases and platforms as a service, and of Kubernetes."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule, if_near
from s3memory.redaction.rules.providers.table import table
from s3memory.redaction.text.values import entropy, is_placeholder, looks_random
from s3memory.redaction.text.word_lists import word_list
from s3memory.redaction.tokens import WORD_START

_AWS_KEYS = "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html"

# Forty characters of base64 on their own: neither inside a longer run nor padded.
_FORTY_CHARACTERS = r"(?<![A-Za-z0-9+/_-])(?P<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=_-])"

# The entropy of a path or a name of forty characters is lower, that of a random key higher (4.3 and more).
_MIN_ENTROPY = 4.0


def _aws_secret(match: re.Match[str]) -> Location:
    value = match["secret"]
    is_mixed = any(character.isupper() for character in value) and any(map(str.islower, value))
    if not is_mixed or is_placeholder(value) or entropy(value) < _MIN_ENTROPY:
        return None
    return match.span("secret")


def _bootstrap_token(match: re.Match[str]) -> Location:
    _, _, secret = match["secret"].partition(".")
    return match.span("secret") if looks_random(secret) else None


_KEYS, _MAX_BETWEEN_KEYS = ("key", "master", "readonly"), 200


def _service_key(match: re.Match[str]) -> Location:
    around = match.string[max(0, match.start() - _MAX_BETWEEN_KEYS) : match.end() + _MAX_BETWEEN_KEYS].lower()
    is_one = match["secret"].endswith("=") or ("primary" in around and "secondary" in around)
    return match.span("secret") if is_one and looks_random(match["secret"]) else None


RULES = (
    *table("""
    aws-access-key         (AKIA|ASIA|ABIA|ACCA)<UPPER:16+>            docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
    aws-bedrock-key        ABSK<base64:80+>                            docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html
    aws-bedrock-key        bedrock-api-key-<base64:28+>                docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html
    aws-session-token      (IQoJb3JpZ2luX2|FwoGZXIvYXdz|FQoGZXIvYXdz|AQoDYXdz)<base64:80+>  docs.aws.amazon.com/STS/latest/APIReference/API_GetSessionToken.html
    aws-appsync-key        da2-<lower:26>                              docs.aws.amazon.com/appsync/latest/devguide/security-authz.html
    amazon-secret          amzn.mws.<uuid>                             developer-docs.amazon.com/sp-api
    amazon-secret          amzn1.oa2-cs.v1.<hex:56+>                   developer-docs.amazon.com/sp-api
    azure-key              IR@<slug:36>@<url:1-63>@<dotted:1-160>@<base64:40-48>  learn.microsoft.com/azure/data-factory/create-self-hosted-integration-runtime
    google-api-key         AIza<url:30+>                               docs.cloud.google.com/docs/authentication/api-keys
    google-oauth-secret    GOCSPX-<url:24+>                            developers.google.com/identity/protocols/oauth2
    google-oauth-token     (ya29.|ya29.c.)<url:30+>                    developers.google.com/identity/protocols/oauth2
    google-oauth-token     1//0<url:60+>                               developers.google.com/identity/protocols/oauth2
    google-hmac-key        GOOG1E<alnum:50+>                           docs.cloud.google.com/storage/docs/authentication/hmackeys
    firebase-key           AAAA<url:7>:<url:120+>                      firebase.google.com/docs/cloud-messaging/auth-server
    digitalocean-token     (dop_v1_|doo_v1_|dor_v1_|dos_v1_)<hex:56+>  docs.digitalocean.com/reference/api/create-personal-access-token
    cloudflare-token       (cfut_|cfat_|cfk_)<alnum:40+>               developers.cloudflare.com/fundamentals/api/get-started/create-token
    cloudflare-token       v1.0-<hex:24>-<hex:120+>                    developers.cloudflare.com/ssl/origin-configuration/origin-ca
    cloudflare-token       0x4AAAAAAA<url:23-30>                       developers.cloudflare.com/turnstile/get-started
    heroku-key             HRKU-<url:36+>                              devcenter.heroku.com/articles/authentication
    vercel-token           (vck_|vca_|vcr_|vci_|vcp_)<url:40+>         vercel.com/docs/rest-api
    netlify-token          (nfp_|nfc_|nfo_|nfu_|nfb_)<alnum:30+>       docs.netlify.com/api-and-cli-guides/api-guides
    supabase-key           (sbp_|sb_secret_)<url:30+>  supabase.com/docs/guides/api/api-keys
    neon-key               napi_<alnum:40+>                            neon.com/docs/manage/api-keys
    planetscale-token      (pscale_tkn_|pscale_oauth_|pscale_pw_)<dotted:30-200><equals:1+>  planetscale.com/docs/reference/service-tokens
    render-key             rnd_<alnum:24+>                             render.com/docs/api
    fly-token              (fo1_|fm1r_|fm1a_|fm2_)<any64:40+>          fly.io/docs/security/tokens
    alibaba-key            LTAI<alnum:12+> !                           www.alibabacloud.com/help/en/ram
    alibaba-key            STS.<alnum:20+> !                           www.alibabacloud.com/help/en/ram
    alibaba-token          CAIS<any64:20+> !                           www.alibabacloud.com/help/en/ram
    tencent-key            AKID<alnum:28+> !                           www.tencentcloud.com/document/product/598
    yandex-key             (AQVN|ajeh)<url:35+>                        yandex.cloud/en/docs/iam/concepts/authorization/api-key
    yandex-token           (y0_|y1_|y2_|y3_)<url:50+>                  yandex.cloud/en/docs/iam/concepts/authorization/oauth-token
    yandex-token           t1.<equals:20-800>.<equals:80+>             yandex.cloud/en/docs/iam/concepts/authorization/iam-token
    mongodb-key            mdb_sa_sk_<url:36+>                         www.mongodb.com/docs/atlas/configure-api-access
    cockroach-key          CCDB1_<alnum:22>_<alnum:36+>                www.cockroachlabs.com/docs/cockroachcloud/cloud-api
    datastax-token         AstraCS:<alnum:20-24>:<hex:56+>             docs.datastax.com/en/astra-db-serverless
    datastax-token         AstraCS:<alnum:20+>                         docs.datastax.com/en/astra-db-serverless
    elastic-key            essu_<any64:56+>                            www.elastic.co/guide/en/cloud/current/ec-api-authentication.html
    aiven-password         AVNS_<url:16+>                              aiven.io/docs
    confluent-secret       cflt<base64:56+> !                          docs.confluent.io/cloud/current/security
    fauna-key              (fnAE|fnAD|fnAF)<url:32+> !                 docs.fauna.com
    xata-key               xau_<alnum:32+>                             xata.io/docs
    tigris-key             tsec_<url:40+>                              www.tigrisdata.com/docs/iam
    backblaze-key          (K000|K001|K002|K003|K004|K005)<base64:27> !  www.backblaze.com/docs/cloud-storage-application-keys
    clickhouse-key         4b1d<alnum:38>                              clickhouse.com/docs/cloud/manage/openapi
    upcloud-token          ucat_<alnum:24+>                            developers.upcloud.com
    exoscale-key           EXO<alnum:24-30> !                          community.exoscale.com
    scalingo-token         tk-us-<url:40+>                             developers.scalingo.com
    openshift-token        sha256~<url:43>                             docs.openshift.com
    rancher-token          K10<hex:64>::server:<hex:32>                      docs.k3s.io/cli/token
    rancher-token          token-<lower:5>:<lower:54>                  ranchermanager.docs.rancher.com/reference-guides/user-settings/api-keys
    snowflake-token        (ver:1-hint:|ver:2-hint:|ver:3-hint:)<digits:1-20>-<base64:40+>  docs.snowflake.com/en/developer-guide/snowflake-rest-api/authentication
    quicknode-key          QN_<hex:32>                                 www.quicknode.com/docs
    alchemy-token          alcht_<alnum:24+>                           docs.alchemy.com
    azure-key              <alnum:52>JQQJ9<alnum:26+>                  learn.microsoft.com/purview/sit-defn-azure-storage-account-key
    azure-devops-token     <alnum:76>AZDO<alnum:4-5>                   learn.microsoft.com/purview/sit-defn-azure-devops-personal-access-token
    azure-client-secret    <azure-start:3><digits:1>Q~<azure:30-33><azure-end:1>  learn.microsoft.com/purview/sit-defn-client-secret-api-key
    wallet-key             (xprv|yprv|zprv|tprv)<alnum:100+>           github.com/bitcoin/bips/blob/master/bip-0032.mediawiki
    wallet-key             nsec1<lower:56+>                            github.com/nostr-protocol/nips/blob/master/19.md
    wallet-key             (edsk|edesk)<alnum:50+>                     tezos.gitlab.io
"""),
    Rule(
        kind="aws-secret-key",
        anchors=("secret",),
        fold=True,
        pattern=r"(?i:secret[ _-]?(?:access[ _-]?)?key)[^\w+/]{1,10}(?:(?:is|was|value)[^\w+/]{1,6})?"
        + _FORTY_CHARACTERS,
        locate=_aws_secret,
        source=_AWS_KEYS,
        samples=("aws_secret_access_key = «{mixed 40}»", "| Secret access key | «{mixed 40}» |"),
        near=("aws_secret_access_key = <hex:40>", "secret key: <secret key of forty characters....>"),
    ),
    # After the access key that it belongs to, as in a table, a list or the console's CSV file.
    Rule(
        kind="aws-secret-key",
        anchors=("AKIA", "ASIA"),
        pattern=r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])[\s\S]{1,80}?" + _FORTY_CHARACTERS,
        locate=_aws_secret,
        source=_AWS_KEYS,
        samples=("AKIA<base32:16> / «{mixed 40}»",),
        near=("AKIA<base32:16> / <hex:40>",),
    ),
    Rule(
        kind="azure-storage-key",
        anchors=("accountkey=",),
        fold=True,
        pattern=r"(?i:accountkey)=(?P<secret>[A-Za-z0-9+/]{86}==)",
        source="https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string",
        samples=("DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=«<alnum:86>==»;EndpointSuffix=core",),
        near=("AccountKey=<your account key>;", "AccountKey=<alnum:40>;"),
    ),
    # Keys with a signature and a checksum inside, which Azure adds so that scanners can recognize them.
    Rule(
        kind="azure-key",
        anchors=word_list("APIM ACDb +ABa +AMC +ASt AIoT +ASb +AEh +ARm AzSe AzFu AzCa +ACR"),
        scan=True,
        pattern=(
            rf"{WORD_START}(?:[A-Za-z0-9+/]{{76}}(?:APIM|ACDb|\+(?:ABa|AMC|ASt))[A-Za-z0-9+/]{{5}}[AQgw]=="
            r"|[A-Za-z0-9+/_-]{44}AzFu[A-Za-z0-9+/_-]{5}[AQgw]==|[A-Za-z0-9+/]{42}(?:AzSe|\+ACR)[A-D][A-Za-z0-9+/]{5}"
            r"|[A-Za-z0-9+/]{33}(?:AIoT|AzCa|\+(?:ASb|AEh|ARm))[A-P][A-Za-z0-9+/]{5}=)"
        ),
        source="https://learn.microsoft.com/purview/sit-defn-azure-storage-account-key",
        samples=("the key is «<alnum:76>+ABa<alnum:5>A==» now", "the key is «<alnum:1><url:43>AzFu<url:5>Q==» now"),
        near=("the key is <alnum:70>+ABa<alnum:5>A== now",),
    ),
    Rule(
        kind="azure-shared-access-key",
        anchors=("sharedaccesskey", *(f"{which}{what}" for which in ("primary", "secondary") for what in _KEYS)),
        fold=True,
        # Services list two keys, so that one can be changed while the other is in use.
        pattern=(
            r"(?i:sharedaccess|(?:primary|secondary)(?:(?:readonly)?master)?)(?i:key)"
            r"[\"']?(?:>|[ ]?[:=][ ]?[\"']?)"
            r"(?P<secret>[A-Za-z0-9+/]{30,86}={1,2}|[A-Za-z0-9]{32,84}(?=[\"'<]))(?![\w=])"
        ),
        locate=_service_key,
        source="https://learn.microsoft.com/azure/service-bus-messaging/service-bus-sas",
        samples=(
            "Endpoint=sb://acme.example.net/;SharedAccessKeyName=Root;SharedAccessKey=«<alnum:43>=»",
            "<PrimaryKey>«<alnum:43>=»</PrimaryKey>",
            '{"primaryKey": "«<hex:32>»", "secondaryConnectionString": "a"}',
        ),
        near=(
            "SharedAccessKeyName=Root;SharedAccessKey=<key>",
            '{"primaryKey": "<hex:32>", "table": "rows"}',
            '"primaryKey": "customerAccountIdentifierOfTheMainTable"',
        ),
    ),
    # "sig" alone is a common parameter; a signature always comes with an expiry, a version or permissions.
    Rule(
        kind="azure-shared-access-signature",
        anchors=("sig=", "aeg-sas-token"),
        pattern=r"(?:sig=|aeg-sas-token[\"']?[:=][ ]?[\"']?r=\S{1,400}?&s=)(?P<secret>[A-Za-z0-9%+/]{43,66}(?:%3[Dd]|=)|[A-Za-z0-9_-]{43}(?![A-Za-z0-9%_=-]))",
        locate=if_near(r"(?<![A-Za-z])s[evp]=|aeg-sas-token", before=600, behind=200),
        before=600,
        source="https://learn.microsoft.com/rest/api/storageservices/create-service-sas",
        samples=(
            "https://acme.blob.example.net/c?sv=2024-08-04&se=2026-01-01&sig=«<alnum:43>%3D»&sr=c",
            "https://acme.logic.example.net/invoke?sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=«<url:43>»",
            "https://acme.logic.example.net/invoke?sig=«<url:43>»&sv=1.0",
            "aeg-sas-token: r=https%3A%2F%2Facme.example.net&e=6%2F1%2F2026&s=«<alnum:20>%2B<alnum:22>%3D»",
        ),
        near=("https://example.org/?sig=<alnum:43>%3D&sr=c", "?se=2026&sig=<alnum:20>", "?base=1&sig=<url:43>"),
    ),
    # Too short to be told from a name with a dot, unless a word near it shows what it is.
    Rule(
        kind="kubeadm-token",
        anchors=("token", "kubeadm"),
        fold=True,
        pattern=r"(?i:token|kubeadm)[^\n]{0,60}?(?<![A-Za-z0-9./_-])(?P<secret>[a-z0-9]{6}\.[a-z0-9]{16})(?![A-Za-z0-9(_-]|\.\w)",
        locate=_bootstrap_token,
        source="https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/",
        samples=("kubeadm join 10.0.0.1:6443 --token «a1b<lower:3>.b2c3<lower:10>7x»",),
        near=("kubeadm join 10.0.0.1:6443 --token <token>", "the token of module.authenticationset"),
    ),
)
