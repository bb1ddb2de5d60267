"""Turns as one stream of the Responses API: what OpenAI's SDK reads of them."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from bridge.models.agent.item_events import text_part
from bridge.models.agent.rendering.call_details import call_block
from bridge.models.agent.rendering.shown_images import image_links
from bridge.models.agent.responses.response_object import response_shell
from bridge.models.agent.responses.writer import AnswerStyle, ResponsesWriter
from bridge.models.agent.turn import CallFile, Notice, TurnEvent, TurnResult
from bridge.settings.answer_format import CallDisplay
from tests.support.models.turn_events import (
    a_turn_with_a_call,
    call,
    call_request_events,
    call_run_events,
    model_output,
    output,
    reasoning,
    result,
    round_of,
    text,
)
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at

OWN = call("call_1", "get_weather", '{"location": "SF"}')
BLOCK = call_block(OWN, output(OWN, '{"temp_c": 22}'))


def writer(
    display: CallDisplay = "hidden", body: JsonObject | None = None, *, for_open_webui: bool = False
) -> ResponsesWriter:
    shell = response_shell("resp_ours", 1700000000, "my-model", body or {})
    style = AnswerStyle(display, for_open_webui=for_open_webui)
    return ResponsesWriter(shell, style, new_id=lambda: "own", now=lambda: 1700000009.5)


def written(
    to: ResponsesWriter, events: Iterable[TurnEvent], ended: TurnResult | None = None
) -> list[JsonObject]:
    bodies = [body for event in events for body in to.write_event(event)]
    return [*bodies, *to.write_end(ended or result())]


def kinds(bodies: Iterable[JsonObject]) -> list[str]:
    return [text_at(body, "type").removeprefix("response.") for body in bodies]


def joined(bodies: Iterable[JsonObject]) -> str:
    return "".join(text_at(body, "delta") for body in bodies if body["type"] == "response.output_text.delta")


def items_of(bodies: list[JsonObject]) -> list[JsonValue]:
    return array_at(object_at(bodies[-1], "response"), "output")


MESSAGE = [
    "output_item.added",
    "content_part.added",
    "output_text.delta",
    "output_text.delta",
    "output_text.done",
    "content_part.done",
    "output_item.done",
]
CALL = [
    "output_item.added",
    "function_call_arguments.delta",
    "function_call_arguments.done",
    "output_item.done",
]


def test_two_rounds_with_a_hidden_call_are_one_response() -> None:
    """S4-07: one beginning, items one after the other, one ending; the caller sees no rounds."""
    bodies = written(writer(), a_turn_with_a_call())
    assert kinds(bodies) == ["created", "in_progress", *MESSAGE, *MESSAGE, "completed"]
    assert [body["sequence_number"] for body in bodies] == list(range(len(bodies)))
    assert [body["output_index"] for body in bodies if "output_index" in body] == [0] * 7 + [1] * 7
    ended = object_at(bodies[-1], "response")
    assert (ended["id"], ended["status"], ended["model"]) == ("resp_ours", "completed", "my-model")
    assert ended["completed_at"] == 1700000009
    done = [body["item"] for body in bodies if body["type"] == "response.output_item.done"]
    assert ended["output"] == done


def test_calls_as_items_are_events_of_items_and_each_has_its_output() -> None:
    """S0-148: Open WebUI renders both natively; a call without its output it would run itself."""
    bodies = written(writer("items"), a_turn_with_a_call())
    output_events = ["output_item.added", "output_item.done"]
    assert kinds(bodies) == ["created", "in_progress", *MESSAGE, *CALL, *output_events, *MESSAGE, "completed"]
    begun, done = bodies[13:15]
    assert begun["item"] == {**output(OWN, ""), "status": "in_progress"}
    assert done["item"] == output(OWN, '{"temp_c": 22}')
    items = [item for item in items_of(bodies) if isinstance(item, dict)]
    assert [item["type"] for item in items] == ["message", "function_call", "function_call_output", "message"]


def test_files_go_along_with_an_output_item() -> None:
    """Open WebUI shows an image that a tool gave beneath its chip."""
    image = CallFile("image", "https://a.example/1.png", "image/png")
    bodies = written(writer("items"), call_run_events(OWN, "{}", files=(image,)))
    assert items_of(bodies) == [{**output(OWN, "{}"), "files": [image.link()]}]


def test_calls_as_details_are_messages_of_the_bridge() -> None:
    """S2-08: for callers that keep only the text; the block begins a line of the joined text."""
    bodies = written(writer("details"), a_turn_with_a_call())
    assert joined(bodies) == f"Looking up the weather… \n{BLOCK}The weather is 22°C. Done."
    own = {"id": "msg_own", "type": "message", "status": "completed", "role": "assistant"}
    assert items_of(bodies)[1] == {**own, "content": [text_part(f"\n{BLOCK}")]}


def test_blocks_of_one_round_and_a_notice_share_a_message() -> None:
    """S0-56: the limit's notice is part of the answer, whatever the caller shows besides."""
    notice = Notice("warning", "### Limit", in_answer=True)
    other = Notice("warning", "beside it", in_answer=False)
    bodies = written(
        writer("details"),
        [*call_run_events(OWN, '{"temp_c": 22}'), *call_run_events(OWN, '{"temp_c": 22}'), other, notice],
    )
    assert joined(bodies) == f"{BLOCK}{BLOCK}\n\n### Limit"
    assert len(items_of(bodies)) == 1


def test_calls_of_the_caller_pass_as_the_model_made_them() -> None:
    """S2-07: the caller runs them; nothing of them is ours to change."""
    mine = call("call_a", "mine", '{"x": 1}')
    bodies = written(
        writer(), round_of(0, call_request_events(0, 0, mine, is_own=False)), result(caller_calls=[mine])
    )
    assert kinds(bodies) == ["created", "in_progress", *CALL, "completed"]
    assert items_of(bodies) == [mine.item]


def test_reasoning_keeps_its_place_among_the_items() -> None:
    """S4-02: summaries stream as they are, and indexes of hidden items leave no holes."""
    first = round_of(0, reasoning(0, 0, "**Hm**"), call_request_events(0, 1, OWN, is_own=True))
    bodies = written(writer(), [*first, *round_of(1, text(1, 0, "A", "B"))])
    told = ["output_item.added", "reasoning_summary_text.delta", "output_item.done"]
    assert kinds(bodies) == ["created", "in_progress", *told, *MESSAGE, "completed"]
    assert [body["output_index"] for body in bodies if "output_index" in body] == [0] * 3 + [1] * 7


def test_events_of_no_item_pass_with_a_number() -> None:
    """A provider may tell more than we know; a caller that knows it shall have it."""
    bodies = written(writer(), [model_output(0, {"type": "response.something_new", "x": 1})])
    assert bodies[2] == {"type": "response.something_new", "x": 1, "sequence_number": 2}


def test_members_of_the_request_are_repeated_as_openai_does() -> None:
    """SDKs require some of them in every response, and programs read their own settings back."""
    tools: JsonValue = [{"type": "function", "name": "mine", "parameters": {}}]
    body: JsonObject = {
        "instructions": "Be short.",
        "tools": tools,
        "temperature": 0.5,
        "metadata": {"a": "b"},
    }
    ended = object_at(written(writer(body=body), [])[-1], "response")
    assert ended == {
        "id": "resp_ours",
        "object": "response",
        "created_at": 1700000000,
        "status": "completed",
        "completed_at": 1700000009,
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": "Be short.",
        "max_output_tokens": None,
        "max_tool_calls": None,
        "metadata": {"a": "b"},
        "model": "my-model",
        "output": [],
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "prompt_cache_key": None,
        "reasoning": {"effort": None, "summary": None},
        "safety_identifier": None,
        "service_tier": None,
        "store": False,
        "temperature": 0.5,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": tools,
        "top_logprobs": None,
        "top_p": None,
        "truncation": "disabled",
        "usage": None,
        "user": None,
    }


def test_what_the_provider_chose_itself_is_in_the_ending() -> None:
    """A caller that left the choice to the provider learns what it was."""
    ended = written(writer(), [], result(service_tier="flex", model="other"))[-1]
    assert object_at(ended, "response")["service_tier"] == "flex"
    assert object_at(ended, "response")["model"] == "my-model"


def test_usage_is_the_sum_with_every_member_that_a_reader_expects() -> None:
    """S4-08: typed readers fail on a missing detail."""
    usage: JsonObject = {"input_tokens": 30, "output_tokens": 2, "total_tokens": 32, "turn_count": 2}
    assert object_at(written(writer(), [], result(usage=usage))[-1], "response")["usage"] == {
        **usage,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    nothing = written(writer(), [], result(usage={"turn_count": 1}))[-1]
    assert object_at(nothing, "response")["usage"] is None


def test_an_item_that_broke_off_is_ended_and_the_response_says_how() -> None:
    """W-22: the text that came stays, in an item that says it is not whole."""
    details: JsonObject = {"reason": "max_output_tokens"}
    bodies = written(
        writer(), text(0, 0, "Half a ", "sen")[:4], result("incomplete", incomplete_details=details)
    )
    assert kinds(bodies)[-4:] == ["output_text.done", "content_part.done", "output_item.done", "incomplete"]
    (item,) = items_of(bodies)
    assert isinstance(item, dict)
    assert (item["status"], item["content"]) == ("incomplete", [text_part("Half a sen")])
    assert object_at(bodies[-1], "response")["incomplete_details"] == details


@pytest.mark.parametrize("count", [4, 5])
def test_a_part_that_the_provider_has_ended_is_not_ended_again(count: int) -> None:
    """W-22: cut after `output_text.done` or `content_part.done`; a reader that adds texts up has it once."""
    bodies = written(writer(), text(0, 0, "Whole.")[:count], result("failed"))
    ended = ["output_text.done", "content_part.done", "output_item.done", "failed"]
    assert kinds(bodies) == ["created", "in_progress", *MESSAGE[:3], *ended]
    (item,) = items_of(bodies)
    assert isinstance(item, dict)
    assert (item["status"], item["content"]) == ("incomplete", [text_part("Whole.")])


def test_what_the_provider_said_of_an_ended_part_stays() -> None:
    """W-22: citations are only in its end, and the caller has read them there."""
    cited: JsonObject = {**text_part("Whole."), "annotations": [{"type": "url_citation"}]}
    begun = text(0, 0, "Whole.")[:4]
    place: JsonObject = {"item_id": "msg_0_0", "output_index": 0, "content_index": 0}
    end = model_output(0, {"type": "response.content_part.done", **place, "part": cited})
    (item,) = items_of(written(writer(), [*begun, end], result("failed")))
    assert isinstance(item, dict)
    assert item["content"] == [cited]


def test_a_failed_turn_ends_with_its_error_and_what_there_was() -> None:
    """W-22: partial text is kept, and the failure has a code."""
    told: JsonObject = {"code": "stream_ended", "message": "It broke off."}
    bodies = written(writer(), text(0, 0, "Half")[:3], result("failed", error=told))
    assert kinds(bodies)[-1] == "failed"
    assert object_at(bodies[-1], "response")["error"] == told
    assert object_at(bodies[-1], "response")["completed_at"] is None
    assert len(items_of(bodies)) == 1


@pytest.mark.parametrize("has_begun", [True, False])
def test_a_turn_without_a_result_still_has_a_beginning_and_an_end(has_begun: bool) -> None:
    """W-31: a reader that sees no ending reports a broken connection, and hides the error."""
    to = writer()
    bodies = [body for said in text(0, 0, "Half")[:3] for body in to.write_event(said)] if has_begun else []
    bodies += to.write_failure({"message": "Bug.", "type": "server_error", "param": None, "code": "internal"})
    assert kinds(bodies)[:2] == ["created", "in_progress"]
    assert kinds(bodies)[-1] == "failed"
    assert object_at(bodies[-1], "response")["error"] == {"code": "internal", "message": "Bug."}


def test_an_answer_without_streaming_is_the_ending_of_the_same_stream() -> None:
    """S0-63: one loop and one writer; the items and the usage cannot differ."""
    to = writer("items")
    assert object_at(written(to, a_turn_with_a_call())[-1], "response") == to.response


def events_of(to: ResponsesWriter, events: Iterable[TurnEvent]) -> list[JsonObject]:
    return [body for event in events for body in to.write_event(event)]


def test_a_response_in_the_background_is_queued_first() -> None:
    """OpenAI's order: created, queued, and in progress when its turn begins."""
    to = writer()
    begun = to.write_queued()
    assert kinds(begun) == ["created", "queued"]
    assert [object_at(body, "response")["status"] for body in begun] == ["queued", "queued"]
    (going,) = to.write_start()
    assert (going["type"], going["sequence_number"]) == ("response.in_progress", 2)
    assert object_at(going, "response")["status"] == "in_progress"
    assert to.write_start() == []
    rest = written(to, a_turn_with_a_call())
    assert kinds(rest) == [*MESSAGE, *MESSAGE, "completed"]


def test_another_process_goes_on_where_one_was_killed() -> None:
    """What was open is closed, what stands stays, numbers and indexes are never given twice."""
    events = list(a_turn_with_a_call())
    first = writer()
    before = [*first.write_queued(), *events_of(first, events)]
    broken = [body for body in before if not text_at(body, "type").endswith(".done")]
    second = writer()
    closed = second.take_up(broken, standing=1, skip=100)
    assert kinds(closed) == ["output_text.done", "content_part.done", "output_item.done"] * 2
    numbers = [body["sequence_number"] for body in closed]
    last = max(int(str(body["sequence_number"])) for body in broken)
    assert numbers == list(range(last + 101, last + 101 + len(numbers)))
    assert {text_at(object_at(body, "item"), "status") for body in closed if "item" in body} == {"incomplete"}
    rest = written(second, round_of(5, text(5, 0, "Again.")))
    assert kinds(rest)[0] == "output_item.added"
    assert rest[0]["output_index"] == 2
    items = items_of(rest)
    assert [text_at(item, "id") for item in items if isinstance(item, dict)][-1] == "msg_5_0"
    assert len(items) == 2  # the first, which stands, and the new one


@pytest.mark.parametrize(
    ("count", "stored_kinds"),
    [(0, ["created", "in_progress"]), (1, ["in_progress"]), (2, ["in_progress"]), (3, [])],
)
def test_a_response_that_was_killed_early_begins_once(count: int, stored_kinds: list[str]) -> None:
    """However much of its beginning is known, a listener sees it created and in progress once."""
    first = writer()
    known = [*first.write_queued(), *first.write_start()][:count]
    assert kinds(writer().take_up(known, standing=0, skip=0)) == stored_kinds


PHOTO = CallFile("image", "http://127.0.0.1:8765/files/f1", "image/png", "data:image/png;base64,UE5H")


@pytest.mark.parametrize("display", ["items", "details"])
def test_open_webui_gets_an_image_of_a_call_as_an_event(display: CallDisplay) -> None:
    """The pipe hands it on, and Open WebUI stores it as a file; the response has only its address."""
    to = writer(display, for_open_webui=True)
    bodies = written(to, call_run_events(OWN, "{}", files=(PHOTO,)))
    events = [body for body in bodies if body["type"] == "tool_bridge.image"]
    assert [body["image_url"] for body in events] == [PHOTO.data_url]
    assert PHOTO.data_url not in str(to.response)


@pytest.mark.parametrize("display", ["items", "details"])
def test_other_clients_get_no_such_event(display: CallDisplay) -> None:
    """OpenAI's clients know no event of that type."""
    bodies = written(writer(display), call_run_events(OWN, "{}", files=(PHOTO,)))
    assert "tool_bridge.image" not in kinds(bodies)


def test_an_image_too_large_to_be_sent_along_is_in_a_message_for_open_webui() -> None:
    """In the `files` of an item it would be Open WebUI's logo."""
    large = replace(PHOTO, data_url="")
    bodies = written(writer("items", for_open_webui=True), call_run_events(OWN, "{}", files=(large,)))
    assert joined(bodies) == f"{image_links([large])}\n"
