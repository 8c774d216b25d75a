"""Tokens of code hosts, package registries, build and secret services, and the tools around them."""

from __future__ import annotations

from s3memory.redaction.rule import (
    ALNUM,
    BASE64URL,
    DIGITS,
    HEX,
    UPPER_ALNUM,
    Run,
    at_least,
    exactly,
    token,
)

_GITHUB = "https://docs.github.com/authentication/keeping-your-account-and-data-secure/about-authentication-to-github"
_GITLAB = "https://docs.gitlab.com/security/tokens/#token-prefixes"
_GITLAB_ROUTABLE = (
    "https://handbook.gitlab.com/handbook/engineering/architecture/design-documents/cells/routable_tokens/"
)
_DOPPLER = "https://docs.doppler.com/reference/auth-token-formats"

RULES = (
    token(
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        at_least(36, ALNUM),
        source=_GITHUB,
    ),
    # Since 2026 an installation's token is the app's id and a JWT.
    token(
        "github-token",
        "ghs_",
        Run(ALNUM, 1, 20),
        "_eyJ",
        Run(BASE64URL, 10, 1000),
        ".",
        Run(BASE64URL, 10, 2000),
        ".",
        at_least(20, BASE64URL),
        source="https://github.blog/changelog/2026-04-24-notice-about-upcoming-new-format-for-github-app-installation-tokens/",
    ),
    token(
        "github-token",
        "github_pat_",
        at_least(82, "A-Za-z0-9_"),
        source=_GITHUB,
    ),
    token(
        "gitlab-token",
        (
            *("glpat-", "gloas-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-"),
            *("glft-", "glimt-", "glagent-", "glwt-", "glsoat-", "glffct-", "GR1348941"),
        ),
        at_least(20, BASE64URL),
        source=_GITLAB,
    ),
    # A routable token has a length and a checksum behind its payload, and by now a version before them.
    token(
        "gitlab-token",
        ("glpat-", "glrt-"),
        Run(BASE64URL, 27, 300),
        ".",
        exactly(9, "0-9a-z"),
        source=_GITLAB_ROUTABLE,
    ),
    token(
        "gitlab-token",
        ("glpat-", "glrt-"),
        Run(BASE64URL, 27, 300),
        ".",
        exactly(2, "0-9a-z"),
        ".",
        exactly(9, "0-9a-z"),
        source=_GITLAB_ROUTABLE,
    ),
    token(
        "npm-token",
        "npm_",
        at_least(36, ALNUM),
        source="https://docs.npmjs.com/about-access-tokens",
    ),
    # A macaroon: the first bytes of every one are the same.
    token(
        "pypi-token",
        "pypi-AgE",
        at_least(50, BASE64URL),
        source="https://pypi.org/help/#apitoken",
    ),
    token(
        "docker-token",
        ("dckr_pat_", "dckr_oat_"),
        at_least(27, BASE64URL),
        source="https://docs.docker.com/security/access-tokens/",
    ),
    token(
        "terraform-token",
        (),
        exactly(14, ALNUM),
        ".atlasv1.",
        at_least(60, BASE64URL),
        anchors=(".atlasv1.",),
        source="https://developer.hashicorp.com/terraform/cloud-docs/users-teams-organizations/api-tokens",
    ),
    token(
        "vault-token",
        ("hvs.", "hvb.", "hvr."),
        at_least(24, BASE64URL),
        source="https://developer.hashicorp.com/vault/docs/concepts/tokens#token-prefixes",
    ),
    token(
        "atlassian-token",
        ("ATATT3", "ATCTT3"),
        at_least(100, "A-Za-z0-9_=-"),
        source="https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/",
    ),
    token(
        "linear-key",
        ("lin_api_", "lin_oauth_"),
        at_least(40, ALNUM),
        source="https://linear.app/developers/graphql",
    ),
    token(
        "postman-key",
        "PMAK-",
        exactly(24, HEX),
        "-",
        exactly(34, HEX),
        source="https://learning.postman.com/docs/developer/postman-api/authentication/",
    ),
    token(
        "databricks-token",
        "dapi",
        exactly(32, HEX),
        source="https://docs.databricks.com/dev-tools/auth/pat.html",
    ),
    token(
        "doppler-token",
        ("dp.pt.", "dp.ct.", "dp.st.", "dp.sa.", "dp.said.", "dp.scim.", "dp.audit."),
        at_least(40, ALNUM),
        source=_DOPPLER,
    ),
    # A service token can name its config.
    token(
        "doppler-token",
        "dp.st.",
        Run("a-z0-9_-", 2, 35),
        ".",
        at_least(40, ALNUM),
        source=_DOPPLER,
    ),
    token(
        "onepassword-token",
        "ops_eyJ",
        at_least(200, "A-Za-z0-9+/=_-"),
        source="https://developer.1password.com/docs/service-accounts/security/",
    ),
    token(
        "onepassword-secret-key",
        "A3-",
        *(exactly(6, UPPER_ALNUM), "-", exactly(6, UPPER_ALNUM), "-", exactly(5, UPPER_ALNUM), "-"),
        *(exactly(5, UPPER_ALNUM), "-", exactly(5, UPPER_ALNUM), "-", exactly(5, UPPER_ALNUM)),
        source="https://support.1password.com/secret-key/",
    ),
    token(
        "notion-token",
        "ntn_",
        exactly(11, DIGITS),
        at_least(35, ALNUM),
        source="https://developers.notion.com/guides/resources/best-practices-for-handling-api-keys",
    ),
    token(
        "notion-token",
        "secret_",
        exactly(43, ALNUM),
        source="https://developers.notion.com/guides/resources/best-practices-for-handling-api-keys",
    ),
)
