"""What is known of models by their names, and by what a list says."""

from time import process_time
from typing import Any

import pytest

from bridge.settings.chat.model_facts import (
    can_search_tools,
    can_search_web,
    is_reasoning_model,
    listed_facts,
    sees_images,
)


@pytest.mark.parametrize(
    ("name", "thinks", "looks"),
    [
        ("gpt-4.1-mini", False, True),
        ("gpt-4.1-nano", False, False),
        ("gpt-4o-mini-2024-07-18", False, True),
        ("gpt-4o-audio-preview", False, False),
        ("gpt-4o-search-preview", False, False),
        ("chatgpt-4o-latest", False, False),
        ("o3", True, True),
        ("o3-mini", True, False),
        ("openai/o4-mini", True, True),
        ("gpt-5", True, True),
        ("gpt-5-chat-latest", False, True),
        ("gpt-6-astra", True, False),
        ("llama3.2:3b", False, False),
    ],
)
def test_openai_names_tell_what_a_model_can(name: str, thinks: bool, looks: bool) -> None:
    """S4-05, S4-03: OpenAI's list says nothing but names, and refuses what a model cannot."""
    assert (is_reasoning_model(name), can_search_web(name)) == (thinks, looks)


@pytest.mark.parametrize(
    ("name", "sees"),
    [
        *(
            (name, True)
            for name in ("gpt-4o", "gpt-4o-mini", "gpt-4.1-nano", "openai/o3", "o4-mini", "gpt-5")
        ),
        *((name, True) for name in ("chatgpt-4o-latest", "gpt-4-turbo", "o1", "o1-pro", "gpt-6-astra")),
        *((name, False) for name in ("o3-mini", "o1-mini", "gpt-4", "gpt-3.5-turbo", "gpt-4o-audio-preview")),
        *((name, False) for name in ("llama3.2:3b", "gpt-4o-transcribe", "deepseek-chat")),
    ],
)
def test_openai_names_tell_what_a_model_sees(name: str, sees: bool) -> None:
    """Finding I-M2: OpenAI's list says nothing but names, and most of them read images."""
    assert sees_images(name) is sees


@pytest.mark.parametrize(
    ("name", "searches"),
    [
        *((name, True) for name in ("gpt-5.4", "gpt-5.4-mini", "gpt-5.10", "gpt-5.6-luna", "gpt-6-astra")),
        *(
            (name, False)
            for name in ("gpt-5", "gpt-5.3", "gpt-5-4", "gpt-4.1", "o3", "gpt-35-turbo", "gpt-60")
        ),
        *((name, False) for name in ("openai/gpt-5.4", "gpt-5.4-audio", "gpt-6-search", "llama5.4")),
    ],
)
def test_openai_names_tell_which_model_searches_for_tools(name: str, searches: bool) -> None:
    """Issue 41, 6: gpt-5.4 and later; of a gateway's names it is not known what it passes on."""
    assert can_search_tools(name) is searches


def test_a_list_tells_more() -> None:
    """S0-01, S0-147: as OpenRouter writes it."""
    row: Any = {
        "id": "vendor/large",
        "context_length": 200_000,
        "top_provider": {"context_length": 100_000, "max_completion_tokens": 8000},
        "architecture": {"input_modalities": ["text", "image"]},
        "supported_parameters": ["temperature", "tool_choice", "reasoning"],
    }
    assert listed_facts(row) == {
        "can_call_functions": True,
        "reasons": True,
        "sees_images": True,
        "context_tokens": 200_000,
        "max_completion_tokens": 8000,
    }


@pytest.mark.parametrize(
    ("row", "facts"),
    [
        ({"id": "gpt-4o"}, {}),
        ({"id": 7, "supported_parameters": "tools", "context_length": "much", "architecture": []}, {}),
        ({"id": "x", "supported_parameters": ["seed"]}, {"can_call_functions": False, "reasons": False}),
        ({"id": "chatgpt-4o-latest"}, {"can_call_functions": False}),
        ({"id": "gpt-4o", "architecture": {"input_modalities": ["text"]}}, {"sees_images": False}),
        ({"id": "x", "context_length": True, "top_provider": {"context_length": 0}}, {}),
    ],
)
def test_a_list_that_says_little_or_nonsense_claims_nothing(row: Any, facts: Any) -> None:
    """S4-01: a model without function calling is known; anything else is left as it was."""
    assert listed_facts(row) == facts


@pytest.mark.parametrize("name", ["gpt-5" + "/" * 100_000, "/gpt-4o" * 100_000])
def test_a_name_without_end_is_read_once(name: str) -> None:
    """Callers and providers choose names; 100 KB took a minute, in which nobody else was served."""
    began = process_time()
    assert can_search_web(name)
    assert listed_facts({"id": name}) == {}
    assert process_time() - began < 5
