"""What hosts are known to refuse, as a table, and what the settings of a provider say instead."""

import pytest

from bridge.settings.chat.models import ProviderSettings
from bridge.settings.chat.provider_rules import (
    GEMINI_SCHEMAS,
    ProviderApi,
    ProviderRules,
    Strictness,
    guess_dialect,
    rules_of,
)

NOTHING = ProviderRules()

HOSTS: list[tuple[str, ProviderApi, Strictness, int | None, bool]] = [
    ("https://api.openai.com/v1", "responses", "possible", None, False),
    ("https://api.openai.com/v1", "chat", "possible", 1024, False),
    ("https://eu.api.openai.com/v1", "chat", "possible", 1024, False),
    ("https://API.OpenAI.com./v1", "chat", "possible", 1024, False),
    ("https://corp.openai.azure.com/openai/v1", "chat", "possible", 1024, False),
    ("https://corp.openai.azure.com/openai/v1", "responses", "possible", None, False),
    ("https://corp.services.ai.azure.com/openai/v1", "chat", "possible", 1024, False),
    ("https://models.github.ai/inference", "chat", "possible", 1024, False),
    ("https://generativelanguage.googleapis.com/v1beta/openai", "chat", "unsaid", None, True),
    ("https://aiplatform.googleapis.com/v1/projects/p/endpoints/openapi", "chat", "unsaid", None, True),
    ("https://europe-west4-aiplatform.googleapis.com/v1/x", "chat", "unsaid", None, True),
    ("https://api.cerebras.ai/v1", "chat", "unsaid", None, False),
    ("https://api.mistral.ai/v1", "chat", "possible", None, False),
    ("https://openrouter.ai/api/v1", "chat", "possible", None, False),
    ("http://127.0.0.1:11434/v1", "chat", "possible", None, False),
    ("https://googleapis.com.evil.example/v1", "chat", "possible", None, False),
    ("https://notopenai.azure.com.example/v1", "chat", "possible", None, False),
]


@pytest.mark.parametrize(("url", "api", "strictness", "chars", "is_protobuf"), HOSTS)
def test_a_host_is_known_by_its_name(
    url: str, api: ProviderApi, strictness: Strictness, chars: int | None, is_protobuf: bool
) -> None:
    """Finding W-4, W-40, O-4, O-5: one tool that a host refuses has the whole request refused."""
    rules = rules_of(url, api)
    assert (rules.strictness, rules.max_description_chars) == (strictness, chars)
    assert rules.schemas == (GEMINI_SCHEMAS if is_protobuf else None)


def test_a_host_that_nothing_is_known_of_refuses_nothing() -> None:
    """Finding W-40: cutting for everybody would cost those who take more."""
    assert rules_of("https://llm.corp.example/v1", "chat") == NOTHING
    assert rules_of("https://llm.corp.example/v1", "responses") == NOTHING


@pytest.mark.parametrize(
    ("url", "api", "model", "accepted", "refused"),
    [
        ("https://api.openai.com/v1", "chat", "gpt-4o", "c" * 40, "c" * 41),
        ("https://api.openai.com/v1", "responses", "gpt-5", "c" * 64, "c" * 65),
        ("https://corp.openai.azure.com/v1", "chat", "gpt-4o", "call_1", "c" * 46),
        ("https://api.mistral.ai/v1", "chat", "large", "aB3xK9mP2", "call_12345"),
        ("https://openrouter.ai/api/v1", "chat", "mistralai/mistral-small", "aB3xK9mP2", "functions.Bash:0"),
        ("https://openrouter.ai/api/v1", "chat", "anthropic/claude-x", "toolu_01-A", "functions.Bash:0"),
        ("https://api.anthropic.com/v1", "chat", "x", "toolu_01-A", "a|b"),
    ],
)
def test_ids_of_calls_have_the_form_that_host_or_model_takes(
    url: str, api: ProviderApi, model: str, accepted: str, refused: str
) -> None:
    """Finding W-4: a history with an id of another provider is refused whole."""
    form = rules_of(url, api).call_ids_of(model)
    assert form is not None
    assert form.pattern.fullmatch(accepted)
    assert not form.pattern.fullmatch(refused)
    assert form.pattern.fullmatch("a" * form.chars), "a replacement fits"


def test_elsewhere_ids_stay_as_they_are() -> None:
    """Finding W-4: some providers know their own ids again, and gateways keep signatures in them."""
    assert rules_of("https://llm.corp.example/v1", "chat").call_ids_of("kimi-k3") is None


def test_what_the_settings_say_counts_more() -> None:
    """Finding W-4, W-40: an operator knows a gateway to Gemini that nobody else has heard of."""
    settings = ProviderSettings(
        name="gateway",
        base_url="https://gemini.corp.example/v1",
        api="chat",
        strict_tools=False,
        max_description_chars=500,
    )
    assert (settings.rules.strictness, settings.rules.max_description_chars) == ("unsaid", 500)
    openai = ProviderSettings(
        name="o", base_url="https://api.openai.com/v1", api="chat", max_description_chars=16_000
    )
    assert openai.rules.max_description_chars == 16_000
    responses = openai.model_copy(update={"api": "responses", "strict_tools": False})
    assert responses.rules.strictness == "off", "Responses take a tool that says nothing for strict"
    google = ProviderSettings(name="g", base_url="https://x.googleapis.com/v1", api="chat", strict_tools=True)
    assert google.rules.strictness == "possible"


def test_a_dialect_that_is_chosen_holds_at_any_address() -> None:
    """Finding W-4: an operator knows the gateway to a provider whose rules hold there."""
    gateway = "https://llm.corp.example/v1"
    gemini = rules_of(gateway, "chat", dialect="gemini")
    assert (gemini.strictness, gemini.schemas) == ("unsaid", GEMINI_SCHEMAS)
    assert rules_of(gateway, "chat", dialect="azure").max_description_chars == 1024
    assert rules_of(gateway, "chat", dialect="openai").max_description_chars is None
    assert rules_of("https://api.openai.com/v1", "chat", dialect="openai").max_description_chars is None
    ids = rules_of(gateway, "chat", dialect="anthropic").call_ids
    assert ids is not None
    assert not ids.pattern.fullmatch("functions.Bash:0")
    assert rules_of("https://x.googleapis.com/v1", "chat", dialect="plain") == NOTHING


@pytest.mark.parametrize(
    ("models", "dialect"),
    [
        (["gemini-3-pro", "gemini-3-flash"], "gemini"),
        (["google/gemini-3-pro", "vertex_ai/gemma-3"], "gemini"),
        (["claude-opus-5", "anthropic/claude-haiku-4-5", "us.anthropic.claude-sonnet-5"], "anthropic"),
        (["gemini-3-pro", "gpt-5"], None),
        (["my-claude-like"], None),
        ([], None),
    ],
)
def test_a_gateway_is_known_by_its_models(models: list[str], dialect: str | None) -> None:
    """Finding W-4: its address says nothing; what it lists does, if it is all of one maker."""
    assert guess_dialect(models) == dialect
