"""How a turn ends when a round does not end well, or nobody waits for it any more."""

import asyncio

import pytest

from bridge.models.agent.items import Item
from bridge.models.agent.model import PAUSED, ModelError
from bridge.models.agent.turn import Notice, TurnEvent
from tests.support.models.turn_harness import (
    ScriptedModel,
    Step,
    TurnHarness,
    call,
    item_events,
    round_of,
    turn_of,
)
from tests.support.models.turn_harness import text as said_text
from toolserver.json_types import JsonObject, object_at, text_at

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

REASONING: Item = {"type": "reasoning", "id": "rs_1", "encrypted_content": "x", "summary": []}


def outputs(items: tuple[Item, ...]) -> dict[str, object]:
    """Call id to output, of every output item."""
    return {
        text_at(item, "call_id"): item["output"] for item in items if item["type"] == "function_call_output"
    }


async def test_calls_of_an_incomplete_round_are_never_run_but_answered() -> None:
    """W-22, S0-60: its arguments may be cut in the middle; its text stays."""
    cut = call("a", '{"x":', "c1") | {"status": "incomplete"}
    turn = turn_of(
        round_of(
            said_text("I was abo"),
            cut,
            status="incomplete",
            incomplete_details={"reason": "max_output_tokens"},
        ),
        own=["a"],
    )
    result = await turn.run()
    assert (result.status, turn.tools.runs) == ("incomplete", [])
    assert result.output[:2] == (said_text("I was abo"), cut)
    assert str(outputs(result.output)["c1"]).startswith("TOOL_CALL_SKIPPED")
    assert result.response["incomplete_details"] == {"reason": "max_output_tokens"}


def paused(*items: Item, status: str = "incomplete") -> list[Step]:
    """A round whose provider goes on once it has its items back."""
    *events, last = round_of(*items, status=status, incomplete_details={"reason": "max_output_tokens"})
    assert isinstance(last, dict)
    return [*events, {**last, PAUSED: True}]


async def test_an_answer_that_its_provider_paused_goes_on_with_what_came() -> None:
    """Issue 42: Anthropic's `pause_turn`: its own tools took long, and half an answer was shown."""
    first, second, third = (said_text(words, item_id=words) for words in ("One, ", "two, ", "three."))
    turn = turn_of(paused(first), paused(second), round_of(third))
    result = await turn.run()
    assert (result.status, turn.words, turn.notes) == ("completed", "One, two, three.", [])
    assert result.output == (first, second, third)
    assert [request.input[1:] for request in turn.model.requests] == [(), (first,), (first, second)]
    assert result.usage["turn_count"] == 3


async def test_an_answer_that_is_paused_again_and_again_ends_at_the_limit_of_rounds() -> None:
    """Issue 42: within the loop's bounds; the model then answers with what it has, and a notice says so."""
    turn = turn_of(*[paused(said_text("Well, "))] * 3, round_of(said_text("that is all.")), own=["a"])
    result = await turn.run(max_rounds=3)
    assert (result.status, result.limit_reached, len(turn.model.requests)) == ("completed", True, 4)
    assert turn.model.requests[-1].options["tool_choice"] == "none"
    assert turn.words.endswith("that is all.")
    assert turn.notes


async def test_an_answer_that_is_paused_even_after_the_last_round_is_incomplete() -> None:
    """Issue 42: a provider that never ends has the last word of its limit."""
    turn = turn_of(*[paused(said_text("Well, "))] * 2)
    result = await turn.run(max_rounds=1)
    assert (result.status, len(turn.model.requests)) == ("incomplete", 2)
    assert result.response["incomplete_details"] == {"reason": "max_output_tokens"}


@pytest.mark.parametrize("status", ["incomplete", "failed"])
async def test_calls_of_a_round_that_says_it_paused_are_never_run(status: str) -> None:
    """S0-60: only a round that is complete has whole calls, whatever else a provider says of it."""
    turn = turn_of(paused(call("a", '{"x":', "c1"), status=status), own=["a"])
    result = await turn.run()
    assert (result.status, turn.tools.runs) == (status, [])


async def test_a_failed_round_says_why_and_keeps_what_was_said() -> None:
    """W-22: `response.failed` is an ending with a reason."""
    error = {"code": "server_error", "message": "Out of luck."}
    turn = turn_of(round_of(said_text("Well"), status="failed", error=error))
    result = await turn.run()
    assert (result.status, result.output) == ("failed", (said_text("Well"),))
    assert result.error is not None
    assert (result.error.code, result.error.message) == ("server_error", "Out of luck.")


@pytest.mark.parametrize("how", ["error", "event", "silence"])
async def test_a_round_that_breaks_off_keeps_its_text(how: str) -> None:
    """W-22, S0-60: an exception, an `error` event or no ending; what earlier rounds did stays done."""
    failure: dict[str, list[JsonObject | ModelError]] = {
        "error": [ModelError("Gone.", code="connection_error")],
        "event": [{"type": "error", "code": "connection_error", "message": "Gone."}],
        "silence": [],
    }
    added, delta, _ = item_events(said_text("The first wo"), 0)
    turn = turn_of(
        round_of(call("a")),
        [added, delta, *failure[how]],
        own=["a"],
    )
    result = await turn.run()
    assert result.status == "failed"
    assert result.error is not None
    assert object_at(result.response, "error")["message"] == result.error.message
    assert text_at(object_at(result.response, "error"), "code") == (
        "stream_ended" if how == "silence" else "connection_error"
    )
    message = result.output[-1]
    assert (message["status"], message["content"]) == (
        "incomplete", [{"type": "output_text", "text": "The first wo", "annotations": []}],
    )  # fmt: skip
    assert list(outputs(result.output)) == ["c1"]


async def test_a_call_that_was_not_finished_when_the_round_broke_off_is_left_out() -> None:
    """Half a call can neither be run nor go back to a model."""
    added, delta, _ = item_events(call("a"), 0)
    turn = turn_of(
        [added, delta, ModelError("Gone.", code="connection_error")],
        own=["a"],
    )
    result = await turn.run()
    assert (result.output, turn.tools.runs) == ((), [])


@pytest.mark.parametrize("script", [[ModelError("No.", code="rate_limit_exceeded", status=429)], []])
async def test_a_provider_that_fails_before_it_said_anything_is_an_error(script: list[ModelError]) -> None:
    """The door has sent nothing yet, and can answer with the provider's own status."""
    turn = turn_of(script)
    turn.tools.notices = (Notice("warning", "Tools are missing.", in_answer=False),)
    with pytest.raises(ModelError):
        await turn.run()
    assert turn.events == []


async def test_a_refusal_is_an_answer() -> None:
    """Refusals pass as they are, also after tools."""
    refusal: Item = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "refusal", "refusal": "No."}],
    }
    turn = turn_of(
        round_of(call("a")),
        round_of(refusal),
        own=["a"],
    )
    result = await turn.run()
    assert (result.output[-1], turn.notes) == (refusal, [])


async def test_a_caller_who_goes_away_hangs_up_on_the_provider() -> None:
    """Tokens that nobody reads are still paid for."""
    added, delta, _ = item_events(said_text("Hi"), 0)
    model = ScriptedModel([[added, delta, lambda: asyncio.sleep(3600)]])
    task = asyncio.create_task(TurnHarness(model).run())
    await asyncio.sleep(1)
    assert model.open == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.open == 0


async def test_a_caller_that_cannot_be_told_any_more_ends_the_turn() -> None:
    """A writer that raises must not leave a stream open."""

    class Gone(TurnHarness):
        async def _take(self, event: TurnEvent) -> None:
            raise ConnectionResetError

    turn = Gone(ScriptedModel([round_of(said_text("Hi"))]))
    with pytest.raises(ConnectionResetError):
        await turn.run()
    assert turn.model.open == 0


async def test_a_stop_cancels_the_calls_that_run() -> None:
    """W-23: whoever runs them is cancelled with the turn, at once."""
    ended: list[str] = []

    async def long() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append("cancelled")

    turn = turn_of(
        round_of(call("a")),
        own=["a"],
    )
    turn.tools.during = long
    task = asyncio.create_task(turn.run())
    await asyncio.sleep(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == ["cancelled"]


async def test_an_event_without_an_item_leaves_no_trace_in_the_next_round() -> None:
    """A provider refuses an empty item, and with it the whole turn."""
    odd: JsonObject = {"type": "response.output_item.done", "output_index": 0, "item": None}
    turn = turn_of([odd, ModelError("Gone.", code="connection_error")])
    result = await turn.run()
    assert (result.status, result.output) == ("failed", ())
