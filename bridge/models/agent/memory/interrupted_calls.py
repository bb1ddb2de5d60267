"""Outputs for calls that an interruption left without one: they tell the model what is known.

Receives the stored items of a response and the call journal's entries; returns an output for each call that
has none. A call is never run again here: the model reads what is known, and decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bridge.calls.ports import CallKnowledge, JournalEntry
from bridge.calls.state_machine import CallState
from bridge.models.agent.items import Item, ModelCall, answer_item, answered_call_id, call_id_of, model_call
from bridge.models.agent.memory.recorder import Memory, record_of
from bridge.models.agent.tools.callers_tools import CallersFunctions, callers_functions, distinct_tools
from bridge.models.agent.turn import CallEnded, TurnRequest
from bridge.models.stored_items.items import OWN_TYPES, StoredItem
from bridge.models.stored_items.store import ItemStore
from bridge.models.stored_items.ulid import derive_ulid

Interruption: TypeAlias = Literal["restarted", "stopped"]
"""Cause of the interruption: the bridge restarted, or somebody stopped the answer."""

_WHEN: Mapping[Interruption, str] = {
    "restarted": "the bridge was restarted",
    "stopped": "the answer was stopped",
}


def open_calls(items: Sequence[Item]) -> list[ModelCall]:
    """Return the function calls and tool searches among the items that have no output, in order."""
    answered = {answered_call_id(item) for item in items}
    calls = (model_call(item) for item in items)
    return [call for call in calls if call is not None and call.call_id not in answered]


def settle_interrupted(
    calls: Sequence[ModelCall], journal: Mapping[str, JournalEntry], by: Interruption = "restarted"
) -> list[CallEnded]:
    """Return how the calls ended; `journal`: entries by `call_id`, for calls that have one."""
    return [_ended(call, journal.get(call.call_id), _WHEN[by]) for call in calls]


def _ended(call: ModelCall, entry: JournalEntry | None, when: str) -> CallEnded:
    text = _unwritten(when) if entry is None else _written(entry, when)
    return CallEnded(call, answer_item(call, f"Interrupted: {text}"), has_succeeded=False)


def _unwritten(when: str) -> str:
    """Return the text for a call that the journal lacks: it records every changing call before its start."""
    return (
        f"{when} before this call had an answer. It had not started, or it only reads. You may call it again."
    )


def _written(entry: JournalEntry, when: str) -> str:
    match entry.state:
        case CallState.SUCCEEDED:
            status = f" (HTTP {entry.http_status})" if entry.http_status else ""
            return (
                f"this call was performed and succeeded{status}, but its answer was lost when {when}. "
                "Do not repeat it if it changes something; read the current state instead."
            )
        case CallState.OUTCOME_UNKNOWN:
            return (
                f"{when} while this call was running. It may or may not have been performed. "
                "Do not repeat it; find out by reading, or ask the user."
            )
        case CallState.DENIED:
            return f"the user denied this call before {when}. Nothing was sent."
        case CallState.FAILED if entry.http_status:
            status = f"HTTP {entry.http_status}"
            return f"the API answered this call with {status}, and the answer was lost when {when}."
        case _:
            return (
                f"this call got no answer before {when}. It changed nothing: it had not "
                "started, or it only reads. You may call it again."
            )


async def close_calls(
    memory: Memory, journal: CallKnowledge, request: TurnRequest, by: Interruption
) -> list[CallEnded]:
    """Store an output for each call of the bridge in this turn that has none.

    Raises:
        StoreUnavailable: nothing was stored.
    """
    turn = await read_turn(memory, request)
    mine = turn.stored
    calls = [call for call in open_calls(turn.items) if not turn.callers.runs_call(call)]
    if not calls:
        return []
    item_ids = {call_id_of(stored.payload): stored.id for stored in mine}
    since = min(stored.created_at for stored in mine)
    ended = settle_interrupted(
        calls, await journal.of_turn(request.user_id, request.turn_id, since=since), by
    )
    await memory.store.add_items(
        [
            record_of(
                memory,
                request,
                each.output,
                item_id=_closing_id(request.user_id, item_ids[each.call.call_id]),
                side="output",
                position=len(mine) + place,
            )
            for place, each in enumerate(ended)
        ]
    )
    return ended


async def find_closings(
    store: ItemStore, request: TurnRequest, found: Mapping[str, StoredItem]
) -> Mapping[str, StoredItem]:
    """Return the outputs that `close_calls` stored for calls among `found`, by the id of the call's item.

    No marker names them: the answer was over. Calls that have an output in the request are not looked up.

    Raises:
        StoreUnavailable: they cannot be read.
    """
    items = [*request.input, *(stored.payload for stored in found.values())]
    answered = set(map(answered_call_id, items))
    closing_ids = {
        item_id: _closing_id(request.user_id, item_id)
        for item_id, stored in found.items()
        if (call_id := call_id_of(stored.payload)) and call_id not in answered
    }
    if not closing_ids:
        return {}
    closings = await store.by_ids(request.user_id, list(closing_ids.values()))
    return {item_id: closings[each] for item_id, each in closing_ids.items() if each in closings}


def _closing_id(user_id: str, call_item_id: str) -> str:
    return derive_ulid(user_id, call_item_id, "output")


@dataclass(frozen=True, slots=True)
class InterruptedTurn:
    """The stored part of a turn that did not end."""

    stored: Sequence[StoredItem]
    """Its output, in order."""
    callers: CallersFunctions
    """What its caller runs."""

    @property
    def items(self) -> list[Item]:
        """The items of its output."""
        return [stored.payload for stored in self.stored]


async def read_turn(memory: Memory, request: TurnRequest) -> InterruptedTurn:
    """Return what is stored of a turn.

    Raises:
        StoreUnavailable: it cannot be read.
    """
    chain = await memory.store.read_chain(request.user_id, request.turn_id)
    output = [
        stored
        for stored in chain
        if stored.response_id == request.turn_id
        and stored.side == "output"
        and stored.payload.get("type") not in OWN_TYPES
    ]
    history = [*request.input, *(stored.payload for stored in chain)]
    return InterruptedTurn(output, callers_functions(distinct_tools(request.caller_tools), history))
