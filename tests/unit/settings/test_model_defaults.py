"""How models are asked by default, as an environment says."""

import pytest

from bridge.settings.model_defaults import ModelDefaults, read_defaults
from bridge.settings.models import ModelsFileError


def test_nothing_said_is_what_the_programs_before_this_one_did() -> None:
    """S0-101, S4-02, S4-09: their names, and their defaults."""
    assert read_defaults({"PATH": "/bin", "TRUNCATION": " "}) == (ModelDefaults(), [])
    defaults = ModelDefaults()
    assert (defaults.web_search_max_results, defaults.truncation) == (3, "auto")
    assert defaults.enable_reasoning_summary is None


def test_every_default_is_a_variable() -> None:
    """Whoever comes from those programs brings an environment along."""
    read, _ = read_defaults(
        {
            "ENABLE_WEB_SEARCH_TOOL": "false",
            "WEB_SEARCH_MAX_RESULTS": "null",
            "SEARCH_CONTEXT_SIZE": "HIGH",
            "TRUNCATION": "disabled",
            "ENABLE_REASONING_SUMMARY": "detailed",
            "SHOW_TOOL_CARDS": "true",
            "STREAMING_DELTA_CHAR_LIMIT": "256",
            "STREAMING_IDLE_FLUSH_MS": "50",
            "LOG_LEVEL": "DEBUG",
            "REQUEST_LOGS": "all",
        }
    )
    assert read == ModelDefaults(
        enable_web_search_tool=False,
        web_search_max_results=None,
        search_context_size="high",
        truncation="disabled",
        enable_reasoning_summary="detailed",
        show_tool_cards=True,
        streaming_delta_char_limit=256,
        streaming_idle_flush_ms=50,
        log_level="debug",
        request_logs="all",
    )


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("WEB_SEARCH_MAX_RESULTS", "11", "must be less than or equal to 10, not '11'."),
        ("TRUNCATION", "middle", "must be 'auto' or 'disabled', not 'middle'."),
        ("SHOW_TOOL_CARDS", "perhaps", "must be a valid boolean, unable to interpret input, not 'perhaps'."),
    ],
)
def test_what_cannot_be_used_is_named(name: str, value: str, sentence: str) -> None:
    """A start that stops must say which line to change."""
    with pytest.raises(ModelsFileError) as refused:
        read_defaults({name: value})
    assert str(refused.value) == f"{name} {sentence}"


def test_an_obsolete_name_has_a_warning() -> None:
    """Ruling 30: accepted, and said to have no effect."""
    read, [warning] = read_defaults({"SSE_WORKERS_PER_REQUEST": "4"})
    assert read == ModelDefaults()
    assert warning.startswith("SSE_WORKERS_PER_REQUEST has no effect any more: ")
