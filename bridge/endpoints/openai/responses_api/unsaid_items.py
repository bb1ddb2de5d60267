"""Items that a lost process stored, and not their events: what resumes the response sends these again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bridge.models.agent.items import Item, answered_call_id, model_call
from bridge.models.agent.memory.response_record import count_settled
from bridge.models.agent.model import ModelEvent
from bridge.models.agent.tools.callers_tools import CallersFunctions
from bridge.models.agent.turn import CallEnded, ModelOutput, Settled, TurnEvent
from toolserver.json_types import JsonObject

_EARLIER_ROUND = -1
"""Number of the round of these items: of none that this process asks for."""


def select_unsaid(items: Sequence[Item], settled: int) -> Sequence[Item]:
    """Return the items after the first `settled`, as `Progress.settled` counts them."""
    if not settled:
        return items
    counted = [place for place, item in enumerate(items) if count_settled([item])]
    return items[counted[settled - 1] + 1 :] if settled <= len(counted) else ()


def build_events(
    items: Sequence[Item], unsaid: Sequence[Item], closed: Mapping[str, CallEnded], callers: CallersFunctions
) -> Iterator[TurnEvent]:
    """Yield the events of the last of a turn's items, and that they are settled.

    `closed`: calls that got their output just now, by id; those of others are told as having succeeded.
    """
    calls = {call.call_id: call for call in map(model_call, items) if call is not None}
    for index, item in enumerate(unsaid):
        call_id = answered_call_id(item)
        if not call_id:
            call = model_call(item)
            yield from _build_outputs(item, index, is_own=call is not None and not callers.runs_call(call))
        elif call_id in closed:
            yield closed[call_id]
        elif call_id in calls:
            yield CallEnded(calls[call_id], item, has_succeeded=True)
    if unsaid:
        yield Settled(tuple(unsaid))


def _build_outputs(item: Item, index: int, *, is_own: bool) -> Iterator[TurnEvent]:
    begun: Item = {**item, "status": "in_progress"}
    if "content" in item:
        begun["content"] = []
    for kind, shown in (("added", begun), ("done", item)):
        body: JsonObject = {"type": f"response.output_item.{kind}", "output_index": index, "item": shown}
        yield ModelOutput(_EARLIER_ROUND, ModelEvent(body), is_own)
