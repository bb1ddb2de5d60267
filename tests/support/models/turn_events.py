"""Turns as scripts: what the loop would tell of a model that says this and calls that."""

from collections.abc import Iterable, Iterator

from bridge.models.agent.item_events import MessageEvents, call_events, call_item
from bridge.models.agent.items import Item, ModelCall, model_call
from bridge.models.agent.model import ModelEvent
from bridge.models.agent.turn import CallEnded, CallFile, CallStarted, ModelOutput, TurnEvent, TurnResult
from toolserver.json_types import JsonObject


def round_of(number: int, *parts: list[ModelOutput]) -> list[ModelOutput]:
    """One round, from its beginning to its ending."""
    bare: JsonObject = {"id": f"resp_{number}", "output": []}
    return [
        model_output(number, {"type": "response.created", "response": bare}),
        model_output(number, {"type": "response.in_progress", "response": bare}),
        *(said for part in parts for said in part),
        model_output(number, {"type": "response.completed", "response": bare}),
    ]


def model_output(number: int, body: JsonObject, *, is_own: bool = False) -> ModelOutput:
    return ModelOutput(number, ModelEvent(body), is_own)


def text(number: int, index: int, *deltas: str) -> list[ModelOutput]:
    """A message in these deltas."""
    message = MessageEvents(f"msg_{number}_{index}", index)
    bodies = [
        *message.begin_message(),
        *(message.add_text(delta) for delta in deltas),
        *message.finish_message(),
    ]
    return [model_output(number, body) for body in bodies]


def reasoning(number: int, index: int, *parts: str) -> list[ModelOutput]:
    """A reasoning item with a summary in parts, each in one delta."""
    item: Item = {"id": f"rs_{number}_{index}", "type": "reasoning", "summary": []}
    place: JsonObject = {"item_id": f"rs_{number}_{index}", "output_index": index}
    done: Item = {**item, "summary": [{"type": "summary_text", "text": part} for part in parts]}
    return [
        model_output(number, {"type": "response.output_item.added", "output_index": index, "item": item}),
        *(
            model_output(
                number,
                {
                    "type": "response.reasoning_summary_text.delta",
                    **place,
                    "summary_index": at,
                    "delta": part,
                },
            )
            for at, part in enumerate(parts)
        ),
        model_output(number, {"type": "response.output_item.done", "output_index": index, "item": done}),
    ]


def call(call_id: str, name: str = "get_pet", arguments: str = "{}") -> ModelCall:
    made = model_call(call_item(f"fc_{call_id}", call_id, name, arguments))
    assert made
    return made


def call_request_events(number: int, index: int, made: ModelCall, *, is_own: bool) -> list[ModelOutput]:
    """The model asks for a call."""
    return [model_output(number, body, is_own=is_own) for body in call_events(made.item, index)]


def output(made: ModelCall, said: str) -> Item:
    return {
        "type": "function_call_output",
        "id": f"fco_{made.call_id}",
        "status": "completed",
        "call_id": made.call_id,
        "output": said,
    }


def call_run_events(made: ModelCall, said: str, *, files: tuple[CallFile, ...] = ()) -> list[TurnEvent]:
    """The bridge ran a call."""
    started = CallStarted(made, made.name.replace("_", " ").title())
    return [started, CallEnded(made, output(made, said), has_succeeded=True, files=files)]


def result(
    status: str = "completed",
    *,
    caller_calls: Iterable[ModelCall] = (),
    usage: JsonObject | None = None,
    **response: JsonObject | str,
) -> TurnResult:
    """How a turn ended; what was said is in its events."""
    assert status in ("completed", "incomplete", "failed")
    return TurnResult(
        status=status,
        output=(),
        caller_calls=tuple(caller_calls),
        own_call_ids=frozenset(),
        usage=usage or {},
        response={**response},
    )


def a_turn_with_a_call() -> Iterator[TurnEvent]:
    """Two rounds: a sentence and a call of the bridge's, then the answer."""
    own = call("call_1", "get_weather", '{"location": "SF"}')
    yield from round_of(
        0, text(0, 0, "Looking up ", "the weather… "), call_request_events(0, 1, own, is_own=True)
    )
    yield from call_run_events(own, '{"temp_c": 22}')
    yield from round_of(1, text(1, 0, "The weather is 22°C. ", "Done."))
