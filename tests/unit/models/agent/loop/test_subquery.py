"""Sub-queries: what the inner turn reads and may do, and what comes back."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from bridge.models.agent.items import Item, ModelCall, message_item
from bridge.models.agent.loop.subquery import MAX_ROUNDS, Subquery, recent_messages
from bridge.models.agent.model import ModelError
from bridge.models.agent.toolbox import CallOutput
from bridge.models.agent.turn import CallFile, Notice, Turn, TurnEvent, TurnRequest
from tests.support.models.turn_harness import (
    SETTINGS,
    FakeToolbox,
    ScriptedModel,
    Step,
    call,
    ending,
    item_events,
    round_of,
    text,
    user,
)
from toolserver.json_types import JsonObject, array_at, object_at, text_at

pytestmark = pytest.mark.asyncio

REQUEST = TurnRequest(
    "ann",
    "turn 1",
    "gpt",
    (user("Outer"),),
    instructions="Be a pirate.",
    caller_tools=({"type": "function", "name": "callers"},),
    options={"temperature": 0.5, "tool_choice": "required", "text": {"format": {"type": "json_object"}}},
    chat_options={"seed": 1, "stop": ["END"], "logprobs": True},
    chat_id="chat 1",
)


@dataclass
class SubqueryHarness:
    """A sub-query with its model, its tools and who listens."""

    model: ScriptedModel
    tools: FakeToolbox = field(default_factory=lambda: FakeToolbox(["get_pet", "list_pets"]))
    events: list[TurnEvent] = field(default_factory=list[TurnEvent])
    request: TurnRequest = REQUEST

    def subquery(self, **more: Any) -> Subquery:
        return Subquery(Turn(self.request, self.model, SETTINGS), self.tools, self._take, **more)

    async def run(self, arguments: str = '{"prompt": "Inner"}', *input: Item, **more: Any) -> CallOutput:
        wanted = ModelCall("c0", "subquery", arguments, {})
        return await self.subquery(**more).run_call(wanted, input)

    async def _take(self, event: TurnEvent) -> None:
        self.events.append(event)
        await asyncio.sleep(0)

    @property
    def notes(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]


def asked(*rounds: Sequence[Step]) -> SubqueryHarness:
    return SubqueryHarness(ScriptedModel(rounds))


def error_of(output: CallOutput) -> JsonObject:
    assert not output.has_succeeded
    return object_at(json.loads(output.text), "error")


async def test_its_answer_is_what_the_model_said_last_trimmed() -> None:
    """S1-17, S1-20: the outer conversation gets the result, not the way to it."""
    inner = asked(round_of(text("Let me look."), call("get_pet")), round_of(text("  Rex.  ")))
    output = await inner.run()
    assert output == CallOutput("Rex.", has_succeeded=True, usage={"turn_count": 2, "function_call_count": 1})
    assert inner.tools.runs == [["c1"]]


async def test_an_answer_without_text_is_an_empty_one_and_a_refusal_its_words() -> None:
    """S1-17: null is no failure; a refusal is what the model wants to say."""
    assert (await asked(round_of()).run()).text == ""
    refusal: Item = {**text(""), "content": [{"type": "refusal", "refusal": "I will not."}]}
    assert (await asked(round_of(refusal)).run()).text == "I will not."


async def test_it_reads_the_prompt_only_and_the_instructions_of_its_turn() -> None:
    """S1-04: who answers and how stays; nothing else of the outer conversation, unless it is asked for."""
    inner = asked(round_of(text("Yes.")), round_of(text("Yes.")))
    persona = message_item("system", "You are a pirate.")
    await inner.run('{"prompt": "Inner", "include_recent_messages": 9}', persona, user("One"))
    await inner.run('{"prompt": "Inner"}', persona, user("One"), text("Two"))
    every, only = inner.model.requests
    assert every.input == (persona, user("One"), user("Inner"))
    assert only.input == (persona, user("Inner"))
    assert only.instructions == every.instructions == "Be a pirate."


async def test_it_reads_as_many_recent_messages_as_are_asked_for() -> None:
    """S1-04, W-30: the last messages that say something; calls and outputs between them do not count."""
    inner = asked(round_of(text("Yes.")))
    output: Item = {"type": "function_call_output", "call_id": "c1", "output": "3"}
    items = (user("One"), text("Two"), call("x"), output)
    await inner.run('{"prompt": "Inner", "include_recent_messages": 2}', *items)
    bare: Item = {"type": "message", "role": "assistant", "content": text("Two")["content"]}
    assert inner.model.requests[0].input == (user("One"), bare, user("Inner"))


async def test_recent_messages_are_the_last_of_any_role_with_text() -> None:
    """S1-04, W-30: filter, then count; an empty message is none."""
    bare: Item = {"role": "user", "content": "Two"}
    items = [message_item("system", "S"), user("One"), bare, user(" "), text("")]
    assert [item["content"] for item in recent_messages(items, 2)] == [user("One")["content"], "Two"]
    assert len(recent_messages(items, 99)) == 3
    assert recent_messages(items, 0) == []
    assert [set(item) for item in recent_messages(items, 9)] == [{"type", "role", "content"}] * 3


async def test_options_are_inherited_but_for_those_of_the_outer_answer() -> None:
    """S1-05: the same temperature, but nothing forced, and no JSON form that was meant for another answer."""
    inner = asked(round_of(text("Yes.")))
    await inner.run()
    assert inner.model.requests[0].options == {"temperature": 0.5}
    assert inner.model.requests[0].chat_options == {"seed": 1}


async def test_it_has_the_same_tools_but_itself() -> None:
    """S1-06, W-30: it never was in the inner toolbox, whatever it is called there."""
    inner = asked(round_of(call("subquery", '{"prompt": "x"}')), round_of(text("Done.")))
    assert (await inner.run()).text == "Done."
    assert [text_at(tool, "name") for tool in inner.model.requests[0].tools] == ["get_pet", "list_pets"]
    assert len(inner.model.requests) == 2


async def test_it_ends_after_its_own_limit_of_rounds_with_what_it_has() -> None:
    """S1-02, S1-08: eight by default; the answer says that it is not all."""
    loop = [round_of(call("get_pet", call_id=f"c{n}")) for n in range(3)]
    inner = asked(*loop[:2], round_of(text("Half of it.")))
    output = await inner.run(max_rounds=2)
    assert output.text.startswith("Half of it.\n\n[The sub-query reached its limit of rounds")
    assert len(inner.model.requests) == 3
    assert inner.tools.runs == [["c0"]]
    assert inner.subquery().max_rounds == MAX_ROUNDS == 8


async def test_a_tool_that_fails_costs_one_call_and_not_the_sub_query() -> None:
    """S1-13, S1-14, S1-18, W-30: the model reads the error and goes on."""
    inner = asked(
        round_of(call("get_pet", call_id="a"), call("list_pets", call_id="b")), round_of(text("One of two."))
    )
    inner.tools.answers["get_pet"] = CallOutput('{"error": {"code": "timeout"}}', has_succeeded=False)
    output = await inner.run()
    assert (output.text, output.has_succeeded) == ("One of two.", True)
    outputs = [
        item["output"] for item in inner.model.requests[1].input if item["type"] == "function_call_output"
    ]
    assert outputs == ['{"error": {"code": "timeout"}}', "{}"]


async def test_calls_of_one_inner_round_run_together() -> None:
    """S1-16: two calls of a second take one second."""
    inner = asked(
        round_of(call("get_pet", call_id="a"), call("list_pets", call_id="b")), round_of(text("Both."))
    )
    await inner.run()
    assert inner.tools.runs == [["a", "b"]]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("{}", "prompt"),
        ("", "prompt"),
        ('{"prompt": " "}', "prompt"),
        ('{"prompt": 3}', "prompt"),
        ("{broken", "arguments"),
        ("null", "arguments"),
        ('{"prompt": "x", "include_recent_messages": -1}', "include_recent_messages"),
        ('{"prompt": "x", "include_recent_messages": true}', "include_recent_messages"),
        ('{"prompt": "x", "include_recent_messages": "2"}', "include_recent_messages"),
        ('{"prompt": "x", "user": "bob"}', "user"),
    ],
)
async def test_wrong_arguments_are_an_output_that_names_them(arguments: str, told: str) -> None:
    """S1-01, S1-03, S1-18, W-30: nobody is asked anything, and nobody else's name can slip in."""
    inner = asked()
    error = error_of(await inner.run(arguments))
    assert error["code"] == "invalid_arguments"
    assert told in text_at(error, "message")
    assert inner.model.requests == []


async def test_null_for_what_was_left_out_is_left_out() -> None:
    """W-04: strict mode makes a model write every argument."""
    assert (
        await asked(round_of(text("Yes."))).run('{"prompt": "x", "include_recent_messages": null}')
    ).text == "Yes."


async def test_a_provider_that_fails_is_an_output() -> None:
    """S1-18: the outer turn goes on; nothing was told of the inner one."""
    failed = asked([ModelError("No more money.", code="insufficient_quota", status=429)])
    error = error_of(await failed.run())
    assert error == {"code": "insufficient_quota", "message": "The sub-query failed: No more money."}


async def test_a_provider_that_breaks_off_leaves_what_there_was() -> None:
    """S1-18: half an answer may do, if it is told as half of one."""
    broken = asked([*item_events(text("Half"), 0), ModelError("Gone.", code="connection_lost")])
    error = error_of(await broken.run())
    assert error["partial_answer"] == "Half"
    told = ending(text("Half"), status="incomplete", incomplete_details={"reason": "max_output_tokens"})
    cut = asked([*item_events(text("Half"), 0), told])
    output = await cut.run()
    assert output.text == "Half\n\n[The answer of the sub-query is cut off: max_output_tokens.]"
    assert not output.has_succeeded


async def test_its_tokens_are_counted() -> None:
    """S0-62: what a sub-query costs is part of what the answer cost."""
    inner = asked(round_of(text("Yes."), usage={"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}))
    assert (await inner.run()).usage == {
        "turn_count": 1,
        "function_call_count": 0,
        "input_tokens": 10,
        "output_tokens": 2,
        "total_tokens": 12,
    }


async def test_the_user_sees_what_it_does_and_nothing_of_what_it_says() -> None:
    """S1-19, S1-20: statuses with the names of tools for people; words stay inside."""
    inner = asked(
        round_of(text("Hm."), call("get_pet", call_id="a"), call("list_pets", call_id="b")),
        round_of(text("Done.")),
    )
    await inner.run()
    assert inner.notes == [
        "Sub-query: running Title of get_pet…",
        "Sub-query: running 2 tools: Title of get_pet, Title of list_pets…",
    ]
    assert len(inner.events) == len(inner.notes)


async def test_files_of_its_calls_are_shown_with_its_own_result() -> None:
    """An image that a tool gave is for the user, however deep the call was."""
    inner = asked(round_of(call("get_pet")), round_of(text("Here.")))
    image = CallFile("image", "https://a.example/1.png", "image/png")
    inner.tools.answers["get_pet"] = CallOutput("{}", has_succeeded=True, files=(image,))
    assert (await inner.run()).files == (image,)


async def test_several_run_at_once_and_each_has_its_own_answer() -> None:
    """S1-16: the model asks for independent tasks together."""
    inner = asked(round_of(text("A")), round_of(text("B")))
    subquery = inner.subquery()
    wanted = [ModelCall(f"c{n}", "subquery", '{"prompt": "x"}', {}) for n in range(2)]
    async with asyncio.TaskGroup() as group:
        runs = [group.create_task(subquery.run_call(each, ())) for each in wanted]
    assert sorted(run.result().text for run in runs) == ["A", "B"]


async def test_cancelling_ends_the_inner_round() -> None:
    """W-23: Stop closes the inner stream, too."""
    reached = asyncio.Event()

    async def wait() -> None:
        reached.set()
        await asyncio.Event().wait()

    inner = asked([wait])
    task = asyncio.create_task(inner.run())
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert inner.model.open == 0


async def test_its_definition_is_strict_where_tools_are() -> None:
    """S1-01: prompt, and optionally a number of messages; nothing else."""
    strict = asked().subquery().tool.definition
    parameters = object_at(strict, "parameters")
    assert (strict["strict"], parameters["required"]) == (True, ["prompt", "include_recent_messages"])
    assert parameters["additionalProperties"] is False
    turn = Turn(REQUEST, ScriptedModel([]), replace(SETTINGS, strictness="unsaid"))
    loose = replace(asked().subquery(), turn=turn).tool.definition
    assert array_at(object_at(loose, "parameters"), "required") == ["prompt"]
