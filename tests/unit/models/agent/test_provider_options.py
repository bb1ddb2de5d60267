"""What a request gets unasked, by what is known of its model."""

from dataclasses import replace
from typing import Any

import pytest

from bridge.models.agent.provider_features import ProviderFeatures
from bridge.models.agent.provider_options import add_provider_options, without_effect
from bridge.models.agent.turn import TurnRequest

PLUGIN = ProviderFeatures(web_search="plugin", searches_unasked=True, max_results=3)
TOOL = ProviderFeatures(web_search="tool", searches_unasked=True, context_size="medium")
THINKER = ProviderFeatures(is_responses=True, reasons=True, reasoning_summary="auto", truncation="auto")


def asked(*tools: Any, with_tools: bool = True, **options: Any) -> TurnRequest:
    return TurnRequest(
        "ann", "turn 1", "gpt", ({"role": "user", "content": "Hi"},),
        caller_tools=tools, options=options, with_tools=with_tools,
    )  # fmt: skip


def test_nothing_is_known_and_nothing_is_added() -> None:
    """A provider that nobody described gets what the caller said."""
    assert add_provider_options(asked({"type": "custom"}, seed=1), ProviderFeatures()) == asked(
        {"type": "custom"}, seed=1
    )


@pytest.mark.parametrize(
    ("features", "plugin"),
    [
        (PLUGIN, {"id": "web", "max_results": 3}),
        (ProviderFeatures(web_search="plugin", searches_unasked=True), {"id": "web"}),
    ],
)
def test_the_plugin_says_how_many_results(features: ProviderFeatures, plugin: Any) -> None:
    """S0-100, S0-101: none is the provider's own default; nothing about healing broken JSON is added."""
    made = add_provider_options(asked(), features)
    assert made.options == {"plugins": [plugin]}
    assert made.caller_tools == ()


@pytest.mark.parametrize(
    ("features", "tool"),
    [
        (TOOL, {"type": "web_search", "search_context_size": "medium"}),
        (ProviderFeatures(web_search="tool", searches_unasked=True), {"type": "web_search"}),
        (
            ProviderFeatures(web_search="openrouter_tool", searches_unasked=True, max_results=5),
            {"type": "openrouter:web_search", "parameters": {"max_results": 5}},
        ),
    ],
)
def test_the_tool_stands_behind_the_callers(features: ProviderFeatures, tool: Any) -> None:
    """S0-103, S4-05: as the provider writes it, and without `plugins`."""
    made = add_provider_options(asked({"type": "custom", "name": "mine"}), features)
    assert made.caller_tools == ({"type": "custom", "name": "mine"}, tool)
    assert made.options == {}


@pytest.mark.parametrize(
    ("request_", "features"),
    [
        (asked(with_tools=False), PLUGIN),
        (asked(reasoning={"effort": "minimal"}), PLUGIN),
        (asked(), replace(PLUGIN, options={"reasoning": {"effort": "minimal"}})),
        (asked(features={"web_search": False}), PLUGIN),
        (asked(plugins=[{"id": "web", "max_results": 9}]), PLUGIN),
        (asked({"type": "web_search_preview_2025_03_11"}), TOOL),
        (asked(), ProviderFeatures(web_search="plugin")),
        (asked(features={"web_search": True}), ProviderFeatures()),
    ],
    ids=["task", "minimal", "minimal by settings", "refused", "plugin there", "tool there", "off", "cannot"],
)
def test_no_search_is_added_where(request_: TurnRequest, features: ProviderFeatures) -> None:
    """S0-100, S0-102, S4-05: it costs money, is refused beside minimal effort, and must not come twice."""
    made = add_provider_options(request_, features)
    assert made.caller_tools == request_.caller_tools
    assert made.options.get("plugins") == request_.options.get("plugins")


def test_a_request_may_ask_for_a_search_that_is_off() -> None:
    """S0-100: the member itself reaches no provider; most would refuse it."""
    made = add_provider_options(asked(features={"web_search": True}), ProviderFeatures(web_search="plugin"))
    assert made.options == {"plugins": [{"id": "web"}]}


def test_another_effort_takes_the_place_of_the_minimal_one() -> None:
    """S0-102: the effective one counts."""
    features = ProviderFeatures(
        web_search="plugin", searches_unasked=True, options={"reasoning": {"effort": "minimal"}}
    )
    assert "plugins" in add_provider_options(asked(reasoning={"effort": "high"}), features).options


def test_what_cannot_be_met_is_named() -> None:
    """A caller who wants a search must learn that there was none."""
    wanted: Any = {"features": {"web_search": True, "memory": True, "voice": False}}
    assert without_effect(wanted, ProviderFeatures()) == ("features.web_search", "features.memory")
    assert without_effect(wanted, PLUGIN) == ("features.memory",)
    assert without_effect({"features": "all"}, PLUGIN) == ()


def test_reasoning_comes_encrypted_and_summed_up_and_nothing_is_stored() -> None:
    """S4-02, S4-03, S4-09: what the caller included stays."""
    made = add_provider_options(asked(include=["x"], reasoning={"effort": "low"}, store=True), THINKER)
    assert made.options == {
        "store": False,
        "truncation": "auto",
        "include": ["x", "reasoning.encrypted_content"],
        "reasoning": {"effort": "low", "summary": "auto"},
    }


def test_what_was_said_wins() -> None:
    """S4-02, S4-09: the caller over the settings, the model's options over the bridge's."""
    said = asked(truncation="disabled", reasoning={"summary": "detailed"})
    assert add_provider_options(said, THINKER).options["truncation"] == "disabled"
    assert add_provider_options(said, THINKER).options["reasoning"] == {"summary": "detailed"}
    options: Any = {"truncation": "disabled", "reasoning": {"summary": None}, "store": True}
    made = add_provider_options(asked(), replace(THINKER, options=options))
    assert made.options == {"store": True}


def test_a_task_is_not_asked_to_think_aloud() -> None:
    """S4-06: a title needs no summary of thoughts."""
    assert "reasoning" not in add_provider_options(asked(with_tools=False), THINKER).options


def test_a_model_that_does_not_reason_is_not_asked_for_reasoning() -> None:
    """S4-03: such models refuse the request."""
    plain = ProviderFeatures(is_responses=True, reasoning_summary="auto")
    assert add_provider_options(asked(), plain).options == {"store": False}
    assert add_provider_options(asked(reasoning={"effort": "low"}), plain).options["include"]
