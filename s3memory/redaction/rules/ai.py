"""Keys of AI providers. Cohere's and Mistral's have no prefix: only a name beside them gives those away."""

from __future__ import annotations

from s3memory.redaction.rule import ALNUM, BASE64URL, HEX, at_least, exactly, token

RULES = (
    # api03, admin01, oat01 and more stand behind the prefix; how long a key is depends on which.
    token(
        "anthropic-key",
        "sk-ant-",
        at_least(32, BASE64URL),
        source="https://platform.claude.com/docs/en/api/overview",
    ),
    token(
        "openai-key",
        ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"),
        at_least(40, BASE64URL),
        source="https://platform.openai.com/docs/api-reference/authentication",
    ),
    # A user's key: 48 characters with "T3BlbkFJ", which is "OpenAI" in base64, in the middle.
    token(
        "openai-key",
        "sk-",
        at_least(40, ALNUM),
        source="https://platform.openai.com/docs/api-reference/authentication",
    ),
    # DeepSeek, Moonshot and others that speak OpenAI's protocol took the prefix over, with a shorter key.
    token(
        "api-key",
        "sk-",
        at_least(32, ALNUM),
        source="https://api-docs.deepseek.com/",
    ),
    token(
        "openrouter-key",
        "sk-or-v1-",
        exactly(64, HEX),
        source="https://openrouter.ai/docs/api-reference/authentication",
    ),
    token(
        "hugging-face-token",
        ("hf_", "api_org_"),
        at_least(34, ALNUM),
        source="https://huggingface.co/docs/hub/security-tokens",
    ),
    token(
        "groq-key",
        "gsk_",
        at_least(48, ALNUM),
        source="https://console.groq.com/docs/quickstart",
    ),
    token(
        "xai-key",
        "xai-",
        at_least(80, "A-Za-z0-9_"),
        source="https://docs.x.ai/docs/overview",
    ),
    token(
        "perplexity-key",
        "pplx-",
        at_least(48, ALNUM),
        source="https://docs.perplexity.ai/",
    ),
    token(
        "replicate-token",
        "r8_",
        at_least(37, ALNUM),
        source="https://replicate.com/docs/topics/security/api-tokens",
    ),
)
