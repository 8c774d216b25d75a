"""Keys of AI providers. Cohere's and Mistral's have no prefix, so only a label shows what they are."""

from __future__ import annotations

import re

from s3memory.redaction.rule import Location, RunRule
from s3memory.redaction.rules.providers.table import table
from s3memory.redaction.text.compiling import compiled
from s3memory.redaction.text.values import looks_random


def _zhipu_key(match: re.Match[str]) -> Location:
    is_file = compiled(r"[.-]?\w").match(match.string, match.end()) is not None
    return (match.start("front"), match.end()) if looks_random(match["secret"]) and not is_file else None


RULES = (
    *table("""
    anthropic-key       sk-ant-<url:24+>                                 platform.claude.com/docs/en/api/overview
    openai-key          (sk-proj-|sk-svcacct-|sk-admin-|sk-None-)<url:24+>  platform.openai.com/docs/api-reference/authentication
    openai-key          sk-<alnum:40+>                                   platform.openai.com/docs/api-reference/authentication
    api-key             sk-<alnum:20+> !                                 api-docs.deepseek.com
    api-key             sk-<url:32+> !                                   platform.moonshot.ai/docs/api/chat
    openrouter-key      sk-or-v1-<hex:48+>                               openrouter.ai/docs/api-reference/authentication
    langfuse-key        (sk-lf-|pk-lf-)<uuid>                            langfuse.com/docs/api
    hugging-face-token  (hf_|api_org_)<alnum:30+>                        huggingface.co/docs/hub/security-tokens
    groq-key            gsk_<alnum:40+>                                  console.groq.com/docs/quickstart
    xai-key             xai-<url:60+>                                    docs.x.ai/docs/overview
    perplexity-key      pplx-<url:40+>                                   docs.perplexity.ai
    replicate-token     r8_<alnum:32+>                                   replicate.com/docs/topics/security/api-tokens
    google-api-key      AQ.<url:40+> !                                   ai.google.dev/gemini-api/docs/api-key
    cerebras-key        csk-<alnum:40+>                                  inference-docs.cerebras.ai/quickstart
    nvidia-key          nvapi-<url:56+>                                  docs.api.nvidia.com/nim/docs/api-quickstart
    elevenlabs-key      sk_<hex:40+>                                     elevenlabs.io/docs/api-reference/authentication
    cartesia-key        sk_car_<word:20+>                                docs.cartesia.ai
    pinecone-key        pcsk_<alnum:5-6>_<alnum:60+>                     docs.pinecone.io/guides/projects/manage-api-keys
    llamaindex-key      llx-<url:40+>                                    docs.cloud.llamaindex.ai/api_key
    langsmith-key       (lsv2_pt_|lsv2_sk_)<HEX:32>_<HEX:10>             docs.smith.langchain.com
    langsmith-key       ls__<hex:32>                                     docs.smith.langchain.com
    together-key        tgp_v1_<url:40+>                                 docs.together.ai
    tavily-key          tvly-<url:24+>            docs.tavily.com
    voyage-key          (pa-|al-)<url:43> !                              docs.voyageai.com/docs/api-key-and-installation
    wandb-key           wandb_v1_<word:70+>                              docs.wandb.ai
    firecrawl-key       fc-<hex:32>                                      docs.firecrawl.dev
    jina-key            jina_<url:56+>                                   jina.ai/embeddings
    fireworks-key       fw_<alnum:22+> !                                 docs.fireworks.ai
    friendli-token      flp_<alnum:40+>                                  friendli.ai/docs
    anyscale-key        esecret_<alnum:24+>                              docs.anyscale.com
    modal-token         (ak-|as-)<alnum:22> !                            modal.com/docs/reference/modal.config
    e2b-key             e2b_<hex:40>                                     e2b.dev/docs/api-key
    browserbase-key     (bb_live_|bb_test_)<url:20+>                     docs.browserbase.com
    vectara-key         (zut_|zqt_|zwt_)<url:36+>                        docs.vectara.com
    upstage-key         up_<alnum:28+> !                                 console.upstage.ai/docs
    runpod-key          rpa_<alnum:30+>
    cursor-key          key_<hex:28+>
    mem0-key            m0-<alnum:24+> !
    brave-key           BSA<url:24+> !
    devin-key           apk_<base64:80+>
    devin-key           cog_<lower:50+>
    composio-key        (ak_|oak_|uak_)<url:20+> !
    api-key             cr-<hex:58>                                      docs.coderabbit.ai/api-reference
    """),
    # Zhipu's: an id of 32 digits, a full stop and the secret. Ollama's has a longer one.
    RunRule(
        kind="api-key",
        least=16,
        most=24,
        pattern=(
            r"(?<=(?<![\w.-])(?P<front>[0-9a-f]{32})\.)"
            r"(?P<secret>(?=[a-z0-9_-]{0,24}[A-Z])(?:[A-Za-z0-9]{16}|[A-Za-z0-9_-]{24}))"
        ),
        locate=_zhipu_key,
        source="https://docs.bigmodel.cn/cn/api/introduction",
        samples=("zhipu «<hex:32>.{mixed 16}» is for the demo",),
        near=("<hex:32>.components", "<hex:32>.{mixed 16}.js", "logo.<hex:32>.{mixed 16}"),
    ),
)
