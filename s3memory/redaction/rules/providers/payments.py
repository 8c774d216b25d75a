"""Keys of payment services, banks and shops."""

from __future__ import annotations

from s3memory.redaction.rules.providers.table import table

RULES = table("""
    stripe-key             (sk_live_|sk_test_|sk_prod_|rk_live_|rk_test_|rk_prod_)<alnum:16+>  docs.stripe.com/keys
    adyen-key              AQE<any64:60+> !                                 docs.adyen.com/development-resources/api-credentials
    stripe-webhook-secret  whsec_<base64:24+>                               docs.stripe.com/webhooks/signature
    stripe-key             (sk_live_a2V5|sk_test_a2V5)<base64:40+>          workos.com/docs/reference
    liveblocks-key         (sk_prod_|sk_dev_)<url:36+>                      liveblocks.io/docs/authentication
    square-token           (sq0atp-|sq0csp-|sq0idp-|sq0idb-)<url:22+>       developer.squareup.com/docs/build-basics/access-tokens
    square-token           EAAA<url:30+> !                                  developer.squareup.com/docs/build-basics/access-tokens
    braintree-token        (access_token$production$|access_token$sandbox$)<lower:16>$<lower:32>  developer.paypal.com/braintree/docs
    razorpay-key           (rzp_live_|rzp_test_)<alnum:14>                  razorpay.com/docs/api/authentication
    paddle-key             (pdl_live_apikey_|pdl_sdbx_apikey_)<word:36+>    developer.paddle.com/api-reference/about/authentication
    checkout-key           sk_<uuid>                                        www.checkout.com/docs
    checkout-key           (sk_sbox_|pk_sbox_)<lower:24+>                   www.checkout.com/docs
    flutterwave-key        (FLWSECK_TEST-|FLWSECK-|FLWPUBK_TEST-|FLWPUBK-)<alnum:12+>  developer.flutterwave.com/docs/authentication
    plaid-token            (access-sandbox-|access-development-|access-production-)<uuid>  plaid.com/docs/api/tokens
    mollie-key             (live_|test_)<alnum:30+> !                       docs.mollie.com/reference/authentication
    gocardless-token       (live_|sandbox_)<equals:40> !                    developer.gocardless.com/getting-started/api/making-your-first-request
    lob-key                (live_|test_|live_pub_|test_pub_)<hex:31+>       docs.lob.com
    xendit-key             (xnd_production_|xnd_development_|xnd_public_production_)<url:40+>  docs.xendit.co
    midtrans-key           (Mid-server-|Mid-client-)<url:10+>  docs.midtrans.com
    polar-token            (polar_at_|polar_oat_|polar_pat_|polar_rt_)<url:20+>  polar.sh/docs/integrate/authentication
    ramp-secret            ramp_sec_<alnum:40+>                             docs.ramp.com
    mercury-token          (mercury_production_|mercury_sandbox_)<word:36+>  docs.mercury.com/reference/getting-started-with-your-api
    persona-key            (persona_production_|persona_sandbox_)<url:20+>  docs.withpersona.com
    onfido-token           (api_live.|api_live_us.|api_live_ca.|api_sandbox.|api_sandbox_us.)<url:20+>  documentation.onfido.com
    asaas-key              ($aact_prod_|$aact_hmlg_)<any64:20+>             docs.asaas.com/docs/authentication
    mercadopago-token      APP_USR-<digits:10-20>-<digits:6>-<hex:32><url:4+>  www.mercadopago.com/developers/en/docs/your-integrations/credentials
    lnd-macaroon           0201036c6e64<hex:60+>                            docs.lightning.engineering/lightning-network-tools/lnd/macaroons
    klarna-key             (klarna_live_api_|klarna_test_api_)<base64:20+>  docs.klarna.com/api/authentication
    rainforest-key         apikey_<hex:56+>                                 docs.rainforestpay.com
    samsara-token          samsara_api_<alnum:26+>                          developers.samsara.com
    easypost-key           (EZAK|EZTK)<alnum:54>                            docs.easypost.com
    shippo-token           (shippo_live_|shippo_test_)<HEX:36+>             docs.goshippo.com/docs/guides_general/authentication
    duffel-token           (duffel_live_|duffel_test_)<equals:40+>          duffel.com/docs/api/overview/making-requests
    shopify-token          (shpat_|shpca_|shppa_|shpss_|shptka_|shpua_)<HEX:32+>  shopify.dev/docs/apps/build/authentication-authorization
    woocommerce-key        (ck_|cs_)<hex:40>                                woocommerce.github.io/woocommerce-rest-api-docs
    ebay-secret            (PRD-|SBX-)<hex:8>-<hex:4>-<hex:4>-<hex:4>-<hex:4-12>  developer.ebay.com/develop
    stytch-secret          (secret-test-|secret-live-)<any64:30+>           stytch.com/docs
    databento-key          db-<alnum:29> !                                  databento.com/docs
    proof-key              prf_<url:20+> !                       dev.proof.com
    settlemint-token       (sm_aat_|sm_pat_|sm_sat_)<alnum:16>              console.settlemint.com/documentation
    freemius-key           sk_<url:28-30> !                                 freemius.com/help/documentation
""")
