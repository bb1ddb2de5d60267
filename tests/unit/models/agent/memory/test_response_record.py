"""When the beginning of a response is kept."""

from __future__ import annotations

import pytest

from bridge.models.agent.memory.recorder import Memory
from bridge.models.agent.memory.response_record import ResponseRecord
from bridge.models.agent.model import ModelEvent
from bridge.models.agent.turn import ModelOutput, Settled, TurnEvent, TurnRequest
from bridge.models.stored_items.items import StoredResponse
from bridge.models.stored_items.ulid import Ulids
from tests.support.models.turn_harness import user
from tests.support.stores.memory_item_store import MemoryItemStore

pytestmark = pytest.mark.asyncio

REQUEST = TurnRequest("ann", "resp_1", "m", (user("Hello"),))
STORED = StoredResponse("resp_1", "ann", "m", "in_progress", {}, {}, 1.0)


def _said(kind: str) -> ModelOutput:
    return ModelOutput(0, ModelEvent({"type": kind, "output_index": 0}), is_own_call=False)


async def test_the_first_word_does_not_wait_until_the_beginning_is_kept() -> None:
    """And what comes after it finds it kept, so that a killed bridge knows of the answer."""
    store = MemoryItemStore()
    memory = Memory(store, Ulids(lambda: 1.0, lambda _bits: 0), lambda: 1.0)
    record = ResponseRecord(memory, STORED, later=REQUEST)
    kept_when_told: list[bool] = []

    async def emit(_event: TurnEvent) -> None:
        kept_when_told.append(await store.find_response("ann", "resp_1") is not None)

    told = record.emit_after_start(emit)
    for kind in ("response.created", "response.output_item.added", "response.output_text.delta"):
        await told(_said(kind))
    await told(_said("response.output_text.delta"))

    assert kept_when_told == [False, False, False, True]
    assert [item.payload for item in await store.read_chain("ann", "resp_1")] == [user("Hello")]


async def test_a_round_without_a_word_is_kept_before_its_calls_run() -> None:
    """Its end comes before them."""
    store = MemoryItemStore()
    memory = Memory(store, Ulids(lambda: 1.0, lambda _bits: 0), lambda: 1.0)
    record = ResponseRecord(memory, STORED, later=REQUEST)

    async def emit(_event: TurnEvent) -> None:
        pass

    await record.emit_after_start(emit)(Settled((), {}))

    assert record.is_stored
