"""A model that writes its calls as text, heard as one that makes them."""

import itertools
from collections.abc import AsyncGenerator, Sequence

import pytest

from bridge.models.agent.item_events import MessageEvents, call_events, call_item, text_part
from bridge.models.agent.items import Item, message_item
from bridge.models.agent.model import ModelEvent, ModelRequest
from bridge.models.agent.text_calls.model import TextCallModel
from tests.support.models.model_rounds import function, joined_text, model_request, output_of, read_round
from toolserver.json_types import JsonObject, object_at, text_at

PING = function("ping")
COUNT = function("count", up_to={"type": "integer"})
CALL = "<function=count><parameter=up_to>3</parameter></function>"


class Script:
    """A model that gives these events."""

    def __init__(self, bodies: Sequence[JsonObject]) -> None:
        self._bodies = bodies
        self.is_closed = False
        self.requests: list[ModelRequest] = []

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        self.requests.append(request)
        try:
            for body in self._bodies:
                yield ModelEvent(body)
        finally:
            self.is_closed = True


def message(index: int, *deltas: str) -> list[JsonObject]:
    events = MessageEvents(f"msg_{index}", index)
    return [*events.begin_message(), *map(events.add_text, deltas), *events.finish_message()]


def native(index: int, name: str) -> list[JsonObject]:
    return [*call_events(call_item("fc", "call_native", name, "{}"), index)]


def round_of(*parts: list[JsonObject], ending: str = "completed") -> list[JsonObject]:
    bodies = [body for part in parts for body in part]
    output: list[Item] = [
        object_at(body, "item") for body in bodies if body["type"] == "response.output_item.done"
    ]
    response: JsonObject = {"id": "resp_1", "status": ending, "output": [*output]}
    return [
        {"type": "response.created", "response": {}},
        *bodies,
        {"type": f"response.{ending}", "response": response},
    ]


async def listen(bodies: list[JsonObject], **options: str) -> list[ModelEvent]:
    ids = itertools.count()
    model = TextCallModel(Script(bodies), tells_tools=False, new_id=lambda: str(next(ids)))
    return await read_round(model, model_request(tools=[PING, COUNT], **options))


def kinds(events: list[ModelEvent]) -> list[str]:
    return [event.type.removeprefix("response.") for event in events]


COUNTED = call_item("fc_0", "call_1", "count", '{"up_to": 3}')
CALL_EVENTS = [
    "output_item.added",
    "function_call_arguments.delta",
    "function_call_arguments.done",
    "output_item.done",
]


@pytest.mark.asyncio
async def test_a_call_in_the_text_becomes_an_item_after_the_message() -> None:
    """S1-10, S1-12: the loop runs it like any other; the words around it stay the model's."""
    events = await listen(round_of(message(0, "I will ", "count. <func", CALL[5:], " Soon.")))
    text = "I will count. Soon."
    assert joined_text(events) == text
    done = {"id": "msg_0", "type": "message", "status": "completed", "role": "assistant"}
    assert output_of(events) == [{**done, "content": [text_part(text)]}, COUNTED]
    assert [event.body["item"] for event in events if event.type == "response.output_item.done"] == output_of(
        events
    )
    assert kinds(events)[-5:] == [*CALL_EVENTS, "completed"]
    assert events[-2].body["output_index"] == 1
    told = [event.body for event in events if event.type == "response.output_text.done"]
    assert [body["text"] for body in told] == [text]


@pytest.mark.asyncio
async def test_a_message_that_is_only_calls_is_left_out_and_leaves_no_gap() -> None:
    """An empty message would go back to the model as something it had said."""
    events = await listen(round_of(message(0, CALL), message(1, "Words")))
    assert [item["type"] for item in output_of(events)] == ["message", "function_call"]
    indexes = [event.body["output_index"] for event in events if "output_index" in event.body]
    assert sorted(set(map(str, indexes))) == ["0", "1"]
    assert joined_text(events) == "Words"


@pytest.mark.asyncio
async def test_text_passes_before_the_round_is_over() -> None:
    """S1-21, S4-07: the first delta reaches the caller while the model still writes."""
    events = await listen(round_of(message(0, "Hello", " you")))
    assert [text_at(event.body, "delta") for event in events if event.type.endswith("delta")] == [
        "Hello",
        " you",
    ]


@pytest.mark.asyncio
async def test_a_round_without_calls_passes_as_it_came() -> None:
    """W-21: what the model said goes back to it verbatim."""
    bodies = round_of(message(0, "a ", "< b "), native(1, "ping"))
    events = await listen(bodies)
    assert events[-1].body is bodies[-1]
    assert [event.body["item"] for event in events if event.type == "response.output_item.done"] == output_of(
        events
    )


@pytest.mark.asyncio
async def test_a_models_own_calls_come_first() -> None:
    """S1-09, S1-10: some servers make the call and leave its text standing; it must run once."""
    events = await listen(round_of(message(0, f"Now {CALL}"), native(1, "count")))
    assert joined_text(events) == "Now"
    assert [text_at(item, "call_id") for item in output_of(events)] == ["", "call_native"]


@pytest.mark.asyncio
async def test_every_call_of_every_round_has_an_id_of_its_own() -> None:
    """W-30: equal ids in two rounds made outputs answer the wrong call."""
    events = [*await listen(round_of(message(0, CALL + CALL)))]
    model = TextCallModel(Script(round_of(message(0, CALL))), tells_tools=False)
    more = [
        *await read_round(model, model_request(tools=[COUNT])),
        *await read_round(model, model_request(tools=[COUNT])),
    ]
    ids = [
        text_at(object_at(event.body, "item"), "call_id")
        for event in (*events, *more)
        if event.type == "response.output_item.done"
    ]
    assert len(set(ids)) == len(ids) == 4


@pytest.mark.asyncio
async def test_nothing_is_read_where_nothing_may_be_called() -> None:
    """The closing round of the loop allows no call; a text about calls is then a text."""
    assert joined_text(await listen(round_of(message(0, CALL)), tool_choice="none")) == CALL
    events = await read_round(
        TextCallModel(Script(round_of(message(0, CALL))), tells_tools=False), model_request()
    )
    assert joined_text(events) == CALL


@pytest.mark.asyncio
async def test_a_provider_that_sends_no_deltas_is_read_too() -> None:
    """Some send a message whole."""
    whole = [body for body in message(0, "Words ", CALL) if not text_at(body, "type").endswith("text.delta")]
    events = await listen(round_of(whole))
    assert joined_text(events) == "Words"
    assert output_of(events)[-1] == COUNTED
    only_item = [body for body in whole if text_at(body, "type").startswith("response.output_item")]
    assert joined_text(await listen(round_of(only_item))) == "Words"


@pytest.mark.asyncio
async def test_a_text_that_broke_off_amid_a_call_is_told_as_it_is() -> None:
    """S1-10: half a call is no call, and what was said is not lost."""
    events = await listen(round_of(message(0, "Words <function=count>")[:3], ending="incomplete"))
    assert joined_text(events) == "Words <function=count>"
    assert kinds(events)[-1] == "incomplete"


@pytest.mark.asyncio
async def test_calls_of_an_answer_that_was_cut_are_not_made() -> None:
    """W-22: an answer that broke off may have meant more."""
    events = await listen(round_of(message(0, f"Words {CALL} and"), ending="incomplete"))
    assert [item["type"] for item in output_of(events)] == ["message"]


@pytest.mark.asyncio
async def test_a_provider_whose_ending_has_no_items_is_given_them() -> None:
    """The loop takes the items of a round from its ending."""
    bodies = round_of(message(0, f"Words {CALL}"))
    bodies[-1] = {"type": "response.completed", "response": {"status": "completed", "output": []}}
    assert [item["type"] for item in output_of(await listen(bodies))] == ["message", "function_call"]


@pytest.mark.asyncio
async def test_refusals_and_images_in_a_message_pass() -> None:
    """Only texts are read for calls."""
    begun = MessageEvents("msg_0", 0).begin_message()[0]
    refusal: JsonObject = {"type": "refusal", "refusal": "No."}
    item: Item = {**object_at(begun, "item"), "status": "completed", "content": [refusal]}
    bodies = round_of(
        [
            begun,
            {"type": "response.refusal.delta", "output_index": 0, "content_index": 0, "delta": "No."},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
        ]
    )
    events = await listen(bodies)
    assert [event.body for event in events] == bodies


@pytest.mark.asyncio
async def test_hanging_up_reaches_the_provider() -> None:
    """Stop has to close the provider's stream, or tokens are paid for nobody."""
    inner = Script(round_of(message(0, "a", "b")))
    stream = TextCallModel(inner, tells_tools=False).stream_round(model_request(tools=[PING]))
    await anext(stream)
    await stream.aclose()
    assert inner.is_closed


@pytest.mark.asyncio
async def test_a_model_without_function_calling_is_told_its_tools_and_its_calls_are_made() -> None:
    """S1-10, S1-21: tools for models that have none, told in words and called in words."""
    inner = Script(round_of(message(0, CALL)))
    model = TextCallModel(inner, tells_tools=True)
    events = await read_round(model, model_request(message_item("user", "Count"), tools=[COUNT]))
    assert [text_at(item, "name") for item in output_of(events)] == ["count"]
    assert inner.requests[0].tools == ()
    assert "<function=NAME>" in str(inner.requests[0].instructions)
