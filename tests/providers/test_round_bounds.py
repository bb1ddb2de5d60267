"""What a provider answers in one round is bounded: a provider of one user must not stall the others."""

import json
from time import process_time
from typing import Any

import pytest

from bridge.browser_protocol import ARGUMENT_BYTES
from bridge.models.agent.chat_completions.call_arguments import CallArguments
from bridge.models.agent.chat_completions.stream_decoder import ChatReading
from bridge.models.agent.model import ModelError, ModelEvent, ModelRequest
from bridge.models.agent.responses.stream_repair import StreamRepair
from bridge.models.agent.round_bounds import MAX_CALLS, MAX_ITEMS, MAX_TEXT_CHARS, RoundBounds
from bridge.models.agent.text_calls.model import TextCallModel
from bridge.models.providers.event_decoder import MAX_ANSWER_BYTES, MAX_EVENT_BYTES, EventDecoder
from bridge.settings.chat.models import ProviderApi
from tests.support.models.model_answers import calls, reasoning, searches, text
from tests.support.models.provider_harness import HELLO, both_protocols, ending, provider_harness
from tests.support.models.scripted_provider import events, raw

Json = dict[str, Any]

LONG = "x" * ARGUMENT_BYTES


def chat_deltas(*deltas: Json) -> list[Json]:
    return [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]


def call_delta(index: int | None = None, **function: str) -> Json:
    return {"tool_calls": [{"index": index, "function": function}]}


def read_until_refused(chunks: list[Json], *tools: Json) -> tuple[int, ModelError]:
    """The number of the chunk at which a chat stream was given up, and why."""
    reading = ChatReading(ModelRequest("m", (), tools=tools))
    for number, chunk in enumerate(chunks):
        try:
            list(reading.decode_chunk(chunk))
        except ModelError as error:
            return number, error
    raise AssertionError("all of it was read")


def response(*items: Json) -> Json:
    return {"type": "response.completed", "response": {"status": "completed", "output": [*items]}}


def function_call(number: int, **members: Any) -> Json:
    call = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": "search"}
    return {**call, "arguments": "{}", "status": "completed", **members}


def malformed(error: ModelError, words: str) -> bool:
    return error.code == "upstream_malformed" and words in error.message


# Calls


@both_protocols
@pytest.mark.asyncio
async def test_a_round_has_a_number_of_calls(api: ProviderApi) -> None:
    """Finding S-M7: 5,000 calls in one round stalled everybody's bridge for seconds."""
    call: tuple[str, Json] = ("search", {})
    async with provider_harness(api) as now:
        now.server.play(calls(*[call] * MAX_CALLS))
        assert len(ending(await now.ask())["output"]) == MAX_CALLS
        assert malformed(await now.failure(calls(*[call] * (MAX_CALLS + 1))), "128 calls")


@both_protocols
@pytest.mark.asyncio
async def test_the_arguments_of_a_call_have_the_size_that_they_have_everywhere(api: ProviderApi) -> None:
    """Finding S-M7: more could not be run anyway, but would go back to the provider round after round."""
    fits = {"q": "x" * (ARGUMENT_BYTES - 100)}
    async with provider_harness(api) as now:
        now.server.play(calls(("search", fits)))
        assert json.loads(ending(await now.ask())["output"][0]["arguments"]) == fits
        assert malformed(await now.failure(calls(("search", {"q": LONG}))), "1,048,576 bytes")


@pytest.mark.asyncio
async def test_searches_are_bounded_as_calls_are() -> None:
    """Issue 41, 6: a search is an object in its item, and goes back with every further round."""
    async with provider_harness() as now:
        now.server.play(searches({"query": LONG[:-100]}))
        assert ending(await now.ask())["output"][0]["arguments"] == {"query": LONG[:-100]}
        assert malformed(await now.failure(searches({"query": LONG})), "1,048,576 bytes")
        assert malformed(await now.failure(searches(*[{}] * (MAX_CALLS + 1))), "128 calls")


@both_protocols
@pytest.mark.asyncio
async def test_a_name_has_the_length_of_a_name(api: ProviderApi) -> None:
    """Finding S-M7: a name of 30 MB went back with every further round."""
    async with provider_harness(api) as now:
        now.server.play(calls(("n" * 64, {})))
        assert ending(await now.ask())["output"][0]["name"] == "n" * 64
        assert malformed(await now.failure(calls(("n" * 65, {}))), "64 bytes")
        assert malformed(await now.failure(calls(("ü" * 33, {}))), "64 bytes")


@both_protocols
@pytest.mark.asyncio
async def test_a_caller_may_offer_a_tool_with_a_longer_name(api: ProviderApi) -> None:
    """Finding S-M7: sibling. A name that was offered is no attack: some providers take 128 characters."""
    tool: Json = {"type": "function", "name": "n" * 100, "parameters": {}}
    request = ModelRequest("m", HELLO.input, tools=(tool,))
    async with provider_harness(api) as now:
        now.server.play(calls(("n" * 100, {})))
        assert ending(await now.ask(request))["output"][0]["name"] == "n" * 100


def test_a_growing_call_is_given_up_while_it_grows() -> None:
    """Finding S-M7: what is counted at the end of an answer has been held in memory until then."""
    tool: Json = {"type": "function", "name": "search"}
    number, error = read_until_refused(
        chat_deltas(call_delta(0, name="search"), call_delta(1, name="x" * 65)), tool
    )
    assert (number, malformed(error, "name")) == (1, True)
    pieces = [call_delta(0, arguments=LONG[:1000])] * 2000
    begun = call_delta(0, name="search", arguments='{"q": "')
    number, error = read_until_refused(chat_deltas(begun, *pieces))
    assert (number, malformed(error, "arguments")) == (ARGUMENT_BYTES // 1000 + 1, True)


def test_arguments_told_anew_and_never_ended_are_no_way_around() -> None:
    """Finding S-M7: sibling. What came in place of arguments is part of them where no reading is whole."""
    part = '{"q": "' + "x" * (ARGUMENT_BYTES // 2)
    reading = ChatReading(ModelRequest("m", ()))
    for piece in (part, part + "y"):
        list(reading.decode_chunk(chat_deltas(call_delta(0, name="search", arguments=piece))[0]))
    with pytest.raises(ModelError, match="arguments"):
        list(reading.finish_stream())


def test_fragments_that_may_belong_to_many_calls_do_not_pile_up() -> None:
    """Finding S-M7: sibling. Each of them noted every open call, of which there may be 128."""
    begun = [call_delta(number, name="search", arguments="{") for number in range(100)]
    reading = ChatReading(ModelRequest("m", ()))
    for chunk in chat_deltas(*begun, *[call_delta(arguments=" ")] * 10, *[call_delta(arguments="1")] * 2000):
        list(reading.decode_chunk(chunk))
    assert not reading.is_complete(is_done=True)


@pytest.mark.asyncio
async def test_an_ending_is_counted_like_the_stream_before_it() -> None:
    """Finding S-M7: sibling. A provider may send the items in the ending alone, or others there."""
    done = {"type": "response.output_item.done", "output_index": 0, "item": function_call(0)}
    async with provider_harness() as now:
        large = function_call(0, arguments=json.dumps({"q": LONG}))
        assert malformed(await now.failure(events(done, response(large))), "arguments")
        named = function_call(0, name="n" * 65)
        assert malformed(await now.failure(events(done, response(named))), "name")
        many = map(function_call, range(MAX_CALLS + 1))
        assert malformed(await now.failure(events(done, response(*many))), "calls")


@pytest.mark.asyncio
async def test_calls_that_the_caller_answers_are_counted_too() -> None:
    """Finding S-M7: sibling. The input of a custom tool has no JSON, and no other bound."""
    call = {"type": "custom_tool_call", "id": "ct_1", "call_id": "c", "name": "code", "input": LONG + "x"}
    done = {"type": "response.output_item.done", "output_index": 0, "item": call}
    async with provider_harness() as now:
        assert malformed(await now.failure(events(done)), "arguments")


@both_protocols
@pytest.mark.asyncio
async def test_an_answer_that_is_no_stream_is_counted(api: ProviderApi) -> None:
    """Finding S-M7: sibling. Servers without streams send the whole answer as JSON."""
    many = [function_call(number) for number in range(MAX_CALLS + 1)]
    older = [{"id": str(n), "function": {"name": "search", "arguments": "{}"}} for n in range(MAX_CALLS + 1)]
    message = {"role": "assistant", "tool_calls": older}
    used: list[Json] = [
        {"type": "tool_use", "id": f"t{n}", "name": "search", "input": {}} for n in range(MAX_CALLS + 1)
    ]
    whole: Json = {
        "messages": {"type": "message", "content": used, "stop_reason": "tool_use"},
        "responses": {"status": "completed", "output": many},
        "chat": {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]},
    }[api]
    async with provider_harness(api) as now:
        assert malformed(await now.failure(raw(json.dumps(whole).encode())), "128 calls")


@pytest.mark.asyncio
async def test_calls_written_as_text_are_counted() -> None:
    """Finding S-M7: sibling. A model without function calling writes its calls into its text."""
    tool: Json = {"type": "function", "name": "search", "parameters": {"type": "object", "properties": {}}}
    request = ModelRequest("m", HELLO.input, tools=(tool,))
    async with provider_harness() as now:
        model = TextCallModel(now.model, tells_tools=True)
        now.server.play(text("<function=search>{}</function>\n" * (MAX_CALLS + 1)))
        with pytest.raises(ModelError, match="128 calls"):
            _ = [event async for event in model.stream_round(request)]


# Texts and items


@both_protocols
@pytest.mark.asyncio
async def test_the_text_of_a_round_is_bounded(api: ProviderApi) -> None:
    """Finding S-M7: it is held, told, stored, and sent back with the next question."""
    million = "x" * 1024 * 1024
    parts = [million] * (MAX_TEXT_CHARS // len(million))
    async with provider_harness(api) as now:
        assert malformed(await now.failure(text(*parts, "y")), "8,388,608 characters")
        assert malformed(await now.failure(reasoning(*parts, "y")), "8,388,608 characters")


def test_text_reasoning_and_arguments_count_together() -> None:
    """Finding S-M7: sibling. Each alone may be within its bound while the round is not."""
    million = "x" * 1_000_000
    said = [{"content": million}, {"reasoning_content": million}, {"refusal": million}]
    called = [call_delta(n, name="search", arguments=json.dumps({"q": million})) for n in range(6)]
    number, error = read_until_refused(chat_deltas(*said, *called))
    assert (number, malformed(error, "characters")) == (8, True)


@pytest.mark.parametrize(
    "turns",
    [
        [{"content": "a"}, {"reasoning_content": "b"}],
        [{"content": "a"}, {"refusal": "b"}],
        [{"annotations": [{"type": "url_citation", "url_citation": {"url": "https://a.example"}}]}],
    ],
)
def test_the_items_of_a_chat_round_are_bounded(turns: list[Json]) -> None:
    """Finding S-M7: sibling. An item, a part or an annotation takes a thousand bytes here."""
    _, error = read_until_refused(chat_deltas(*turns * (MAX_ITEMS + 1)))
    assert malformed(error, "items")


def test_the_items_and_texts_of_a_responses_round_are_bounded() -> None:
    """Finding S-M7: sibling. So are invented places in the output."""
    added: Json = {"type": "response.output_item.added", "item": {"type": "web_search_call"}}
    bounds = RoundBounds()
    for number in range(MAX_ITEMS):
        bounds.read_event(ModelEvent({**added, "output_index": number}))
    with pytest.raises(ModelError, match="items"):
        bounds.read_event(ModelEvent({**added, "output_index": MAX_ITEMS}))


@pytest.mark.asyncio
async def test_deltas_of_invented_places_are_bounded() -> None:
    """Finding S-M7: sibling. Each place of a text is remembered, whether there is such an item or not."""
    delta: Json = {"type": "response.output_text.delta", "delta": "a"}
    invented = ({**delta, "output_index": number} for number in range(MAX_ITEMS + 1))
    async with provider_harness() as now:
        assert malformed(await now.failure(events(*invented)), "texts")


@pytest.mark.slow
@pytest.mark.parametrize("piece", [b": keep-alive\n\n", b'data: {"a": "b"}\n\n'])
def test_the_bytes_of_an_answer_are_bounded(piece: bytes) -> None:
    """Finding S-M7: sibling. Whatever is not counted by its meaning is counted as bytes."""
    decoder = EventDecoder()
    large = piece * (MAX_EVENT_BYTES // 4 // len(piece))
    for _ in range(MAX_ANSWER_BYTES // len(large)):
        decoder.read_bytes(large)
    with pytest.raises(ValueError, match="bytes"):
        decoder.read_bytes(large)


@both_protocols
@pytest.mark.asyncio
async def test_a_long_honest_answer_passes(api: ProviderApi) -> None:
    """Finding S-M7: a bound that an answer of 128,000 tokens meets would be a defect."""
    answer = reasoning(*["hm, "] * 2000) + text(*["word "] * 20_000) + calls(("search", {"q": "x"}))
    async with provider_harness(api) as now:
        now.server.play(answer)
        assert len(ending(await now.ask())["output"]) == 3


# Work


def test_arguments_of_no_call_are_not_looked_through_for_every_item() -> None:
    """100,000 deltas and an ending of 9,000 items kept all others waiting for 15 s, and more were allowed."""
    repair, began = StreamRepair(), process_time()
    for number in range(100_000):
        told: Json = {"type": "response.function_call_arguments.delta", "delta": f"x{number}"}
        list(repair.complete_event(told))
    items: list[Json] = [{"type": "message", "id": f"msg_{n}", "content": []} for n in range(9_000)]
    list(repair.complete_event(response(*items)))
    assert process_time() - began < 5


def test_objects_one_after_another_are_no_readings_without_end() -> None:
    """Half a million of them in one call took a second, and a round may have eight such calls."""
    for count, meant in ((100, 1), (101, 101)):
        arguments = CallArguments()
        arguments.add_piece("{}" * count)
        assert arguments.finish()[0] == "{}" * meant
