"""Outputs for calls that an answer left open when it ended early, so that what is kept is a valid history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from bridge.agent.items import ModelCall
from bridge.agent.memory.interrupted_calls import Interruption, JournalEntry, interrupted, open_calls
from bridge.agent.memory.recorder import Memory, record_of
from bridge.agent.turn import CallEnded, TurnRequest
from bridge.stored_items.items import OWN_TYPES, KeptItem
from bridge.turns.caller_tools import distinct_tools, function_names


class CallKnowledge(Protocol):
    """The journal of calls, as it knows those of a turn."""

    async def of_turn(self, user_id: str, turn_id: str, *, since: float) -> Mapping[str, JournalEntry]:
        """What it has of the calls of a turn, by the model's `call_id`. `since`: the turn's beginning."""
        ...


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
    ended = interrupted(calls, await journal.of_turn(request.user_id, request.turn_id, since=since), by)
    await memory.store.add(
        [
            record_of(
                memory,
                request,
                each.output,
                item_id=memory.ulids.make(),
                side="output",
                position=len(mine) + place,
            )
            for place, each in enumerate(ended)
        ]
    )
    return ended


async def made_by(memory: Memory, request: TurnRequest) -> Sequence[KeptItem]:
    """What was kept of what a turn made, in order.

    Raises:
        StoreUnavailable: it cannot be read.
    """
    chain = await memory.store.chain(request.user_id, request.turn_id)
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
