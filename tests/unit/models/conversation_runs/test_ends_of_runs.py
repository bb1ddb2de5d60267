"""Runs whose end cannot be stored: the conversation is free, and whoever waits hears why."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import pytest

from bridge.errors import BridgeError, ErrorCode
from bridge.homes import user_elsewhere
from bridge.models.conversations.conversation import Conversation, Message, Run
from tests.support.models.conversation_harness import CHAT, ConversationHarness, scripted
from tests.support.models.turn_harness import call, round_of, text
from tests.support.stores.memory_conversations import MemoryConversations, UniqueViolation

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

WITH_TOOL = (round_of(call("a")), round_of(text("Done.")))


@dataclass
class FailingConversations(MemoryConversations):
    """Fails from one write on, for a number of writes."""

    fails_at: int = 0
    times: int = 1
    failure: Callable[[], Exception] = RuntimeError
    writes: int = 0

    async def save_conversation(
        self, conversation: Conversation, messages: Sequence[Message] = (), gone: Collection[str] = ()
    ) -> None:
        self.writes += 1
        if self.fails_at <= self.writes < self.fails_at + self.times:
            raise self.failure()
        await super().save_conversation(conversation, messages, gone)


def failing(fails_at: int, failure: Callable[[], Exception], times: int = 1000) -> FailingConversations:
    return FailingConversations({CHAT.id: CHAT}, {}, fails_at, times, failure)


async def count_writes() -> int:
    store = failing(0, RuntimeError, times=0)
    assert (await ConversationHarness(store, scripted(*WITH_TOOL), ["a"]).ask()).state == "completed"
    return store.writes


async def test_an_unexpected_failure_of_any_write_ends_the_run_and_frees_the_conversation(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Finding R-1: no exception skips the release of the lock or the end of the feed, at whichever write."""
    writes = await count_writes()
    assert writes >= 4  # the question, the call, its output, the answer and the end
    for fails_at in range(2, writes + 1):
        for times in (1, 1000):
            store = failing(fails_at, lambda: UniqueViolation("conversation_messages_in_order"), times)
            harness = ConversationHarness(store, scripted(*WITH_TOOL), ["a"])
            end = await harness.ask()
            assert end.state == "failed", (fails_at, times)
            assert end.error is not None
            assert end.error.code is ErrorCode.INTERNAL
            assert not harness.has_run()
            await harness.tasks.close()
    assert "UniqueViolation" in caplog.text


async def test_a_question_that_cannot_be_stored_frees_the_conversation() -> None:
    """Finding R-1: the run was entered before, and had to be left."""
    harness = ConversationHarness(failing(1, RuntimeError), scripted())
    with pytest.raises(RuntimeError):
        await harness.ask()
    assert not harness.has_run()


@pytest.mark.parametrize("fails_at", [2, 3, 4, 5])
async def test_a_caller_whose_user_is_elsewhere_hears_so_at_once(fails_at: int) -> None:
    """Finding R-1: from whichever write on: the new home has ended the run, and nothing is tried again."""
    store = failing(fails_at, user_elsewhere)
    harness = ConversationHarness(store, scripted(*WITH_TOOL), ["a"])
    end = await harness.ask()
    assert (end.state, end.error and end.error.code) == ("failed", ErrorCode.REPLICA_LOST)
    assert end.error is not None
    assert not end.error.retryable  # its calls may have been performed
    assert store.writes <= 5
    assert not harness.has_run()


async def test_an_end_that_is_stored_late_is_told() -> None:
    """Finding R-1: a database that is away for a moment still costs nothing."""
    away = BridgeError(ErrorCode.DATABASE_UNAVAILABLE, "Away.")
    harness = ConversationHarness(failing(5, lambda: away, times=2), scripted(*WITH_TOOL), ["a"])
    assert (await harness.ask()).state == "completed"
    assert not harness.has_run()


async def test_a_run_that_cannot_be_gone_on_with_nor_ended_is_left() -> None:
    """Finding R-1: the next home that takes a run up fails at its end, too, and frees the conversation."""
    moving = replace(CHAT, run=Run("run-1", "running", is_moving=True), head_id="lost")
    store = FailingConversations({CHAT.id: moving}, {}, fails_at=2, times=1000)
    harness = ConversationHarness(store, scripted())
    await harness.runs.take_over_left("ann")
    run = harness.runs.locks.run_of(CHAT.id)
    assert run is not None
    await run.ended.wait()
    assert not harness.has_run()
    await harness.tasks.close()


async def test_a_run_that_ends_while_it_is_read_has_its_own_end() -> None:
    """The API reported `failed` for a moment: the row said `running`, and no task ran it."""
    store = failing(0, RuntimeError, times=0)
    harness = ConversationHarness(store, scripted(round_of(text("Hi."))))
    await harness.ask()
    ended = await harness.runs.require_conversation("ann", CHAT.id)
    assert ended.run is not None
    seen = replace(ended, run=replace(ended.run, state="running"))
    assert await harness.runs.look_at_run(seen) == ended.run


async def test_a_run_that_a_process_left_behind_has_failed() -> None:
    """Until it is settled it is stored as running."""
    left = replace(CHAT, run=Run("run-1", "running"))
    harness = ConversationHarness(MemoryConversations({CHAT.id: left}, {}), scripted())
    assert await harness.runs.look_at_run(left) == Run("run-1", "failed")
