"""Unsafe calls of replicas in PostgreSQL: what is written under a claim that is over is not written."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import pytest_asyncio
from sqlalchemy import URL

from bridge.calls.endings import replica_lost
from bridge.calls.fenced_journal import LeftCall
from bridge.calls.outcome import CallOutcome
from bridge.calls.state_machine import CallPhase, CallState
from bridge.errors import BridgeError, ErrorCode
from bridge.homes import Home
from bridge.models.conversations.conversation import Conversation, Run
from bridge.models.stored_items.items import StoredItem, StoredResponse
from bridge.storage.call_journal import REPEATABLE_SECONDS, CallJournal
from bridge.storage.chat.conversations import ConversationTables
from bridge.storage.chat.items import ItemTables
from bridge.storage.database import open_database
from bridge.storage.replicas.fenced_calls import FencedCalls
from bridge.storage.replicas.homes import HomeTable
from bridge.storage.replicas.left_work import LeftWork, LeftWorkTable
from bridge.storage.store import Store, StoreHooks
from bridge.storage.users import User, UserTables
from tests.support.calls.journal_harness import open_call
from tests.support.stores.databases import execute
from tests.support.stores.postgresql import PostgresServer

pytestmark = pytest.mark.asyncio


@dataclass(frozen=True)
class Scene:
    """A user who is at home in replica a."""

    where: URL
    store: Store
    calls: FencedCalls
    homes: HomeTable
    ann: User
    home: Home
    fenced: list[None]
    """One for each write that the database refused."""

    async def claim(self, replica: str) -> Home:
        return await self.homes.claim_home(self.ann.id, replica, self.home)

    async def open(self, call_id: str, *, may_begin: bool = True) -> bool:
        call = open_call(self.ann, call_id, opened_at=time.time())
        return await self.calls.write_call(call, self.home.epoch, may_begin=may_begin)

    async def end(self, call_id: str) -> bool:
        ended = open_call(self.ann, call_id, phase=CallPhase.SUCCEEDED, opened_at=time.time())
        return await self.calls.write_call(ended, self.home.epoch, may_begin=True)

    async def find_left(self, home: Home) -> LeftWork:
        return await LeftWorkTable(self.store.fenced_sessions).find_left(self.ann.id, home.epoch)

    async def state_of(self, call_id: str) -> CallState | None:
        known = await self.calls.find_known(call_id)
        return None if known is None or known.outcome is None else known.outcome.state


@pytest.fixture
def where(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database() as url:
        yield url


@pytest_asyncio.fixture
async def scene(where: URL) -> AsyncIterator[Scene]:
    fenced: list[None] = []
    hooks = StoreHooks(epoch_of=lambda _: home.epoch, on_fence=lambda: fenced.append(None))
    store = Store(open_database(where), hooks)
    homes = HomeTable(store.fenced_sessions)
    ann = await UserTables(store).ensure_user("ann")
    home = await homes.claim_home(ann.id, "a", None)
    yield Scene(where, store, FencedCalls(store.fenced_sessions), homes, ann, home, fenced)
    await store.close()


async def test_calls_are_written_by_the_home_of_their_user(scene: Scene) -> None:
    """Opening, go and ending are one row."""
    assert await scene.open("c1", may_begin=False)
    assert await scene.open("c1")
    assert await scene.end("c1")
    assert await scene.state_of("c1") is CallState.SUCCEEDED


async def test_nothing_is_opened_under_a_claim_that_is_over(scene: Scene) -> None:
    """A replica that comes back from a freeze must not send a call of a user who is elsewhere (33)."""
    await scene.claim("b")
    assert not await scene.open("c1")
    assert await scene.calls.find_known("c1") is None


async def test_a_call_that_the_database_refuses_is_counted_for_operators(scene: Scene) -> None:
    """Calls have sessions of their own, which have to tell of it, too."""
    await scene.claim("b")
    assert not await scene.open("c1")
    assert scene.fenced


async def test_no_ending_is_written_under_a_claim_that_is_over(scene: Scene) -> None:
    """The new home decides how the call ended; an ending that comes from the old one changes nothing."""
    await scene.open("c1")
    new = await scene.claim("b")
    assert not await scene.end("c1")
    assert await scene.state_of("c1") is None

    doubt = CallOutcome("c1", CallState.OUTCOME_UNKNOWN, None, replica_lost(is_unsent=False))
    assert await scene.calls.end_left(scene.ann.id, new.epoch, doubt)
    assert not await scene.end("c1")
    assert await scene.state_of("c1") is CallState.OUTCOME_UNKNOWN


async def test_a_call_that_has_ended_is_not_ended_again(scene: Scene) -> None:
    """Of two endings the first one is kept, whoever brings the second."""
    await scene.open("c1")
    assert await scene.end("c1")
    new = await scene.claim("b")
    doubt = CallOutcome("c1", CallState.OUTCOME_UNKNOWN, None, replica_lost(is_unsent=False))
    assert not await scene.calls.end_left(scene.ann.id, new.epoch, doubt)
    assert await scene.state_of("c1") is CallState.SUCCEEDED


async def test_an_opening_is_seen_by_the_next_home_or_refused(scene: Scene) -> None:
    """Both at once: never is a call opened that the one who claims the user cannot see."""
    for number in range(30):
        opening = asyncio.create_task(scene.open(f"c{number}"))
        new = await scene.claim("b")
        left = await scene.calls.list_left(scene.ann.id, new.epoch)
        assert (LeftCall(f"c{number}", may_begin=True) in left) == await opening
        back = await scene.homes.claim_home(scene.ann.id, "a", new)
        execute(scene.where, f"UPDATE homes SET epoch = {scene.home.epoch}, replica = 'a'")
        assert back.epoch > new.epoch


async def test_a_user_who_was_deleted_has_no_calls(scene: Scene) -> None:
    """Like a claim that is over: the call must not be sent."""
    execute(scene.where, "DELETE FROM users")
    assert not await scene.open("c1")


async def test_rows_of_others_are_written_where_one_claim_is_over(scene: Scene, tmp_path: Path) -> None:
    """A batch of the ordinary journal drops the row that is fenced, and no other (33)."""
    bob = await UserTables(scene.store).ensure_user("bob")
    bobs = await scene.homes.claim_home(bob.id, "a", None)
    await scene.claim("b")
    journal = CallJournal(scene.store, tmp_path)
    for user, call_id, epoch in ((scene.ann, "anns", scene.home.epoch), (bob, "bobs", bobs.epoch)):
        ended = open_call(user, call_id, safe=True, phase=CallPhase.SUCCEEDED)
        journal.record_ended(ended, may_begin=True, epoch=epoch)
    await journal.close_journal()
    assert await scene.calls.find_known("anns") is None
    assert await scene.state_of("bobs") is CallState.SUCCEEDED


async def test_items_responses_events_and_conversations_of_an_old_home_are_refused(scene: Scene) -> None:
    """A run that goes on in a replica that has lost its user changes nothing (33)."""
    items, conversations = ItemTables(scene.store), ConversationTables(scene.store)
    response = StoredResponse("r1", scene.ann.id, "demo", "in_progress", {"id": "r1"}, {}, 5.0)
    await items.save_response(response)
    chat = Conversation("conv-1", scene.ann.id, 1.0, 1.0)
    await conversations.add_conversation(chat)
    await scene.claim("b")
    item = StoredItem("i1", scene.ann.id, "r1", 0, "output", "demo", {"type": "message"}, 1.0)
    writes = (
        items.save_response(replace(response, status="completed")),
        items.add_events(scene.ann.id, "r1", 0, 1, b"frames"),
        items.add_items([item]),
        conversations.save_conversation(replace(chat, updated_at=2.0)),
    )
    for write in writes:
        with pytest.raises(BridgeError) as refused:
            await write
        assert refused.value.error.code is ErrorCode.REPLICA_LOST
    for table in ("kept_items", "kept_events"):
        assert execute(scene.where, f"SELECT * FROM {table}") == []
    assert execute(scene.where, "SELECT status FROM kept_responses") == [("in_progress",)]
    assert execute(scene.where, "SELECT updated_at FROM conversations") == [(1.0,)]


async def test_of_a_user_who_was_idle_nothing_is_left(scene: Scene) -> None:
    """Then a claim costs one question, and settling nothing."""
    new = await scene.claim("b")
    assert await scene.find_left(new) == LeftWork(False, False, False, False)


async def test_what_a_lost_home_has_left_is_told_by_its_kind(scene: Scene) -> None:
    """Each kind is settled by its own owner, who is asked only where there is some."""
    items, conversations = ItemTables(scene.store), ConversationTables(scene.store)
    response = StoredResponse("r1", scene.ann.id, "demo", "in_progress", {"id": "r1"}, {}, 5.0)
    chat = Conversation("conv-1", scene.ann.id, 1.0, 1.0, run=Run("run-1", "running"))
    await scene.open("c1")
    await items.save_response(response)
    await conversations.add_conversation(chat)
    new = await scene.claim("b")
    assert await scene.find_left(new) == LeftWork(True, False, True, True)


async def test_what_a_lost_home_would_delete_stays(scene: Scene) -> None:
    """A replica that comes back from a freeze changes nothing: it may have been about to undo a beginning."""
    items, conversations = ItemTables(scene.store), ConversationTables(scene.store)
    await items.save_response(StoredResponse("r1", scene.ann.id, "demo", "queued", {"id": "r1"}, {}, 5.0))
    await items.add_items([StoredItem("i1", scene.ann.id, "r1", 0, "output", "demo", {}, 5.0, None, None)])
    await conversations.add_conversation(Conversation("conv-1", scene.ann.id, 1.0, 1.0))
    await scene.claim("b")
    for deleting in (
        items.delete_response(scene.ann.id, "r1"),
        items.delete_items(scene.ann.id, ["i1"]),
        conversations.delete_conversation(scene.ann.id, "conv-1"),
    ):
        with pytest.raises(BridgeError) as refused:
            await deleting
        assert refused.value.error.code is ErrorCode.REPLICA_LOST
    assert await items.find_response(scene.ann.id, "r1") is not None
    assert list(await items.by_ids(scene.ann.id, ["i1"])) == ["i1"]
    assert await conversations.find_conversation(scene.ann.id, "conv-1") is not None


async def test_what_the_new_home_does_itself_is_not_left(scene: Scene) -> None:
    """A second look, after an error, must not end the calls that the new home has opened."""
    new = await scene.claim("b")
    call = open_call(scene.ann, "c1", opened_at=time.time())
    assert await scene.calls.write_call(call, new.epoch, may_begin=True)
    assert not (await scene.find_left(new)).has_calls


@pytest.mark.parametrize(
    ("change", "phase", "age_s", "is_repeatable"),
    [
        ("heard = NULL", CallPhase.SUCCEEDED, 0, True),
        ("heard = FALSE", CallPhase.SUCCEEDED, 0, True),
        ("heard = TRUE", CallPhase.SUCCEEDED, 0, False),
        ("heard = TRUE", CallPhase.OUTCOME_UNKNOWN, 0, True),
        ("digest = NULL", CallPhase.SUCCEEDED, 0, False),
        ("heard = NULL", CallPhase.SUCCEEDED, REPEATABLE_SECONDS, False),
    ],
)
async def test_calls_are_left_whose_repetition_would_be_recognized(
    scene: Scene, change: str, phase: CallPhase, age_s: float, is_repeatable: bool
) -> None:
    """Whose answer may not have been heard, or was that nobody knows."""
    ended = open_call(scene.ann, "c1", phase=phase, opened_at=time.time() - age_s)
    assert await scene.calls.write_call(ended, scene.home.epoch, may_begin=True)
    execute(scene.where, "UPDATE calls SET digest = 'd'")
    execute(scene.where, f"UPDATE calls SET {change}")
    assert (await scene.find_left(await scene.claim("b"))).has_repeatable is is_repeatable
