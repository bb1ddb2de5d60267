"""What a model is given of earlier answers, when a chat has kept nothing but role and content."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest

from bridge.models.agent.items import Item, message_item
from bridge.models.agent.memory.pruning import pruned_text
from bridge.models.agent.memory.recorder import UNAVAILABLE
from bridge.models.agent.model_messages import NO_OUTPUT
from bridge.models.agent.turn import Notice
from bridge.models.stored_items.items import StoredItem
from bridge.models.stored_items.markers import link_marker
from bridge.settings.chat.memory import MemorySettings
from tests.support.models.chat_client import ChatClient
from tests.support.models.memory_harness import FakeNestingToolbox, MemoryHarness
from tests.support.models.turn_harness import call, ending, item_events, round_of, user
from tests.support.models.turn_harness import text as said_text
from toolserver.json_types import JsonObject

pytestmark = pytest.mark.asyncio

MARKER = re.compile(r"\[tb:\w{28}\]: #")


def thought(name: str = "rs_1") -> Item:
    return {"type": "reasoning", "id": name, "encrypted_content": f"sealed {name}", "summary": []}


def chat(markers: Any = "link", **settings: object) -> ChatClient:
    tools = FakeNestingToolbox(own_names=["a", "b"], callers=["mine"])
    return ChatClient(
        MemoryHarness(tools=tools, settings=MemorySettings.model_validate(settings)), markers=markers
    )


async def asked_twice(talk: ChatClient, *, calls: str = "ab") -> tuple[Item, ...]:
    """A turn with a thought, a text between calls, and an answer; gives what it was and what came of it."""
    items = [call(name, f'{{"n":"{name}"}}', f"c{place}") for place, name in enumerate(calls)]
    result = await talk.say(
        "First?",
        round_of(thought(), said_text("Looking.", item_id="m1"), *items),
        round_of(said_text("Found.", item_id="m2")),
    )
    return (user("First?"), *result.output)


async def then(talk: ChatClient, **request: Any) -> tuple[Item, ...]:
    """What the model is given when the user goes on."""
    await talk.say("And?", round_of(said_text("Yes.", item_id="m9")), **request)
    return talk.bridge.model.requests[0].input


@pytest.mark.parametrize("markers", ["link", "zero_width"])
async def test_the_next_answer_begins_with_all_that_the_last_one_had(markers: Any) -> None:
    """S0-130, S0-136, S4-16, W-21: calls, outputs and thoughts come back, in their order, to the byte."""
    talk = chat(markers)
    before = await asked_twice(talk)
    assert await then(talk) == (*before, user("And?"))


async def test_markers_stand_where_their_items_ended() -> None:
    """S4-19, S0-135, W-29: lines of their own, so that text and calls keep their order."""
    talk = chat()
    await asked_twice(talk)
    shape = MARKER.sub("#", talk.last)
    assert shape == "#\n\nLooking.\n\n#\n#\n#\n#\n#\n\nFound.\n\n#\n"


def with_crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


@pytest.mark.parametrize("treat", [str.strip, with_crlf], ids=["trimmed", "crlf"])
async def test_clients_that_tidy_texts_change_nothing(treat: Callable[[str], str]) -> None:
    """S4-17: role and content are all that there is, after whatever a client does to its lines."""
    talk = chat()
    before = await asked_twice(talk)
    talk.messages[-1]["content"] = treat(talk.last)
    assert await then(talk) == (*before, user("And?"))


async def test_a_copy_in_another_chat_and_a_restart_change_nothing() -> None:
    """W-29: what a marker names is found by its owner, not by its chat."""
    talk = chat()
    before = await asked_twice(talk)
    talk.bridge.restart()
    assert await then(talk, chat_id="another chat") == (*before, user("And?"))


async def test_a_marker_means_nothing_to_another_user() -> None:
    """Whoever pastes somebody's answer gets its text."""
    talk = chat()
    await asked_twice(talk)
    found = await then(talk, user_id="bob")
    assert found == (user("First?"), message_item("assistant", "Looking.\n\nFound."), user("And?"))


async def test_an_edited_text_is_given_as_it_is_now_once_and_in_its_place() -> None:
    """S4-17, W-33: a filter or an edit breaks nothing else, and nothing is said twice."""
    talk = chat()
    before = await asked_twice(talk)
    talk.messages[-1]["content"] = talk.last.replace("Looking.", "I looked it up.")
    edited = tuple(
        message_item("assistant", "I looked it up.") if item.get("id") == "m1" else item for item in before
    )
    assert await then(talk) == (*edited, user("And?"))


async def test_a_deleted_text_stays_deleted() -> None:
    """The user took it out."""
    talk = chat()
    before = await asked_twice(talk)
    talk.messages[-1]["content"] = talk.last.replace("Looking.", "")
    assert await then(talk) == (*(item for item in before if item.get("id") != "m1"), user("And?"))


async def test_a_deleted_text_leaves_the_one_before_as_it_was() -> None:
    """To the byte: what stands before a change is still in the provider's cache."""
    talk = chat()
    before = await asked_twice(talk)
    talk.messages[-1]["content"] = talk.last.replace("Found.", "")
    assert await then(talk) == (*before[:-1], user("And?"))


async def test_a_text_that_was_added_is_the_assistants() -> None:
    """Behind the last marker nothing is named."""
    talk = chat()
    before = await asked_twice(talk)
    talk.messages[-1]["content"] = talk.last + "\nOne more thing."
    assert await then(talk) == (*before, message_item("assistant", "One more thing."), user("And?"))


async def test_a_regenerated_answer_is_asked_for_with_the_same_bytes() -> None:
    """W-29: a branch knows what stands in it, and nothing of the others."""
    talk = chat()
    await asked_twice(talk)
    await then(talk)
    first = talk.given
    talk.messages.pop()
    await talk.answer(round_of(said_text("No.", item_id="m10")))
    assert talk.given == first


async def test_an_answer_that_is_there_twice_is_given_once() -> None:
    """Nothing runs twice in the model's eyes; a copied text is a text."""
    talk = chat()
    before = await asked_twice(talk)
    talk.messages.append(talk.messages[-1])
    copy = message_item("assistant", "Looking.\n\nFound.")
    assert await then(talk) == (*before, copy, user("And?"))


async def test_odd_items_come_back_as_they_were() -> None:
    """S0-137, W-21: a call without a name, numbers of any size, members that nobody knows."""
    talk = chat()
    odd: Item = {**call(None, None, "c1"), "x_unknown": [10**20, 0.1, None, {"z": 1, "a": [""]}]}
    result = await talk.say("Go", round_of(odd), round_of(said_text("Hm.")))
    assert await then(talk) == (user("Go"), *result.output, user("And?"))


async def test_another_model_gets_neither_reasoning_nor_ids_but_calls_and_outputs() -> None:
    """S4-21, W-29: sealed thoughts are not portable; what tools said is."""
    talk = chat()
    before = await asked_twice(talk)
    bare = [
        {name: value for name, value in item.items() if name != "id"}
        for item in before
        if item["type"] != "reasoning"
    ]
    assert await then(talk, model="other") == (*bare, user("And?"))


async def test_half_a_pair_is_not_given() -> None:
    """S0-138, S0-146: a row that is gone takes its other half along, and the thought that led to them."""
    talk = chat()
    before = await asked_twice(talk, calls="a")
    gone = next(
        key for key, item in talk.bridge.store.items.items() if item.payload["type"] == "function_call"
    )
    del talk.bridge.store.items[gone]
    left = [item for item in before if not str(item["type"]).startswith("function_call")]
    assert await then(talk) == (*left, user("And?"))


async def test_an_output_that_is_gone_takes_its_call_along() -> None:
    """S0-138: the answer went on, so there was one; that the call was interrupted would not be true."""
    talk = chat()
    before = await asked_twice(talk, calls="a")
    gone = next(
        key for key, item in talk.bridge.store.items.items() if item.payload["type"] == "function_call_output"
    )
    del talk.bridge.store.items[gone]
    left = [item for item in before if not str(item["type"]).startswith("function_call")]
    assert await then(talk) == (*left, user("And?"))


async def test_a_call_that_was_stopped_is_told_with_what_is_known() -> None:
    """Finding I-L11: the model read two questions in a row, and made a call again that may have run."""
    talk = chat()
    begun = asyncio.Event()

    async def hang() -> None:
        begun.set()
        await asyncio.Event().wait()

    talk.bridge.tools.during = hang
    made = call("a", "{}", "c1")
    saying = asyncio.create_task(talk.say("First?", round_of(thought(), made)))
    await begun.wait()
    saying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await saying
    stub: Item = {"type": "function_call_output", "call_id": "c1", "output": NO_OUTPUT}
    assert await then(talk) == (user("First?"), thought(), made, stub, user("And?"))


async def test_a_thought_without_what_it_led_to_is_not_given() -> None:
    """Providers refuse a thought that nothing follows."""
    talk = chat()
    await talk.say("First?", round_of(thought(), status="incomplete"))
    assert await then(talk) == (user("First?"), user("And?"))


async def test_services_of_the_provider_leave_no_trace() -> None:
    """S0-139: what it searched and drew is in its answer; an image's data is no text for a model."""
    talk = chat()
    search: Item = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    image: Item = {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "aGk="}
    files: Item = {"type": "file_search_call", "id": "fs_1", "status": "completed"}
    shell: Item = {"type": "local_shell_call", "id": "ls_1", "call_id": "s1", "status": "completed"}
    await talk.say("Draw!", round_of(search, files, said_text("Here:"), image, shell))
    assert "base64" in talk.last
    assert await then(talk) == (user("Draw!"), said_text("Here:"), user("And?"))


async def test_a_notice_of_the_bridge_is_not_what_the_model_said() -> None:
    """The limit's notice stands in the chat and is no message."""
    talk = chat()
    talk.bridge.tools.own_names = ["a"]
    result = await talk.say(
        "Go", round_of(call("a", call_id="c1")), round_of(said_text("Enough.")), max_rounds=1
    )
    assert "1 rounds" in talk.last or "limit" in talk.last.lower()
    assert await then(talk) == (user("Go"), *result.output, user("And?"))


async def test_a_text_that_broke_off_is_given_as_far_as_it_came() -> None:
    """W-22: a Stop in the middle leaves text without a marker."""
    talk = chat()
    await asked_twice(talk)
    talk.messages[-1]["content"] = talk.last[: talk.last.index("Found.") + 3]
    found = await then(talk)
    assert found[-2:] == (message_item("assistant", "Fou"), user("And?"))
    assert [item["type"] for item in found[:-2]] == [
        "message",
        "reasoning",
        "message",
        *["function_call"] * 2,
        *["function_call_output"] * 2,
    ]


async def test_the_order_is_the_models_whatever_the_order_of_the_markers() -> None:
    """A provider may end items in another order than that in which it wants them back."""
    talk = chat()
    first, second = said_text("One.", item_id="m1"), said_text("Two.", item_id="m2")
    late = [*item_events(second, 1), *item_events(first, 0), ending(first, second)]
    await talk.say("Go", late)
    assert await then(talk) == (user("Go"), first, second, user("And?"))


async def test_a_code_block_that_stays_open_hides_its_markers_too() -> None:
    """S4-17: within code a line of Markdown would be shown."""
    talk = chat()
    result = await talk.say("Go", round_of(said_text("```\ncode"), thought()))
    assert "[tb:" not in talk.last
    assert result.status == "completed"
    assert (await then(talk))[1] == said_text("```\ncode")


async def test_shown_calls_and_images_in_outputs_change_nothing() -> None:
    """The block of a call is the bridge's word; the output has what the model was shown."""
    talk = chat()
    talk.display = "details"
    before = await asked_twice(talk)
    assert "<details" in talk.last
    assert await then(talk) == (*before, user("And?"))


async def test_a_refusal_is_given_once() -> None:
    """A chat has it beside the text."""
    talk = chat()
    refusal: Item = {
        **said_text(""),
        "content": [{"type": "refusal", "refusal": "I would rather not."}],
    }
    await talk.say("Go", round_of(refusal))
    talk.messages[-1]["refusal"] = "I would rather not."
    assert await then(talk) == (user("Go"), refusal, user("And?"))


async def test_calls_of_the_caller_are_given_once_and_whole() -> None:
    """A chat has them as `tool_calls`, bare of what the provider wrote beside them."""
    talk = chat()
    ours, theirs = call("a", "{}", "c1"), call("mine", "{}", "c2")
    first = await talk.say("Go", round_of(thought(), ours, theirs))
    function: JsonObject = {"name": "mine", "arguments": "{}"}
    talk.messages[-1]["tool_calls"] = [{"id": "c2", "type": "function", "function": function}]
    talk.messages.append({"role": "tool", "tool_call_id": "c2", "content": "theirs"})
    second = await talk.answer(round_of(said_text("Done.")))
    answer: Item = {"type": "function_call_output", "call_id": "c2", "output": "theirs"}
    assert talk.bridge.model.requests[0].input == (user("Go"), *first.output, answer)
    talk.bridge.restart()
    assert await then(talk) == (user("Go"), *first.output, answer, *second.output, user("And?"))


async def test_markers_are_shown_to_no_model() -> None:
    """Pasted by the user, in instructions, in tasks: they are taken out, and followed in answers only."""
    talk = chat()
    await asked_twice(talk)
    pasted = f"What is this?\n\n{talk.last}"
    await talk.bridge.run(
        round_of(said_text("A title")),
        input=[user(pasted), message_item("assistant", talk.last)],
        instructions=f"Be brief.\n\n{link_marker('0' * 26)}\n",
        is_task=True,
        to_store="nothing",
    )
    asked = talk.bridge.model.requests[0]
    text = "What is this?\n\nLooking.\n\nFound."
    assert asked.input == (user(text), message_item("assistant", "Looking.\n\nFound."))
    assert asked.instructions == "Be brief."


async def test_without_a_store_a_chat_goes_on_with_its_texts() -> None:
    """S0-143: and the user is told; no marker is given to the model."""
    talk = chat()
    await asked_twice(talk)
    talk.bridge.store.fails = True
    found = await then(talk)
    assert found == (user("First?"), message_item("assistant", "Looking.\n\nFound."), user("And?"))
    await talk.bridge.run(
        round_of(said_text("Hm.")), input=[message_item("assistant", link_marker("0" * 26))]
    )
    assert talk.bridge.events[0] == Notice("warning", UNAVAILABLE, in_answer=False)


async def test_a_first_answer_without_a_store_names_nothing_that_is_not_kept() -> None:
    """S0-143: a marker of an item that nobody has is a line for nothing, in every later request."""
    talk = chat()
    talk.bridge.store.fails = True
    await asked_twice(talk)
    assert talk.last == "Looking.\n\nFound."


OLD = "0001HTHEHGE10BKXZSRC"


async def test_old_markers_bring_back_what_was_imported() -> None:
    """S4-22, W-29: calls stood behind the answer in those chats, and stay where their markers are."""
    talk = chat()
    output: Item = {"type": "function_call_output", "call_id": "c1", "output": "1"}
    pair = {OLD: call("a", "{}", "c1"), OLD[:-1] + "D": output}
    await talk.bridge.store.add_items(
        [
            StoredItem(each, "ann", "old", place, "output", "gpt", item, 1.0)
            for place, (each, item) in enumerate(pair.items())
        ]
    )
    talk.messages = [
        {"role": "user", "content": "Q"},
        {"role": "assistant", "content": "A.\n\n" + "".join(f"[{each}]: #\n" for each in pair)},
    ]
    assert await then(talk) == (user("Q"), message_item("assistant", "A."), *pair.values(), user("And?"))


LONG = "".join(f"line {number}\n" for number in range(250))


async def long_talk(turns: int, **settings: object) -> ChatClient:
    """Each turn has a thought and a call with a long output."""
    talk = chat(**settings)
    for number in range(turns):
        await talk.say(
            f"Turn {number}?",
            round_of(thought(f"rs_{number}"), call("a", f'{{"n":"{LONG}"}}', f"c{number}")),
            round_of(said_text("Done.", item_id=f"m{number}")),
        )
    return talk


async def test_old_outputs_are_cut_in_the_middle() -> None:
    """S0-140: after ten turns the first 256 and the last 128 characters are left, and a note between them."""
    talk = await long_talk(11)
    outputs = [item["output"] for item in await then(talk) if item["type"] == "function_call_output"]
    whole = f'{{"n":"{LONG}"}}'
    head, tail = whole[:256].rstrip(), whole[-128:].lstrip()
    removed = len(whole) - len(head) - len(tail)
    note = f"[tool output pruned: removed {removed} chars, older than 10 turns]"
    assert outputs[0] == outputs[1] == f"{head}\n...\n{note}\n...\n{tail}"
    assert outputs[2:] == [whole] * 9


async def test_every_output_stays_whole_where_that_is_asked_for() -> None:
    """S0-140: `TOOL_BRIDGE_TOOL_OUTPUT_RETENTION_TURNS` 0."""
    talk = await long_talk(12, tool_output_turns=0)
    outputs = [item["output"] for item in await then(talk) if item["type"] == "function_call_output"]
    assert outputs == [f'{{"n":"{LONG}"}}'] * 12


@pytest.mark.parametrize(("length", "is_whole"), [(799, True), (800, False)])
async def test_short_outputs_are_never_cut(length: int, is_whole: bool) -> None:
    """S0-140: from 800 characters on."""
    text = "x" * length
    assert (pruned_text(text, 1) == text) is is_whole
    assert is_whole or "older than 1 turn]" in pruned_text(text, 1)


@pytest.mark.parametrize(
    ("reasoning", "second", "third"),
    [("conversation", [0], [0, 1]), ("next_reply", [0], [1]), ("disabled", [], [])],
)
async def test_thoughts_are_given_for_as_long_as_they_are_to_be(
    reasoning: str, second: list[int], third: list[int]
) -> None:
    """S0-141: in the whole chat, in the next answer, never."""

    def thoughts(talk: ChatClient) -> list[str]:
        items = talk.bridge.model.requests[0].input
        return [str(item["id"]) for item in items if item["type"] == "reasoning"]

    talk = await long_talk(2, reasoning=reasoning)
    assert thoughts(talk) == [f"rs_{number}" for number in second]
    await then(talk)
    assert thoughts(talk) == [f"rs_{number}" for number in third]
