"""What a model is told of calls that a killed bridge left without an output."""

import pytest

from bridge.calls.ports import JournalEntry
from bridge.calls.state_machine import CallState
from bridge.models.agent.items import Item, ModelCall, model_call, output_item
from bridge.models.agent.memory.interrupted_calls import open_calls, settle_interrupted
from tests.support.models.turn_harness import call, text


def wrote(call_id: str) -> Item:
    return call("write", "{}", call_id)


def made(call_id: str) -> ModelCall:
    read = model_call(wrote(call_id))
    assert read is not None
    return read


def told(entry: JournalEntry | None) -> str:
    (ended,) = settle_interrupted([made("c1")], {"c1": entry} if entry else {})
    assert ended.output["call_id"] == "c1"
    assert not ended.has_succeeded
    return str(ended.output["output"])


def test_only_calls_without_an_output_are_open() -> None:
    """An answered call is not answered twice, and nothing else is a call."""
    items = [text("Hi"), wrote("c1"), wrote("c2"), output_item("c1", "done")]
    assert [each.call_id for each in open_calls(items)] == ["c2"]


@pytest.mark.parametrize(
    ("entry", "says", "may_repeat"),
    [
        (None, "had not started, or it only reads", True),
        (JournalEntry(CallState.SUCCEEDED, 201), "succeeded (HTTP 201)", False),
        (JournalEntry(CallState.OUTCOME_UNKNOWN), "may or may not have been performed", False),
        (JournalEntry(CallState.DENIED), "the user denied", False),
        (JournalEntry(CallState.FAILED, 500), "HTTP 500", False),
        (JournalEntry(CallState.FAILED), "got no answer", True),
        (JournalEntry(CallState.CANCELLED), "got no answer", True),
        (JournalEntry(CallState.EXPIRED), "got no answer", True),
    ],
)
def test_the_output_says_what_the_journal_knows(
    entry: JournalEntry | None, says: str, may_repeat: bool
) -> None:
    """A model that is told the truth neither repeats what may have happened nor gives up what has not."""
    words = told(entry)
    assert words.startswith("Interrupted: ")
    assert says in words
    assert ("You may call it again." in words) is may_repeat


def test_an_interrupted_search_loads_nothing() -> None:
    """Issue 41, 6: its output has no room for words, and any other type is refused."""
    search: Item = {"type": "tool_search_call", "call_id": "c1", "execution": "client", "arguments": {}}
    calls = open_calls([search])
    (ended,) = settle_interrupted(calls, {})
    assert {**ended.output, "id": ""} == {
        "type": "tool_search_output",
        "id": "",
        "status": "completed",
        "call_id": "c1",
        "execution": "client",
        "tools": [],
    }


def test_each_call_has_its_own_entry() -> None:
    """Two calls of one round may have ended differently."""
    ended = settle_interrupted([made("c1"), made("c2")], {"c2": JournalEntry(CallState.SUCCEEDED)})
    assert [each.call.call_id for each in ended] == ["c1", "c2"]
    assert "had not started" in str(ended[0].output["output"])
    assert "succeeded" in str(ended[1].output["output"])
