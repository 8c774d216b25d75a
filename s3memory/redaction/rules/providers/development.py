"""Tokens of code hosts, package registries, build and secret services, and the tools around them."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, Rule
from s3memory.redaction.rules.providers.table import table


def _in_last_group(match: re.Match[str]) -> Location:
    return match.span(match.lastgroup or 0)


RULES = (
    *table("""
    github-token           (ghp_|gho_|ghu_|ghs_|ghr_)<alnum:30+>          docs.github.com/authentication
    github-token           ghs_<alnum:1-20>_eyJ<url:10-1000>.<url:10-2000>.<url:20+>  github.blog/changelog/2026-04-24-notice-about-upcoming-new-format-for-github-app-installation-tokens/
    github-token           github_pat_<word:50+>                          docs.github.com/authentication
    gitlab-token           (glpat-|gloas-|gldt-|glrt-|glrtr-|glcbt-|glptt-|glft-)<url:20+>  docs.gitlab.com/security/tokens/#token-prefixes
    gitlab-token           (glimt-|glagent-|glwt-|glsoat-|glffct-|GR1348941)<url:20+>  docs.gitlab.com/security/tokens/#token-prefixes
    gitlab-token           (glpat-|glrt-)<url:27-300>.<lower:9>            handbook.gitlab.com/handbook/engineering/architecture/design-documents/cells/routable_tokens/
    gitlab-token           (glpat-|glrt-)<url:27-300>.<lower:2>.<lower:9>  handbook.gitlab.com/handbook/engineering/architecture/design-documents/cells/routable_tokens/
    gitlab-token           gitlab_session=<hex:32>                        docs.gitlab.com/security/tokens
    bitbucket-token        (ATBB|ATCTT3)<equals:28+> !                    support.atlassian.com/bitbucket-cloud/docs/using-app-passwords
    bitbucket-token        BBDC-<base64:32+>                              confluence.atlassian.com/bitbucketserver/http-access-tokens-939515499.html
    atlassian-token        (ATAT|ATOA|ATSTT3)<equals:60+>          support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/
    trello-token           ATTA<alnum:60+>                                developer.atlassian.com/cloud/trello
    npm-token              npm_<alnum:30+>                                docs.npmjs.com/about-access-tokens
    pypi-token             pypi-<url:50+>                                 pypi.org/help/#apitoken
    rubygems-key           rubygems_<hex:40+>                             guides.rubygems.org/api-key-scopes
    crates-token           cio<alnum:32> !                                doc.rust-lang.org/cargo/reference/publishing.html
    nuget-key              oy2<lower:43>                                  learn.microsoft.com/nuget/nuget-org/publish-a-package
    clojars-token          CLOJARS_<alnum:56+>                            github.com/clojars/clojars-web/wiki/Deploy-Tokens
    jfrog-key              (AKCp|cmVmd)<alnum:56+>                        jfrog.com/help/r/jfrog-platform-administration-documentation/access-tokens
    packagist-key          (packagist_ack_|packagist_act_|packagist_oack_)<hex:60+>  packagist.com/docs/api-authentication
    cloudsmith-key         csa_<alnum:36>                                 help.cloudsmith.io/docs/api-key
    docker-token           (dckr_pat_|dckr_oat_)<url:24+>                 docs.docker.com/security/access-tokens
    docker-swarm-token     SWMTKN-1-<lower:40-64>-<lower:20+>             docs.docker.com/engine/swarm/swarm-mode
    docker-swarm-token     SWMKEY-1-<base64:40+>                          docs.docker.com/engine/swarm/swarm_manager_locking
    buildkite-token        (bkua_|bkaa_|bkaj_|bkar_|bkct_|bkpt_|bkpat_|bkps_)<url:36+>  buildkite.com/docs/apis/managing-api-tokens
    circleci-token         (CCIPAT_|CCIPRJ_)<alnum:22>_<alnum:36+>        circleci.com/docs/managing-api-tokens
    sonar-token            (squ_|sqp_|sqa_)<hex:36+>                      docs.sonarsource.com/sonarqube-server/user-guide/managing-tokens
    snyk-token             (snyk_uat.|snyk_sat.)<lower:8>.<url:20-800>.<url:20+>  docs.snyk.io/developer-tools/snyk-api/authentication-for-api
    sentry-token           sntrys_<any64:40+>                             docs.sentry.io/account/auth-tokens
    sentry-token           (sntryu_|sntrya_|sntryi_)<hex:56+>             docs.sentry.io/account/auth-tokens
    sourcegraph-token      sgp_<word:36+>                                 sourcegraph.com/docs/cli/how-tos/creating_an_access_token
    sourcegraph-token      slk_<hex:56+>                                  sourcegraph.com/docs
    postman-key            PMAK-<hex:24>-<hex:34>                         learning.postman.com/docs/developer/postman-api/authentication/
    postman-key            PMAT-<alnum:26>                                learning.postman.com/docs
    databricks-token       (dapi|dose)<hex:32>                            docs.databricks.com/dev-tools/auth/pat.html
    databricks-token       (dapi|dose)<hex:32>-<digits:1>                  docs.databricks.com/dev-tools/auth/pat.html
    juniper-secret         $9$<any64:16+>                                www.juniper.net/documentation/us/en/software/junos
    vault-token            s.<alnum:24> !                                 developer.hashicorp.com/vault/docs/concepts/tokens#token-prefixes
    vault-token            (hvs.|hvb.|hvr.)<url:24+>                      developer.hashicorp.com/vault/docs/concepts/tokens#token-prefixes
    pulumi-token           pul-<hex:36+>                                  www.pulumi.com/docs/pulumi-cloud/access-management/access-tokens
    doppler-token          (dp.pt.|dp.ct.|dp.st.|dp.sa.|dp.said.|dp.scim.|dp.audit.)<alnum:40+>  docs.doppler.com/reference/auth-token-formats
    doppler-token          dp.st.<url:2-35>.<alnum:40+>                   docs.doppler.com/reference/auth-token-formats
    infisical-token        st.<hex:24>.<hex:32>.<hex:32>                  infisical.com/docs
    bitwarden-token        0.<uuid>.<alnum:30>:<base64:24>                bitwarden.com/help/access-tokens/
    onepassword-token      ops_eyJ<any64:160+>                            developer.1password.com/docs/service-accounts/security/
    onepassword-secret-key A3-<UPPER:6>-<UPPER:6>-<UPPER:5>-<UPPER:5>-<UPPER:5>-<UPPER:5>  support.1password.com/secret-key/
    onepassword-secret-key A3-<UPPER:6>-<UPPER:11>-<UPPER:5>-<UPPER:5>-<UPPER:5>  support.1password.com/secret-key/
    harness-token          (pat.|sat.)<url:22>.<alnum:24>.<alnum:20>      developer.harness.io/docs/platform/automation/api/add-and-manage-api-keys
    octopus-key            API-<UPPER:25-27>                            octopus.com/docs/octopus-rest-api/how-to-create-an-api-key
    dynatrace-token        dt0s02.<base32:8>.<base32:64>                  docs.dynatrace.com/docs/manage/identity-access-management/access-tokens-and-oauth-clients/oauth-clients
    dynatrace-token        (dt0c01.|dt0s01.|dt0s02.|dt0s03.|dt0s04.|dt0s06.|dt0s08.|dt0s09.|dt0s16.)<alnum:24>.<alnum:60+>  docs.dynatrace.com/docs/manage/identity-access-management/access-tokens-and-oauth-clients
    launchdarkly-key       (sdk-|api-|mob-|rel-)<uuid>                    docs.launchdarkly.com
    tailscale-key          (tskey-api-|tskey-auth-|tskey-client-|tskey-scim-|tskey-webhook-)<url:20+>  tailscale.com/kb/1277/key-prefixes
    defined-key            dnkey-<equals:26>-<equals:52>                  docs.defined.net/guides/automating-host-creation
    prefect-key            (pnu_|pnb_)<alnum:32+>                         docs.prefect.io
    infracost-key          ico-<alnum:32>                                 www.infracost.io/docs
    mergify-key            mergify_application_key_<url:36+>              docs.mergify.com
    deno-token             (ddp_|ddo_)<alnum:32+>                         docs.deno.com/deploy
    val-town-token         vtwn_<url:20+>                                 docs.val.town
    codesandbox-token      csb_v1_<url:36+>                               codesandbox.io/docs
    ionic-token            ion_<alnum:42>                                 ionic.io/docs
    unkey-key              unkey_<alnum:20+>                              www.unkey.com/docs
    zuplo-key              zpka_<word:36+>                                zuplo.com/docs
    dbt-token              (dbtc_|dbtu_)<url:36+>                         docs.getdbt.com/docs/dbt-cloud-apis/authentication
    lightdash-token        ldpat_<hex:32+>                                docs.lightdash.com
    retool-token           retool_<lower:24+>                             docs.retool.com
    readme-key             rdme_<lower:60+>                               docs.readme.com
    trigger-key            (tr_dev_|tr_prod_|tr_pat_)<alnum:20+>          trigger.dev/docs/apikeys
    inngest-key            (signkey-prod-|signkey-test-|signkey-branch-)<hex:32+>  www.inngest.com/docs
    socket-key             sktsec_<any64:36+>                             docs.socket.dev
    aikido-key             (AIK_CI_|AIK_CLIENT_|AIK_SECRET_)<alnum:20+>   apidocs.aikido.dev
    endor-key              endr+<url:16>                                  docs.endorlabs.com
    authress-key           (sc_|ext_|scauth_|authress_)<lower:5-30>.<lower:4-6>.acc_<slug:10-32>.<any64:30+>  authress.io/knowledge-base/docs
    authress-key           (sc_|ext_|scauth_|authress_)<lower:5-30>.<lower:4-6>.acc-<slug:10-32>.<any64:30+>  authress.io/knowledge-base/docs
    akamai-key             akab-<lower:16>-<lower:16>                     techdocs.akamai.com/developer/docs/edgegrid
    wundergraph-key        cosmo_<hex:32>                                 cosmo-docs.wundergraph.com
    wakatime-key           waka_<url:32+>                                 wakatime.com/developers
    riot-key               RGAPI-<uuid>                                   developer.riotgames.com/docs/portal
    lichess-token          lip_<word:20+> !                               lichess.org/api
    modrinth-token         mrp_<alnum:56+>                                docs.modrinth.com
    thunderstore-token     tss_<url:20+> !                                thunderstore.io/api/docs
    curseforge-token       cfa_<url:32+> !                                docs.curseforge.com
    paseto                 (v1.|v2.|v3.|v4.)<lower:5-6>.<url:40+> !       github.com/paseto-standard/paseto-spec
    paserk                 (k1.|k2.|k3.|k4.)<lower:5-6>.<url:40+> !       github.com/paseto-standard/paserk
    notion-token           ntn_<alnum:40+>                                developers.notion.com/guides/resources/best-practices-for-handling-api-keys
    notion-token           secret_<alnum:43>                              developers.notion.com/guides/resources/best-practices-for-handling-api-keys
    linear-key             (lin_api_|lin_oauth_|lin_wh_)<alnum:32+>       linear.app/developers/graphql
    figma-token            (figd_|figu_|figoh_|figor_)<url:36+>           www.figma.com/developers/api#access-tokens
    airtable-token         pat<alnum:14>.<hex:64>                         airtable.com/developers/web/guides/personal-access-tokens
    contentful-token       CFPAT-<url:40+>                                www.contentful.com/developers/docs/references/authentication
    typeform-token         tfp_<dotted:40-80><equals:1+>                   www.typeform.com/developers/get-started/personal-access-token
    clickup-token          pk_<digits:6-9>_<alnum:32>                     developer.clickup.com/docs/authentication
    miro-token             eyJtaXJv<url:30+>                              developers.miro.com
    canva-secret           cnvca<url:45+>                                 www.canva.dev/docs/connect
    adobe-secret           p8e-<lower:32>                                 developer.adobe.com/developer-console/docs
    configcat-key          configcat-sdk-1/<url:22>/<url:22>              configcat.com/docs
    devcycle-key           (dvc_client_|dvc_mobile_|dvc_server_)<alnum:8+>  docs.devcycle.com
    intra42-secret         (s-s4t2ud-|s-s4t2af-)<hex:60+>                 api.intra.42.fr/apidoc
    terraform-token        <alnum:14>.atlasv1.<equals:56+>                developer.hashicorp.com/terraform/cloud-docs/users-teams-organizations/api-tokens
    maxmind-key            <alnum:6>_<alnum:29>_mmk                       support.maxmind.com/hc/en-us/articles/4407111582235
    tableau-token          <plain64:22>==:<alnum:32>
    private-key            (RWRTY0Iy|RWQAAEIy)<base64:204>                jedisct1.github.io/minisign/
    age-secret-key         AGE-SECRET-KEY-1<bech32:58>                    age-encryption.org/v1
    age-secret-key         AGE-SECRET-KEY-PQ-1<bech32:58+>                age-encryption.org/v1
"""),
    Rule(
        kind="api-key",
        anchors=("+",),
        scan=True,
        pattern=r"\+(?<=[a-z0-9_.-]\+)[a-z0-9_.-]{2,64}:(?P<secret>(?=[A-Z]{0,20}[0-9])[A-Z0-9]{32,80})(?![A-Za-z0-9])",
        source="https://docs.quay.io/glossary/robot-accounts.html",
        samples=("docker login -u acme+ci:«<UPPER:64>»",),
        near=("acme+ci:<UPPER:20>",),
    ),
    # Code Climate's is called an id, AI21's looks like one.
    Rule(
        kind="secret",
        anchors=("cc_test_reporter_id", "codeclimate", "ai21"),
        fold=True,
        pattern=(
            r"(?i:c[a-z_]{5,40}[\"']?[ ]?[:=][ ]{0,3}[\"']?(?P<reporter>[a-f0-9]{64})"
            r"|ai21[^\n]{0,24}?(?<![0-9a-z-])(?P<key>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))(?![0-9A-Za-z-])"
        ),
        locate=_in_last_group,
        source="https://docs.codeclimate.com/docs/finding-your-test-coverage-token",
        samples=(
            "CC_TEST_REPORTER_ID: «<hex:64>»",
            "AI21_API_KEY = «<hex:8>-<hex:4>-4<hex:3>-a<hex:3>-<hex:12>»",
        ),
        near=(
            "CC_TEST_REPORTER_ID: ${{ secrets.CC }}",
            "CC_TEST_REPORTER_ID=<hex:20>",
            "<hex:8>-<hex:4>-4<hex:3>-a<hex:3>-<hex:12> of ai21",
        ),
    ),
)
