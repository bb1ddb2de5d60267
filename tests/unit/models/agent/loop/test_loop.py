"""The model loop, heard from both ends: what the provider is asked, and what the caller is told."""

import asyncio

import pytest

from bridge.models.agent.items import Item
from bridge.models.agent.toolbox import CallOutput
from bridge.models.agent.turn import CallEnded, CallFile, CallStarted, ModelOutput, Notice, TurnSettings
from tests.support.models.turn_harness import (
    FakeToolbox,
    ScriptedModel,
    TurnHarness,
    call,
    ending,
    item_events,
    round_of,
    turn_of,
    user,
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


async def test_a_text_is_told_as_it_comes_and_is_the_result() -> None:
    """S4-07: the first words reach the caller while the model still speaks."""
    turn = turn_of([])
    heard: list[int] = []

    async def look() -> None:
        heard.append(len(turn.events))

    added, delta, done = item_events(said_text("Hi"), 0)
    turn.model = ScriptedModel([[added, delta, look, done, ending(said_text("Hi"))]])
    result = await turn.run()
    assert heard == [2]
    assert (result.status, result.output, turn.words) == ("completed", (said_text("Hi"),), "Hi")
    assert result.caller_calls == ()


async def test_calls_run_after_the_round_and_their_outputs_follow_all_its_items() -> None:
    """S0-50, S0-51, S4-13, W-21: reasoning and messages go back verbatim and in order, then the outputs."""
    first = (REASONING, said_text("Let me look."), call("a", '{"x":1}', "c1"), call("b", '{"y":2}', "c2"))
    turn = turn_of(round_of(*first), round_of(said_text("Done.")), own=["a", "b"])
    result = await turn.run(user("Go"))
    again = turn.model.requests[1].input
    assert again[:5] == (user("Go"), *first)
    assert [(item["type"], item["call_id"], item["output"]) for item in again[5:]] == [
        ("function_call_output", "c1", '{"x":1}'),
        ("function_call_output", "c2", '{"y":2}'),
    ]
    assert result.output == (*again[1:], said_text("Done."))
    assert turn.tools.runs == [["c1", "c2"]]


async def test_no_call_runs_before_its_round_has_ended() -> None:
    """S0-58: the ending may say that the round is incomplete."""
    turn = turn_of(
        [],
        own=["a"],
    )
    runs_before_the_end: list[int] = []

    async def look() -> None:
        runs_before_the_end.append(len(turn.tools.runs))

    wanted = call("a")
    script = [*item_events(wanted, 0), look, ending(wanted)]
    turn.model = ScriptedModel([script, round_of(said_text("Done."))])
    await turn.run()
    assert (runs_before_the_end, turn.tools.runs) == ([0], [["c1"]])
    kinds = [type(event) for event in turn.events]
    last_of_round = max(
        place
        for place, event in enumerate(turn.events)
        if isinstance(event, ModelOutput) and event.round == 0
    )
    assert kinds.index(CallStarted) > last_of_round


async def test_an_output_has_the_shape_that_providers_take() -> None:
    """S0-52: a 20-character id, and `completed` also for a failure, which only the text tells."""
    turn = turn_of(
        round_of(call("a")),
        round_of(said_text("Sorry.")),
        own=["a"],
    )
    turn.tools.answers["a"] = CallOutput('{"error":{}}', has_succeeded=False)
    await turn.run()
    output = turn.model.requests[1].input[-1]
    assert {**output, "id": ""} == {
        "type": "function_call_output",
        "id": "",
        "status": "completed",
        "call_id": "c1",
        "output": '{"error":{}}',
    }
    assert len(text_at(output, "id")) == 20
    assert [event.has_succeeded for event in turn.of_kind(CallEnded)] == [False]


async def test_a_call_without_an_id_gets_one_everywhere() -> None:
    """S0-52, W-18: its output must name it, and the caller must see the same id in every event."""
    turn = turn_of(
        round_of(call("a", call_id=None)),
        round_of(said_text("Done.")),
        own=["a"],
    )
    result = await turn.run()
    wanted, output, _ = result.output
    call_id = text_at(wanted, "call_id")
    assert call_id == output["call_id"] != ""
    items = [object_at(event.event.body, "item") for event in turn.of_kind(ModelOutput) if event.is_own_call]
    assert {text_at(item, "call_id") for item in items if item} == {call_id}


async def test_an_id_that_comes_again_is_replaced() -> None:
    """W-30: providers that count from `call_0` in every round would answer two calls by one output."""
    turn = turn_of(
        round_of(
            call("a", "1", "call_0"), call("a", "2", "call_0") | {"id": "fc_2"}, call("a", "3", "call_0")
        ),
        round_of(call("a", "4", "call_0")),
        round_of(said_text("Done.")),
        own=["a"],
    )
    result = await turn.run()
    answers = outputs(result.output)
    assert len(answers) == 4
    calls = [item for item in result.output if item["type"] == "function_call"]
    assert [answers[text_at(item, "call_id")] for item in calls] == ["1", "2", "3", "4"]


async def test_events_of_own_calls_are_marked_and_those_of_the_caller_are_not() -> None:
    """S2-04: a caller must never see a call that it would run a second time."""
    turn = turn_of(
        round_of(said_text("Hm."), call("a", call_id="c1"), call("mine", call_id="c2")),
        own=["a"],
        callers=["mine"],
    )
    await turn.run()
    marked = [event.event.body["output_index"] for event in turn.of_kind(ModelOutput) if event.is_own_call]
    assert marked == [1, 1, 1]


async def test_a_round_with_the_callers_calls_ends_the_turn_after_the_bridges_have_run() -> None:
    """DESIGN §7: ours are run here, the caller's are handed back; a round with both does both."""
    turn = turn_of(
        round_of(call("mine", '{"m":1}', "c1"), call("a", '{"a":1}', "c2")), own=["a"], callers=["mine"]
    )
    result = await turn.run()
    assert [each.call_id for each in result.caller_calls] == ["c1"]
    assert outputs(result.output) == {"c2": '{"a":1}'}
    assert (result.status, result.own_call_ids, len(turn.model.requests)) == ("completed", {"c2"}, 1)


@pytest.mark.parametrize(
    "written",
    ["functions.a", "functions.a:0", "default_api:a", "default_api.a", "tools.a", " a ", "a<|channel|>json"],
)
async def test_a_name_in_the_models_own_format_is_the_tools_name(written: str) -> None:
    """Finding W-9: weak models never find out why there is no such tool; all see the name that it has."""
    turn = turn_of(round_of(call(written)), round_of(said_text("Done.")), own=["a"])
    result = await turn.run()
    assert turn.tools.runs == [["c1"]]
    assert result.output[0] == turn.model.requests[1].input[1] == call("a")
    told = {text_at(object_at(event.event.body, "item"), "name") for event in turn.of_kind(ModelOutput)}
    assert told - {""} == {"a"}
    handed_back = await turn_of(round_of(call(written)), callers=["a"]).run()
    assert [each.name for each in handed_back.caller_calls] == ["a"]


@pytest.mark.parametrize("written", ["functions.a", "functions.b", "b:a", "shop.a", "functions.functions.a"])
async def test_a_name_that_may_mean_something_else_stays(written: str) -> None:
    """Finding W-9: only a tool that is offered is called, and an exact name comes before any other."""
    turn = turn_of(round_of(call(written)), round_of(said_text("Done.")), own=["a", "functions.a"])
    result = await turn.run()
    assert result.output[0] == call(written)


async def test_an_item_that_only_the_caller_can_answer_ends_the_turn_too() -> None:
    """A provider refuses a round in which a custom tool call has no output."""
    custom: Item = {
        "type": "custom_tool_call",
        "id": "ctc_1",
        "call_id": "c1",
        "name": "sql",
        "input": "SELECT 1",
    }
    turn = turn_of(
        round_of(custom, call("a", call_id="c2")),
        own=["a"],
    )
    result = await turn.run()
    assert [(each.name, each.arguments_text) for each in result.caller_calls] == [("sql", "SELECT 1")]
    assert list(outputs(result.output)) == ["c2"]


async def test_calls_run_one_after_another_where_the_caller_says_so() -> None:
    """S4-13: `parallel_tool_calls: false` also holds for a provider that does not mind it."""
    turn = turn_of(
        round_of(call("a", call_id="c1"), call("a", call_id="c2")), round_of(said_text("Done.")), own=["a"]
    )
    await turn.run(options={"parallel_tool_calls": False})
    assert turn.tools.runs == [["c1"], ["c2"]]
    kinds = [type(event) for event in turn.events if isinstance(event, CallStarted | CallEnded)]
    assert kinds == [CallStarted, CallEnded, CallStarted, CallEnded]
    assert turn.model.requests[1].options["parallel_tool_calls"] is False


async def test_calls_beyond_the_number_a_caller_allows_are_answered_without_running() -> None:
    """S4-13: `max_tool_calls` counts over all rounds, and the model still reads why."""
    turn = turn_of(
        round_of(call("a", call_id="c1")),
        round_of(call("a", call_id="c2"), call("a", call_id="c3")),
        round_of(said_text("Done.")),
        own=["a"],
    )
    result = await turn.run(options={"max_tool_calls": 2})
    assert turn.tools.runs == [["c1"], ["c2"]]
    assert str(outputs(result.output)["c3"]).startswith("TOOL_CALL_SKIPPED: max_tool_calls (2) reached")


@pytest.mark.parametrize("choice", ["required", {"type": "function", "name": "a"}])
async def test_a_forced_call_is_forced_in_the_first_round_only(choice: str | JsonObject) -> None:
    """A model that has to call a tool in every round never answers."""
    turn = turn_of(
        round_of(call("a")),
        round_of(said_text("Done.")),
        own=["a"],
    )
    await turn.run(options={"tool_choice": choice})
    assert [request.options["tool_choice"] for request in turn.model.requests] == [choice, "auto"]


async def test_a_forced_choice_among_some_tools_leaves_only_those_later() -> None:
    """`allowed_tools` is also a restriction, which must hold as long as the turn."""
    allowed: JsonObject = {
        "type": "allowed_tools",
        "mode": "required",
        "tools": [{"type": "function", "name": "a"}],
    }
    turn = turn_of(
        round_of(call("a")),
        round_of(said_text("Done.")),
        own=["a"],
    )
    await turn.run(options={"tool_choice": allowed})
    assert turn.model.requests[1].options["tool_choice"] == {**allowed, "mode": "auto"}


async def test_without_any_tool_nothing_is_said_about_tools() -> None:
    """S0-01: no `tools` member at all, and none that only makes sense beside it."""
    turn = turn_of(round_of(said_text("Hi")))
    await turn.run(options={"tool_choice": "auto", "parallel_tool_calls": True, "temperature": 0})
    assert turn.model.requests[0].tools == ()
    assert turn.model.requests[0].options == {"temperature": 0}


async def test_calls_of_the_last_round_are_not_run_and_the_model_answers_once_more() -> None:
    """S0-56, S0-57, W-20: N rounds, then one in which it cannot call; the user reads why."""
    turn = turn_of(
        *(round_of(call("a", call_id=call_id)) for call_id in ("c1", "c2", "c3")),
        round_of(said_text("That is all I know.")),
        own=["a"],
    )
    result = await turn.run(max_rounds=3)
    assert turn.tools.runs == [["c1"], ["c2"]]
    assert [request.options.get("tool_choice") for request in turn.model.requests] == [
        None,
        None,
        None,
        "none",
    ]
    stub = str(turn.model.requests[3].input[-1]["output"])
    assert stub.startswith("TOOL_CALL_SKIPPED: tool-call loop limit reached (3/3); call not executed")
    assert (result.limit_reached, result.status) == (True, "completed")
    assert turn.notes[0].startswith("Tool step limit reached (max_function_call_loops=3).")
    in_answer = [notice.text for notice in turn.of_kind(Notice) if notice.in_answer]
    assert len(in_answer) == 1
    assert "3 rounds" in in_answer[0]
    assert isinstance(turn.events[-1], Notice)


@pytest.mark.parametrize(("before", "rounds"), [(0, 3), (2, 1), (3, 1), (9, 1)])
async def test_rounds_of_another_process_count_and_the_limit_is_told_as_it_is(
    before: int, rounds: int
) -> None:
    """The notice named the rest of the limit, and a forced choice was forced again."""
    calls = (round_of(call("a", call_id=f"c{number}")) for number in range(rounds))
    turn = turn_of(*calls, round_of(said_text("That is all.")), own=["a"])
    await turn.run(max_rounds=3, rounds_before=before, options={"tool_choice": "required"})
    choices = [request.options["tool_choice"] for request in turn.model.requests]
    assert choices == ["auto" if before else "required", *["auto"] * (rounds - 1), "none"]
    assert turn.notes[0].startswith("Tool step limit reached (max_function_call_loops=3).")


async def test_a_provider_that_calls_in_the_closing_round_still_gets_no_call_run() -> None:
    """S0-57: every call has its output in the record, whoever ignores `tool_choice`."""
    turn = turn_of(
        round_of(call("a", call_id="c1")),
        round_of(call("a", call_id="c2")),
        own=["a"],
    )
    result = await turn.run(max_rounds=1)
    assert (turn.tools.runs, list(outputs(result.output))) == ([], ["c1", "c2"])


async def test_calls_of_the_caller_in_the_last_round_are_handed_back() -> None:
    """The limit is for the loop: a turn that ends anyway leaves nothing unread."""
    turn = turn_of(
        round_of(call("a", call_id="c1"), call("mine", call_id="c2")),
        own=["a"],
        callers=["mine"],
    )
    result = await turn.run(max_rounds=1)
    assert (turn.tools.runs, result.limit_reached) == ([["c1"]], False)
    assert [each.call_id for each in result.caller_calls] == ["c2"]


async def test_the_limit_is_that_of_the_request_or_else_of_the_model() -> None:
    """S0-56: 25 rounds, unless somebody says otherwise."""
    assert TurnSettings(model="m").max_rounds == 25
    rounds = [round_of(call("a", call_id=f"c{number}")) for number in range(2)]
    turn = TurnHarness(
        ScriptedModel([*rounds, round_of(said_text("x"))]), FakeToolbox(["a"]), TurnSettings("m", 2)
    )
    assert (await turn.run()).limit_reached


async def test_the_users_template_is_the_notice() -> None:
    """S0-59: the operator's words, in the answer."""
    settings = TurnSettings("m", 1, limit_template="Only {max_function_call_loops} step.")
    turn = TurnHarness(
        ScriptedModel([round_of(call("a")), round_of(said_text("x"))]), FakeToolbox(["a"]), settings
    )
    await turn.run()
    assert turn.notes[-1] == "Only 1 step."


@pytest.mark.parametrize("items", [(), (said_text("  "),), (REASONING,)])
async def test_a_model_that_says_nothing_after_its_calls_gets_a_word_put_in(items: tuple[Item, ...]) -> None:
    """S0-61: an empty answer leaves the user without any idea of what to do."""
    turn = turn_of(
        round_of(call("a")),
        round_of(*items),
        own=["a"],
    )
    await turn.run()
    assert (
        turn.notes[0] == "No assistant content was produced after tool execution; sending fallback guidance."
    )
    assert [notice.in_answer for notice in turn.of_kind(Notice)] == [False, True]


async def test_a_search_of_the_provider_is_no_answer_and_an_image_is_one() -> None:
    """S0-61, S4-05: a model that only looked something up has told its user nothing."""
    for kind, notes in (("web_search_call", 2), ("image_generation_call", 0)):
        turn = turn_of(round_of(call("a")), round_of({"type": kind, "id": "x_1"}), own=["a"])
        await turn.run()
        assert len(turn.notes) == notes


async def test_an_empty_answer_without_calls_is_left_alone() -> None:
    """S0-61 speaks of tools: otherwise the answer is the model's affair."""
    turn = turn_of(
        round_of(said_text("")),
        own=["a"],
    )
    await turn.run()
    assert turn.notes == []


async def test_usage_is_summed_over_all_rounds() -> None:
    """S0-62, S4-08: numbers add up at every depth; rounds and calls are counted."""
    first = {"input_tokens": 10, "output_tokens_details": {"reasoning_tokens": 5}, "total_tokens": 10}
    second = {"input_tokens": 20, "output_tokens_details": {"reasoning_tokens": 1}, "total_tokens": 20}
    turn = turn_of(
        round_of(call("a", call_id="c1"), call("a", call_id="c2"), usage=first),
        round_of(said_text("x"), usage=second),
        own=["a"],
    )
    turn.tools.answers["a"] = CallOutput("{}", True, usage={"total_tokens": 100, "turn_count": 2})
    assert (await turn.run()).usage == {
        "input_tokens": 30,
        "output_tokens_details": {"reasoning_tokens": 6},
        "total_tokens": 230,
        "turn_count": 6,
        "function_call_count": 2,
    }


async def test_what_a_call_shows_reaches_the_model_as_content_parts() -> None:
    """S0-118: a model that sees gets the image beside the text."""
    image: JsonObject = {"type": "input_image", "image_url": "data:image/png;base64,AA=="}
    turn = turn_of(
        round_of(call("a")),
        round_of(said_text("A cat.")),
        own=["a"],
    )
    turn.tools.answers["a"] = CallOutput(
        "An image.", True, parts=(image,), files=(CallFile("image", "u", "image/png"),)
    )
    await turn.run()
    assert turn.model.requests[1].input[-1]["output"] == [{"type": "input_text", "text": "An image."}, image]
    assert [event.files for event in turn.of_kind(CallEnded)] == [(CallFile("image", "u", "image/png"),)]


async def test_notices_about_tools_come_before_the_first_word() -> None:
    """S0-05: the user learns that tools are missing while the answer goes on."""
    turn = turn_of(round_of(said_text("Hi")))
    turn.tools.notices = (Notice("warning", "Tools are missing.", in_answer=False),)
    await turn.run()
    assert [type(event) for event in turn.events[:2]] == [Notice, ModelOutput]


@pytest.mark.parametrize("arguments", ["", " ", None])
async def test_a_call_that_is_handed_back_always_has_arguments(arguments: str | None) -> None:
    """S0-45: clients parse them as JSON without looking."""
    turn = turn_of(round_of(call("mine", arguments)), callers=["mine"])
    result = await turn.run()
    assert [each.arguments_text for each in result.caller_calls] == ["{}"]


async def test_a_model_may_think_for_long_before_it_calls() -> None:
    """S0-77: nothing idles, and nothing is given up before there was something to do."""

    async def think() -> None:
        await asyncio.sleep(7200)

    wanted = call("a")
    turn = turn_of([think, *round_of(wanted)], round_of(said_text("Done.")), own=["a"])
    assert ((await turn.run()).status, turn.tools.runs) == ("completed", [["c1"]])


async def test_a_call_that_takes_long_keeps_no_other_turn_waiting() -> None:
    """S0-83: one user's slow API is nobody else's affair."""

    async def long() -> None:
        await asyncio.sleep(3600)

    slow = turn_of(round_of(call("a")), round_of(said_text("Done.")), own=["a"])
    slow.tools.during = long
    quick = turn_of(round_of(call("a")), round_of(said_text("Done.")), own=["a"])
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(slow.run())
        assert (await quick.run()).status == "completed"
        assert not waiting.done()
