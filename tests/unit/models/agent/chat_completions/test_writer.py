"""Turns as Chat Completions: what Open WebUI and OpenAI's SDK read of them."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from bridge.models.agent.chat_completions.writer import ChatShell, ChatWriter
from bridge.models.agent.rendering.call_details import call_block
from bridge.models.agent.rendering.shown_images import image_links
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
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at

USAGE: JsonObject = {
    "input_tokens": 30,
    "input_tokens_details": {"cached_tokens": 4},
    "output_tokens": 12,
    "output_tokens_details": {"reasoning_tokens": 2},
    "total_tokens": 42,
    "turn_count": 2,
    "function_call_count": 1,
}


def writer(
    display: CallDisplay = "hidden", *, with_usage: bool = False, for_open_webui: bool = False
) -> ChatWriter:
    return ChatWriter(
        ChatShell(
            "chatcmpl-1",
            1700000000,
            "my-model",
            display,
            with_usage=with_usage,
            for_open_webui=for_open_webui,
        )
    )


def written(to: ChatWriter, events: Iterable[TurnEvent], ended: TurnResult | None = None) -> list[JsonObject]:
    chunks = [chunk for event in events for chunk in to.write_event(event)]
    return [*chunks, *to.write_end(ended or result())]


def choices(chunks: Iterable[JsonObject]) -> list[JsonObject]:
    return [found for chunk in chunks for found in array_at(chunk, "choices") if isinstance(found, dict)]


def deltas(chunks: Iterable[JsonObject]) -> list[JsonObject]:
    return [object_at(choice, "delta") for choice in choices(chunks)]


def joined(chunks: Iterable[JsonObject], name: str = "content") -> str:
    return "".join(str(delta[name]) for delta in deltas(chunks) if delta.get(name))


def reasons(chunks: Iterable[JsonObject]) -> list[JsonValue]:
    return [choice["finish_reason"] for choice in choices(chunks)]


def events_of(chunks: Iterable[JsonObject]) -> list[JsonObject]:
    return [object_at(chunk, "event") for chunk in chunks if "event" in chunk]


def test_a_turn_with_a_call_of_the_bridge_is_the_transcript_of_a_self_contained_agent() -> None:
    """S2-03, S2-04, S2-08, S2-09, S2-10: sentence, block, answer, one terminating chunk."""
    chunks = written(writer("details"), a_turn_with_a_call())
    block = call_block(
        call("call_1", "get_weather", '{"location": "SF"}'), output(call("call_1"), '{"temp_c": 22}')
    )
    assert deltas(chunks) == [
        {"role": "assistant", "content": ""},
        {"content": "Looking up "},
        {"content": "the weather… "},
        {"content": "\n" + block},
        {"content": "The weather is 22°C. "},
        {"content": "Done."},
        {},
    ]
    assert reasons(chunks) == [None] * 6 + ["stop"]
    assert chunks[0] == {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1700000000,
        "model": "my-model",
        "choices": [
            {
                "index": 0,
                "delta": {"role": "assistant", "content": ""},
                "logprobs": None,
                "finish_reason": None,
            }
        ],
    }


def test_probabilities_of_tokens_go_with_the_text_and_stand_in_the_whole_answer() -> None:
    """What the bridge adds to a text has none."""
    tokens: list[JsonValue] = [
        {"token": word, "logprob": -0.5, "top_logprobs": []} for word in ("Good", "day")
    ]
    said = [
        model_output(number, {"type": "response.output_text.delta", "delta": "Hi.", "logprobs": [token]})
        for number, token in enumerate(tokens)
    ]
    to = writer()
    chunks = written(to, [*said, Notice("warning", "A word of the bridge.", in_answer=True)])
    assert [choice["logprobs"] for choice in choices(chunks)] == [
        None,
        {"content": tokens[:1], "refusal": None},
        {"content": tokens[1:], "refusal": None},
        None,
        None,
    ]
    assert choices([to.completion])[0]["logprobs"] == {"content": tokens, "refusal": None}


@pytest.mark.parametrize("display", ["hidden", "details", "items"])
def test_calls_that_the_bridge_runs_are_never_tool_calls(display: CallDisplay) -> None:
    """S2-05, S2-06: Open WebUI would run them again, up to 256 times."""
    chunks = written(writer(display), a_turn_with_a_call())
    assert not any("tool_calls" in delta for delta in deltas(chunks))
    assert reasons(chunks)[-1] == "stop"


def test_hidden_calls_leave_only_the_models_own_words_in_paragraphs() -> None:
    """Two rounds are two messages of the model; run together they would read as one broken sentence."""
    chunks = written(writer(), a_turn_with_a_call())
    assert joined(chunks) == "Looking up the weather… \n\nThe weather is 22°C. Done."


def test_calls_of_the_caller_are_told_in_deltas_and_end_the_answer() -> None:
    """S2-07: the caller must act, and the arguments of a call are JSON in any case."""
    first, second = call("call_a", "mine", '{"x": 1}'), call("call_b", "mine", "")
    events = round_of(
        0, call_request_events(0, 0, first, is_own=False), call_request_events(0, 1, second, is_own=False)
    )
    to = writer()
    chunks = written(to, events, result(caller_calls=[first, second]))
    told = [tool for delta in deltas(chunks) for tool in array_at(delta, "tool_calls")]
    assert told == [
        {"index": 0, "id": "call_a", "type": "function", "function": {"name": "mine", "arguments": ""}},
        {"index": 0, "function": {"arguments": '{"x": 1}'}},
        {"index": 1, "id": "call_b", "type": "function", "function": {"name": "mine", "arguments": ""}},
        {"index": 1, "function": {"arguments": "{}"}},
    ]
    assert [reason for reason in reasons(chunks) if reason] == ["tool_calls"]
    message = object_at(choices([to.completion])[0], "message")
    assert message["content"] is None
    assert message["tool_calls"] == [
        {"id": "call_a", "type": "function", "function": {"name": "mine", "arguments": '{"x": 1}'}},
        {"id": "call_b", "type": "function", "function": {"name": "mine", "arguments": "{}"}},
    ]


def test_a_call_that_came_without_an_id_is_told_when_the_loop_has_given_it_one() -> None:
    """A client answers a call by its id; one without it could never be answered."""
    bare = model_output(
        0, {"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call"}}
    )
    chunks = written(writer(), [bare], result(caller_calls=[call("call_a", "mine", '{"x": 1}')]))
    assert [tool for delta in deltas(chunks) for tool in array_at(delta, "tool_calls")] == [
        {
            "index": 0,
            "id": "call_a",
            "type": "function",
            "function": {"name": "mine", "arguments": '{"x": 1}'},
        }
    ]


def test_calls_of_an_answer_that_broke_off_ask_the_caller_for_nothing() -> None:
    """S2-04: `tool_calls` as the reason means "run these"; half a call must not be run."""
    begun = call_request_events(0, 0, call("call_a", "mine"), is_own=False)[:1]
    ended = result("incomplete", incomplete_details={"reason": "max_output_tokens"})
    to = writer()
    chunks = written(to, begun, ended)
    assert reasons(chunks)[-1] == "length"
    assert "tool_calls" not in object_at(choices([to.completion])[0], "message")


@pytest.mark.parametrize(
    ("reason", "told"),
    [("max_output_tokens", "length"), ("content_filter", "content_filter"), ("other", "length")],
)
def test_an_incomplete_answer_says_why(reason: str, told: str) -> None:
    """S2-04: callers raise their limit, or do not, by this word."""
    chunks = written(
        writer(), text(0, 0, "half"), result("incomplete", incomplete_details={"reason": reason})
    )
    assert [found for found in reasons(chunks) if found] == [told]


def test_reasoning_summaries_are_reasoning_content() -> None:
    """S0-150, S4-02, S4-07: parts are set apart, and thoughts never become the answer."""
    to = writer()
    chunks = written(to, round_of(0, reasoning(0, 0, "**First**", "**Second**"), text(0, 1, "Answer")))
    assert joined(chunks, "reasoning_content") == "**First**\n\n---\n\n**Second**"
    assert joined(chunks) == "Answer"
    message = object_at(choices([to.completion])[0], "message")
    assert message["reasoning_content"] == "**First**\n\n---\n\n**Second**"


def test_thoughts_amid_a_message_do_not_cut_it_in_two() -> None:
    """Providers that think aloud alternate; a paragraph for each thought would tear the sentence."""
    said = text(0, 0, "Half a ", "sentence.")
    chunks = written(writer(), [*said[:3], *reasoning(0, 1, "hm"), *said[3:]])
    assert joined(chunks) == "Half a sentence."


def test_a_refusal_is_a_refusal() -> None:
    """Callers show it as such; as content it would read as an answer."""
    to = writer()
    chunks = written(
        to, [model_output(0, {"type": "response.refusal.delta", "output_index": 0, "delta": "No."})]
    )
    assert joined(chunks, "refusal") == "No."
    message = object_at(choices([to.completion])[0], "message")
    assert (message["refusal"], message["content"]) == ("No.", None)


def test_usage_comes_in_a_chunk_of_its_own_when_it_was_asked_for() -> None:
    """S4-08: the sum of all rounds, with the counts, in the form that chat clients know."""
    to = writer(with_usage=True)
    chunks = written(to, a_turn_with_a_call(), result(usage=USAGE))
    told: JsonObject = {
        "prompt_tokens": 30,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens": 12,
        "completion_tokens_details": {"reasoning_tokens": 2},
        "total_tokens": 42,
        "turn_count": 2,
        "function_call_count": 1,
    }
    assert (chunks[-1]["choices"], chunks[-1]["usage"]) == ([], told)
    assert all(chunk["usage"] is None for chunk in chunks[:-1])
    assert to.completion["usage"] == told
    assert not any("usage" in chunk for chunk in written(writer(), [], result(usage=USAGE)))


def test_a_provider_that_counts_nothing_is_not_said_to_have_counted_zero() -> None:
    """S4-08: a zero would be read as free."""
    chunks = written(writer(with_usage=True), [], result(usage={"turn_count": 1}))
    assert all(chunk["choices"] for chunk in chunks)


@pytest.mark.parametrize("has_result", [True, False])
@pytest.mark.parametrize(("for_open_webui", "ending"), [(True, ["stop"]), (False, [])])
def test_an_error_amid_the_answer_is_told_and_only_open_webui_is_told_that_it_stopped(
    has_result: bool, for_open_webui: bool, ending: list[str]
) -> None:
    """S2-04, W-22, W-31: Open WebUI waits for a last chunk; others would take half a text for whole."""
    to = writer(for_open_webui=for_open_webui)
    chunks = [chunk for said in text(0, 0, "Half")[:3] for chunk in to.write_event(said)]
    error: JsonObject = {
        "message": "It broke.",
        "type": "upstream_error",
        "param": None,
        "code": "stream_ended",
    }
    chunks += to.write_end(result("failed"), error) if has_result else to.write_failure(error)
    assert chunks[-1 - len(ending)] == {"error": error}
    assert [reason for reason in reasons(chunks) if reason] == ending
    assert joined(chunks) == "Half"


def test_a_failed_turn_tells_its_own_error_when_nobody_gives_another() -> None:
    """An `error` without a message helps nobody."""
    chunks = written(writer(), [], result("failed", error={"code": "server_error", "message": "It broke."}))
    assert object_at(chunks[-1], "error")["message"] == "It broke."


def test_notices_in_the_answer_are_paragraphs_of_it() -> None:
    """S0-56: whoever has no place for a notification still has to learn that the limit was reached."""
    notice = Notice("warning", "### Limit", in_answer=True)
    other = Notice("warning", "only beside it", in_answer=False)
    assert joined(written(writer(), [*text(0, 0, "Words"), other, notice])) == "Words\n\n### Limit"


def test_blocks_begin_lines_and_do_not_pile_up_empty_ones() -> None:
    """S2-12: a block in the middle of a line is shown as raw markup."""
    own = [call("a"), call("b")]
    chunks = written(
        writer("details"),
        [*text(0, 0, "Words"), *call_run_events(own[0], "1"), *call_run_events(own[1], "2")],
    )
    blocks = [call_block(made, output(made, said)) for made, said in zip(own, "12", strict=True)]
    assert joined(chunks) == "Words\n" + "".join(blocks)


def test_open_webui_gets_status_events_and_the_last_is_done() -> None:
    """S0-150, S2-13, S4-07: a status that is not done shimmers for ever."""
    chunks = written(writer(for_open_webui=True), a_turn_with_a_call())
    assert events_of(chunks) == [
        {"type": "status", "data": {"description": "Running Get Weather…", "done": False}},
        {"type": "status", "data": {"description": "Tool finished.", "done": True}},
        {"type": "status", "data": {"description": "", "done": True, "hidden": True}},
    ]
    assert reasons(chunks)[-1] == "stop"
    assert events_of(written(writer(), a_turn_with_a_call())) == []


def test_open_webui_sees_that_the_provider_searches() -> None:
    """S4-07: a search takes seconds in which nothing else is said."""
    kinds = ("in_progress", "searching", "completed")
    search = [model_output(0, {"type": f"response.web_search_call.{kind}"}) for kind in kinds]
    chunks = written(writer(for_open_webui=True), search)
    assert [object_at(event, "data")["description"] for event in events_of(chunks)] == [
        "Searching the web…",
        "Web search finished.",
        "",
    ]


@pytest.mark.parametrize("later", [False, True])
def test_a_status_that_still_matters_is_the_last_one(*, later: bool) -> None:
    """A hidden last status hides it, too: its reader saw it for a tenth of a second."""
    notice = Notice("info", "No bridge page is open.", in_answer=False, stays=True)
    more = call_run_events(call("call_1"), "{}") if later else []
    statuses = events_of(written(writer(for_open_webui=True), [notice, *more]))
    assert statuses[-1] == {
        "type": "status",
        "data": {"description": "No bridge page is open.", "done": True},
    }
    assert statuses.count(statuses[-1]) == 1 + later


def test_several_calls_at_once_are_one_status() -> None:
    """S1-19: names as people read them, and one line for all."""
    one, two = call_run_events(call("a", "get_pet"), "1"), call_run_events(call("b", "list_pets"), "2")
    to = writer(for_open_webui=True)
    chunks = [chunk for event in (one[0], two[0], one[1], two[1]) for chunk in to.write_event(event)]
    assert [object_at(event, "data")["description"] for event in events_of(chunks)] == [
        "Running Get Pet…",
        "Running 2 tools: Get Pet, List Pets…",
        "2 tools finished.",
    ]


def test_the_status_ends_when_the_turn_fails() -> None:
    """S2-13: on every path."""
    to = writer(for_open_webui=True)
    to.write_event(call_run_events(call("a"), "1")[0])
    chunks = to.write_failure({"message": "It broke."})
    assert object_at(events_of(chunks)[-1], "data") == {"description": "", "done": True, "hidden": True}


def test_notices_beside_the_answer_are_notifications_or_statuses_in_open_webui() -> None:
    """S0-150: `notification` with type and content."""
    to = writer(for_open_webui=True)
    chunks = [
        *to.write_event(Notice("warning", "Nearly full", in_answer=False)),
        *to.write_event(Notice("info", "Asking again", in_answer=False)),
    ]
    assert events_of(chunks) == [
        {"type": "notification", "data": {"type": "warning", "content": "Nearly full"}},
        {"type": "status", "data": {"description": "Asking again", "done": False}},
    ]


def test_citations_point_into_the_whole_answer() -> None:
    """S0-150: places count from the message they stand in, and a caller sees one content."""
    citation: JsonObject = {
        "type": "url_citation",
        "url": "https://a.example/",
        "title": "A",
        "start_index": 0,
        "end_index": 4,
    }
    told = model_output(
        1, {"type": "response.output_text.annotation.added", "output_index": 0, "annotation": citation}
    )
    to = writer(for_open_webui=True)
    chunks = written(to, [*text(0, 0, "First."), *text(1, 0, "Then")[:3], told])
    annotation = object_at(choices([to.completion])[0], "message")["annotations"]
    assert annotation == [
        {
            "type": "url_citation",
            "url_citation": {
                "url": "https://a.example/",
                "title": "A",
                "start_index": 8,
                "end_index": 12,
            },
        }
    ]
    assert joined(chunks)[8:12] == "Then"
    assert events_of(chunks)[0] == {
        "type": "source",
        "data": {
            "source": {"name": "A", "url": "https://a.example/"},
            "document": ["A"],
            "metadata": [{"source": "https://a.example/", "name": "A"}],
        },
    }


def test_images_of_the_provider_are_markdown() -> None:
    """S0-150: chat has no part for them in an answer, and Open WebUI shows Markdown."""
    item: JsonObject = {
        "type": "image_generation_call",
        "id": "ig",
        "result": "QUJD",
        "output_format": "webp",
    }
    done = model_output(0, {"type": "response.output_item.done", "output_index": 1, "item": item})
    chunks = written(writer(), [*text(0, 0, "Here:"), done])
    assert joined(chunks) == "Here:\n\n![Image](data:image/webp;base64,QUJD)\n"


def test_an_answer_without_streaming_says_the_same() -> None:
    """S0-63: one loop and one writer; the text and the usage cannot differ."""
    to = writer("details")
    chunks = written(to, a_turn_with_a_call(), result(usage=USAGE))
    message = object_at(choices([to.completion])[0], "message")
    assert message["content"] == joined(chunks)
    assert to.completion["object"] == "chat.completion"
    assert choices([to.completion])[0]["finish_reason"] == "stop"


PHOTO = CallFile("image", "http://127.0.0.1:8765/files/f1", "image/png", "data:image/png;base64,UE5H")


def test_an_image_of_a_shown_call_is_a_delta_of_its_own() -> None:
    """Open WebUI stores it as a file and shows it; as an address within a chip it shows its own logo."""
    to = writer("details")
    chunks = written(to, call_run_events(call("call_1"), "{}", files=(PHOTO,)))
    part: JsonObject = {"type": "image_url", "image_url": {"url": PHOTO.data_url}}
    assert [found for delta in deltas(chunks) if (found := delta.get("images"))] == [[part]]
    assert object_at(choices([to.completion])[0], "message")["images"] == [part]
    assert PHOTO.data_url not in joined(chunks)


def test_an_image_of_a_hidden_call_is_hidden() -> None:
    """Whoever hides calls has a model that says what it found."""
    chunks = written(writer("hidden"), call_run_events(call("call_1"), "{}", files=(PHOTO,)))
    assert not any("images" in delta for delta in deltas(chunks))


def test_an_image_too_large_to_be_sent_along_is_a_markdown_image() -> None:
    """An address burdens no history; Open WebUI loads it from the bridge."""
    large = replace(PHOTO, data_url="")
    chunks = written(writer("details"), call_run_events(call("call_1"), "{}", files=(large,)))
    assert joined(chunks).endswith(f"</details>\n{image_links([large])}\n")
