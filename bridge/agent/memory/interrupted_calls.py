"""Calls that were under way when their answer ended early: what is known of them, in words for the model.

Receives the items that were kept of a response and what the journal says; gives an output for each call that
has none. A call is never run again here: the model is told what is known, and decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from bridge.agent.items import Item, ModelCall, answered_call_id, model_call, output_item
from bridge.agent.memory.recorder import Memory, record_of
from bridge.agent.tools.engine_toolbox import distinct_tools, function_names
from bridge.agent.turn import CallEnded, TurnRequest
from bridge.calls.ports import CallKnowledge, JournalEntry
from bridge.calls.state_machine import CallState
from bridge.stored_items.items import OWN_TYPES, StoredItem

Interruption: TypeAlias = Literal["restarted", "stopped"]
"""What ended the answer: the bridge died under it, or somebody did not want it any more."""

_WHEN: Mapping[Interruption, str] = {
    "restarted": "the bridge was restarted",
    "stopped": "the answer was stopped",
}


def open_calls(items: Sequence[Item]) -> list[ModelCall]:
    """The function calls among the items that have no output, in order."""
    answered = {answered_call_id(item) for item in items}
    calls = (model_call(item) for item in items)
    return [call for call in calls if call is not None and call.call_id not in answered]


def settle_interrupted(
    calls: Sequence[ModelCall], journal: Mapping[str, JournalEntry], by: Interruption = "restarted"
) -> list[CallEnded]:
    """How the calls ended; `journal`: entries by `call_id`, of calls that it has."""
    return [_ended(call, journal.get(call.call_id), _WHEN[by]) for call in calls]


def _ended(call: ModelCall, entry: JournalEntry | None, when: str) -> CallEnded:
    text = _unwritten(when) if entry is None else _written(entry, when)
    return CallEnded(call, output_item(call.call_id, f"Interrupted: {text}"), has_succeeded=False)


def _unwritten(when: str) -> str:
    """What may change something is written down before it is begun."""
    return (
        f"{when} before this call had an answer. It was not begun, or it only reads. You may call it again."
    )


def _written(entry: JournalEntry, when: str) -> str:
    match entry.state:
        case CallState.SUCCEEDED:
            status = f" (HTTP {entry.http_status})" if entry.http_status else ""
            return (
                f"this call was performed and succeeded{status}, but its answer was lost when {when}. "
                "Do not repeat it if it changes something; read the present state instead."
            )
        case CallState.OUTCOME_UNKNOWN:
            return (
                f"{when} while this call was under way. It may or may not have been performed. "
                "Do not repeat it; find out by reading, or ask the user."
            )
        case CallState.DENIED:
            return f"the user denied this call before {when}. Nothing was sent."
        case CallState.FAILED if entry.http_status:
            status = f"HTTP {entry.http_status}"
            return f"the API answered this call with {status}, and the answer was lost when {when}."
        case _:
            return (
                f"this call came to no answer before {when}. It changed nothing: it was not begun, or it "
                "only reads. You may call it again."
            )


async def close_calls(
    memory: Memory, journal: CallKnowledge, request: TurnRequest, by: Interruption
) -> list[CallEnded]:
    """Keep an output for each call of the bridge that has none in what is kept of this turn.

    Raises:
        StoreUnavailable: nothing was kept.
    """
    mine = await made_by(memory, request)
    calls = [call for call in open_calls([kept.payload for kept in mine]) if not is_callers(request, call)]
    if not calls:
        return []
    since = min(kept.created_at for kept in mine)
    ended = settle_interrupted(
        calls, await journal.of_turn(request.user_id, request.turn_id, since=since), by
    )
    await memory.store.add_items(
        [
            record_of(
                memory,
                request,
                each.output,
                item_id=memory.ulids.make_ulid(),
                side="output",
                position=len(mine) + place,
            )
            for place, each in enumerate(ended)
        ]
    )
    return ended


async def made_by(memory: Memory, request: TurnRequest) -> Sequence[StoredItem]:
    """What was kept of what a turn made, in order.

    Raises:
        StoreUnavailable: it cannot be read.
    """
    chain = await memory.store.read_chain(request.user_id, request.turn_id)
    return [
        kept
        for kept in chain
        if kept.response_id == request.turn_id
        and kept.side == "output"
        and kept.payload.get("type") not in OWN_TYPES
    ]


def is_callers(request: TurnRequest, call: ModelCall) -> bool:
    """Whether the caller runs the call."""
    return call.name in function_names(distinct_tools(request.caller_tools))
