"""The small pure parts of a turn: the limit's notice, usage, tool choice and the words of errors."""

import pytest

from bridge.errors import ErrorCode, WireError
from bridge.models.agent.items import add_usage
from bridge.models.agent.loop.limit_notice import DEFAULT_TEMPLATE, limit_notice, limit_warning
from bridge.models.agent.loop.loop import later_options
from bridge.models.agent.model_messages import error_text, unknown_text
from bridge.models.agent.turn import RoundsSource
from toolserver.json_types import JsonObject


@pytest.mark.parametrize(
    ("template", "notice"),
    [
        ("At most {max_function_call_loops}.", "At most 3."),
        ("{{#if max_function_call_loops}}\nyes\n{{/if}}\nend", "yes\nend"),
        ("{{#if nothing}}\nhidden\n{{#if max_function_call_loops}}\ntoo\n{{/if}}\n{{/if}}\nend", "end"),
        ("kept\nGone: {nothing}", "kept"),
        ("{{not}} a placeholder", "{{not}} a placeholder"),
        ("\n\n  spaced\n", "spaced"),
    ],
)
def test_a_template_is_filled(template: str, notice: str) -> None:
    """S0-59: placeholders, conditions, and no line with a placeholder that is empty."""
    assert limit_notice(template, 3, "limit") == notice


@pytest.mark.parametrize("template", ["", "{{#if x}}\nopen", "{{/if}}", "Only {nothing}", "  \n "])
def test_a_template_that_cannot_be_used_gives_way_to_the_built_in_one(template: str) -> None:
    """S0-59: a slip of the operator must not cost the user the notice."""
    assert limit_notice(template, 7, "limit") == limit_notice(DEFAULT_TEMPLATE, 7, "limit")
    assert "7 rounds" in limit_notice(template, 7, "limit")


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("default", "`TOOL_BRIDGE_MAX_FUNCTION_CALL_LOOPS`"),
        ("limit", "`TOOL_BRIDGE_MAX_FUNCTION_CALL_LOOPS`"),
        ("model", "`max_rounds` of this model"),
        ("request", "`max_function_call_loops`"),
    ],
)
def test_the_notice_names_what_raises_the_limit(source: RoundsSource, name: str) -> None:
    """S0-56: advice to raise something that does not apply costs an operator an hour."""
    assert name in limit_notice("", 7, source)
    assert limit_notice("{how_to_raise}", 7, source) in limit_notice("", 7, source)


def test_the_limit_in_one_sentence() -> None:
    """S0-56: the name of the setting and its value, for whoever can change it."""
    assert limit_warning(3).startswith("Tool step limit reached (max_function_call_loops=3).")


@pytest.mark.parametrize(
    ("usage", "more", "total"),
    [
        ({}, {"a": 1}, {"a": 1}),
        ({"a": 1}, {"a": 2.5}, {"a": 3.5}),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 1}}, {"a": {"b": 2, "c": 1}}),
        ({"a": None}, {"a": 1}, {"a": 1}),
        ({"a": 1}, {"a": None}, {"a": 1}),
        ({"a": 1}, {"a": {"b": 1}}, {"a": 1}),
        ({"a": {"b": 1}}, {"a": 1}, {"a": {"b": 1}}),
        ({"a": "x"}, {"a": "y"}, {"a": "y"}),
        ({"a": True}, {"a": True}, {"a": True}),
    ],
)
def test_usage_adds_up(usage: JsonObject, more: JsonObject, total: JsonObject) -> None:
    """S0-62: whatever a provider counts, and nothing that one round leaves out is lost."""
    assert add_usage(usage, more) == total


def test_summing_changes_neither_side() -> None:
    """The response object of a round is passed on as the provider wrote it."""
    usage: JsonObject = {"a": {"b": 1}}
    more: JsonObject = {"a": {"b": 2}}
    add_usage(usage, more)
    assert (usage, more) == ({"a": {"b": 1}}, {"a": {"b": 2}})


@pytest.mark.parametrize("choice", [None, "auto", "none"])
def test_a_choice_that_forces_nothing_stays(choice: str | None) -> None:
    """What the caller wants of every round holds in every round."""
    options: JsonObject = {} if choice is None else {"tool_choice": choice}
    assert later_options(options) == options


@pytest.mark.parametrize(
    ("code", "detail", "start"),
    [
        ("unknown_tool", {}, "Tool 'x' is no longer available in this session."),
        ("invalid_arguments", {}, "Invalid arguments: Why."),
        ("breaker_open", {}, "Tool 'x' skipped due to repeated failures. Why."),
        ("cancelled", {}, "Tool execution cancelled. Why."),
        ("timeout", {}, "Tool error: Why."),
        (
            "timeout",
            {"set_by": "TOOL_BATCH_TIMEOUT_SECONDS"},
            "Tool batch exceeded its time and was cancelled.",
        ),
        ("internal", {}, "Tool execution failed before completion: Why."),
        ("http_status", {"status": 404}, "Tool error: Why."),
    ],
)
def test_every_failure_is_told_in_words_that_models_know(code: str, detail: JsonObject, start: str) -> None:
    """S0-54: the code for programs, the words for models."""
    error = WireError(code=ErrorCode(code), message="Why.", detail=detail)
    assert error_text(error, "x").startswith(f'{{"error":{{"code":"{code}","message":"{start}')


def test_a_name_that_goes_on_for_ever_is_cut() -> None:
    """A model's slip must not fill its own context."""
    assert len(unknown_text("x" * 10_000, can_search=None)) < 500
