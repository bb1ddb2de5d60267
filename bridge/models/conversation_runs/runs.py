"""Runs of conversations: one model turn each, in a task of its own that others can watch and stop.

A conversation that is not a valid history, because a bridge died with calls under way, is given the missing
outputs before it continues.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from bridge.calls.ports import CallKnowledge, JournalEntry
from bridge.calls.request import Asker
from bridge.errors import BridgeError, ErrorCode
from bridge.homes import EpochOf, no_epoch
from bridge.models.agent.items import message_text
from bridge.models.agent.memory.interrupted_calls import settle_interrupted
from bridge.models.agent.tools.engine_toolbox import Toolboxes
from bridge.models.agent.turn_runner import TurnRunner
from bridge.models.conversation_runs.context import RunContext, RunPlan
from bridge.models.conversation_runs.event_feed import EventFeed, EventFeeds
from bridge.models.conversation_runs.locks import ConversationLocks, LiveRun, RunEnd
from bridge.models.conversation_runs.plan import Planner, find_call
from bridge.models.conversation_runs.run import ConversationRun, RunServices
from bridge.models.conversations.attachments import Attachment, attachments_of
from bridge.models.conversations.branches import Branches
from bridge.models.conversations.conversation import Conversation, Message, Run, new_run_id, title_of
from bridge.models.conversations.local_messages import (
    check_room,
    find_unanswered,
    in_a_row,
    output_message,
    user_message,
)
from bridge.models.conversations.message_schema import message_json
from bridge.models.conversations.ports import ConversationStore
from bridge.models.providers.directory import UnknownModel
from bridge.models.providers.listed_models import ModelEntry
from bridge.models.providers.user_models import ModelServices
from bridge.tasks import log_failures, sleep_safely
from toolserver.json_types import JsonObject

STOP_S = 5.0
"""How long runs may take to store their state when the bridge stops, in seconds."""

MAX_RUNS_PER_USER = 20
"""Maximum number of concurrent runs per user; chosen."""

UNSTARTED_TRIES = 60
"""Maximum number of attempts, one a second, to end a run that was stored and did not start; chosen."""

MOVED_ASKER = Asker("a conversation", None)
"""Who asks for the calls of a run that goes on at another home: who began it is not stored, so that nothing
that was allowed for the chat holds for the rest of it."""


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    """A client's request for an answer."""

    asker: Asker
    content: str | None
    """Text of the user; None: answer the messages that are there already."""
    model: str | None = None
    parent_id: str | None = None
    """Id of the message to continue from; None: the head."""
    attachments: Sequence[Attachment] = ()


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run that has just started."""

    run: LiveRun
    context: RunContext
    user_message: JsonObject | None
    """The user's message in the API's form; None: the user said nothing."""


class ConversationRuns:
    """The runs of all users. All methods run on one event loop."""

    def __init__(
        self,
        store: ConversationStore,
        turns: TurnRunner,
        toolboxes: Toolboxes,
        journal: CallKnowledge,
        models: ModelServices,
        *,
        locks: ConversationLocks | None = None,
        epoch_of: EpochOf = no_epoch,
    ) -> None:
        """`epoch_of`: claim under which a user's conversations are written."""
        self._hold_for_user = models.hold_for_user
        self._store = store
        self._journal = journal
        self._models = models.models
        self._planner = Planner(toolboxes, models.settings_of)
        self._tasks = models.tasks
        self._is_stopping = False
        self.locks = locks or ConversationLocks()
        self.feeds = EventFeeds(epoch_of)
        self._services = RunServices(store, turns, journal, self.locks)

    async def begin_run(self, user_id: str, conversation_id: str, prompt: ChatPrompt) -> StartedRun:
        """Store the user's message and start to answer it.

        Raises:
            BridgeError: `not_found`, `conversation_busy`, `invalid_request`, `database_unavailable`,
                `server_busy`, `rate_limited`, `quota_exceeded`.
        """
        self._check_capacity(user_id)
        async with self.locks.lock_messages(conversation_id):
            conversation = await self.require_conversation(user_id, conversation_id)
            entry = await self._find_entry(user_id, prompt.model or conversation.settings.model)
            check_room(known := await self._store.list_messages(conversation_id))
            branches = Branches(known)
            leaf_id = _leaf_of(conversation, branches, prompt)
            said, files = prompt.content, prompt.attachments
            user_messages = [] if said is None else [user_message(conversation_id, said, time.time(), files)]
            path = branches.path_to(leaf_id)
            missing = await self._build_missing(conversation, path)
            added = in_a_row([*missing, *user_messages], leaf_id, branches.next_seq)
            path += added
            named = replace(_titled(conversation, user_messages), head_id=path[-1].id)
            return await self._launch(RunPlan(named, entry, known, added, path, prompt.asker))

    async def begin_retry(
        self, user_id: str, conversation_id: str, tool_call_id: str, asker: Asker
    ) -> StartedRun:
        """Repeat a finished call in a new branch, and let the model continue from there.

        Raises:
            BridgeError: as `begin_run`; `unknown_tool`, `no_browser`: it cannot be made now.
        """
        self._check_capacity(user_id)
        async with self.locks.lock_messages(conversation_id):
            conversation = await self.require_conversation(user_id, conversation_id)
            check_room(known := await self._store.list_messages(conversation_id))
            branches = Branches(known)
            calling, call = find_call(branches, conversation.head_id, tool_call_id)
            entry = await self._find_entry(user_id, calling.model or conversation.settings.model)
            path = branches.path_to(calling.id)
            return await self._launch(RunPlan(conversation, entry, known, (), path, asker, call))

    async def require_conversation(self, user_id: str, conversation_id: str) -> Conversation:
        """Return a conversation of a user.

        Raises:
            BridgeError: `not_found`, `database_unavailable`.
        """
        conversation = await self._store.find_conversation(user_id, conversation_id)
        if conversation is None:
            message = f"Conversation '{conversation_id[:200]}' not found."
            raise BridgeError(ErrorCode.NOT_FOUND, message)
        return conversation

    async def look_at_run(self, seen: Conversation) -> Run | None:
        """Return the run of a conversation that was just read; one that a process left behind has failed.

        Raises:
            BridgeError: `database_unavailable`.
        """
        if not self._seems_left(seen):
            return seen.run
        # It may have ended since: its end is stored before it leaves the locks.
        now = await self._store.find_conversation(seen.user_id, seen.id) or seen
        return replace(now.run, state="failed") if now.run and self._seems_left(now) else now.run

    def _seems_left(self, seen: Conversation) -> bool:
        run = seen.run
        return run is not None and run.state == "running" and self.locks.run_of(seen.id) is None

    async def stop_run(self, conversation_id: str) -> LiveRun | None:
        """Stop the run of a conversation and wait until it has ended; None: there was no run."""
        run = self.locks.run_of(conversation_id)
        if run is not None:
            run.request_stop("user")
            await run.ended.wait()
        return run

    async def stop_all(self) -> None:
        """Stop all runs because the bridge stops, wait up to `STOP_S`, then close the event feeds."""
        self._is_stopping = True
        await _stop_runs(self.locks.runs)
        self.feeds.close_all()

    async def stop_user(self, user_id: str) -> None:
        """Stop a user's runs because the user is at home elsewhere from now on; waits up to `STOP_S`.

        Then listeners are disconnected, who find the new home when they connect again.
        """
        await _stop_runs([run for run in self.locks.runs if run.user_id == user_id])
        self.feeds.close_user(user_id)

    def move_user(self, user_id: str) -> None:
        """Give a user's runs for which nobody waits here up after their present round, for the next home."""
        for run in self.locks.runs:
            run.is_to_move = run.is_to_move or (run.user_id == user_id and run.goes_on)

    async def take_over_left(self, user_id: str | None = None) -> int:
        """Go on with runs that a home gave up between two rounds, and end those that a process left behind.

        Returns how many were ended; they can be continued. `user_id`: None for those of all users.
        """
        ended = 0
        for conversation in await self._store.list_running(user_id):
            if conversation.run is not None and conversation.run.is_moving:
                await self._take_up(conversation, replace(conversation.run, is_moving=False))
            else:
                await self._end_left(conversation)
                ended += 1
        return ended

    async def _take_up(self, conversation: Conversation, run: Run) -> None:
        """Begin to go on with a run; if this process is killed, it is ended as any other."""
        present = replace(conversation, run=run)
        await self._store.advance_run(present)
        live = LiveRun(run.id, present.id, present.user_id, goes_on=True)
        self.locks.enter_run(live)
        live.task = self._tasks.start_task(self._go_on(present, live), f"run {live.id}")
        self._hold_for_user(live.task, live.user_id, partial(live.request_stop, "user"))

    async def _go_on(self, conversation: Conversation, live: LiveRun) -> None:
        """Do the rest of a run; what cannot be gone on with is ended."""
        execution = await log_failures(self._prepare_rest(conversation, live), f"Run {live.id}")
        if execution is not None:
            await execution.execute_run()
            return
        try:
            await log_failures(self._end_left(conversation), f"End of run {live.id}")
        finally:
            self.locks.leave_run(live, RunEnd("failed"))

    async def _prepare_rest(self, conversation: Conversation, live: LiveRun) -> ConversationRun:
        return self._prepare(await self._plan_rest(conversation, live.id), live)[1]

    async def _plan_rest(self, conversation: Conversation, run_id: str) -> RunContext:
        known = await self._store.list_messages(conversation.id)
        path = Branches(known).path_to(conversation.head_id)
        rounds = [message for message in path if message.run_id == run_id and message.role == "assistant"]
        named = rounds[-1].model if rounds else conversation.settings.model
        entry = await self._find_entry(conversation.user_id, named)
        rest = RunPlan(conversation, entry, known, (), path, MOVED_ASKER, rounds_before=len(rounds))
        return await self._planner.plan_run(rest, run_id)

    async def _end_left(self, conversation: Conversation) -> None:
        known = await self._store.list_messages(conversation.id)
        branches = Branches(known)
        missing = await self._build_missing(conversation, branches.path_to(conversation.head_id))
        closed = in_a_row(missing, conversation.head_id, branches.next_seq)
        run = Run(conversation.run.id, "failed") if conversation.run else None
        head_id = closed[-1].id if closed else conversation.head_id
        await self._store.advance_run(replace(conversation, run=run, head_id=head_id), closed)

    def _check_capacity(self, user_id: str) -> None:
        if self._is_stopping:
            raise BridgeError(ErrorCode.SERVER_BUSY, "The bridge is stopping.", retryable=True)
        if sum(run.user_id == user_id for run in self.locks.runs) >= MAX_RUNS_PER_USER:
            message = (
                f"{MAX_RUNS_PER_USER} of your conversations are already being answered, which is the limit. "
                "Wait for one to end, or stop one."
            )
            raise BridgeError(ErrorCode.RATE_LIMITED, message, retryable=True)

    async def _launch(self, plan: RunPlan) -> StartedRun:
        run = Run(new_run_id(), "running")
        present = replace(plan.conversation, updated_at=time.time(), run=run)
        live = LiveRun(run.id, present.id, present.user_id)
        self.locks.enter_run(live)
        try:
            context = await self._planner.plan_run(replace(plan, conversation=present), run.id)
            await self._save_start(present, plan.added)
            user_message, execution = self._prepare(context, live)
        except BaseException:
            self.locks.leave_run(live, RunEnd("failed"))
            raise
        live.task = self._tasks.start_task(execution.execute_run(), f"run {live.id}")
        return StartedRun(live, context, user_message)

    async def _save_start(self, present: Conversation, added: Sequence[Message]) -> None:
        try:
            await self._store.save_conversation(present, added)
        except BaseException:  # the database may have stored it, and not have come to say so
            name = f"start of {present.run.id if present.run else ''}"
            self._tasks.start_task(self._end_unstarted(present), name)
            raise

    async def _end_unstarted(self, conversation: Conversation) -> None:
        """End a run that did not start, if it is stored."""
        run = conversation.run
        for _ in range(UNSTARTED_TRIES):
            async with self.locks.lock_settings(conversation.id):
                with suppress(BridgeError):
                    found = await self._store.find_conversation(conversation.user_id, conversation.id)
                    if found is not None and run is not None and found.run == run:
                        await self._store.advance_run(replace(found, run=Run(run.id, "failed")))
                    return
            await sleep_safely(1.0)

    def _prepare(self, context: RunContext, live: LiveRun) -> tuple[JsonObject | None, ConversationRun]:
        """Announce a run; returns the user's message in the API's form, and the run to execute."""
        feed = self.feeds.open_feed(live.user_id, live.conversation_id)
        user_message = _announce_start(context, feed)
        return user_message, ConversationRun(context, live, self._services, feed)

    async def _build_missing(self, conversation: Conversation, path: Sequence[Message]) -> list[Message]:
        """Build the outputs that calls of a branch lack, from what the journal knows."""
        calls = find_unanswered(path)
        if not calls:
            return []
        since = min(message.created_at for message in path)
        known: dict[str, JournalEntry] = {}
        for run_id in {message.run_id for message in path if message.run_id}:
            known |= await self._journal.of_turn(conversation.user_id, run_id, since=since)
        ended = settle_interrupted(calls, known, "restarted")
        return [output_message(path[-1], each, time.time()) for each in ended]

    async def _find_entry(self, user_id: str, name: str | None) -> ModelEntry:
        """Return the model of a name; without a name, the first one listed."""
        if name is not None:
            try:
                return await self._models.find_model(user_id, name)
            except UnknownModel as error:
                raise _wrong("model", str(error)) from None
        entries = await self._models.list_models(user_id)
        if not entries:
            raise _wrong("model", "No model configured: no provider lists any model. Name one in 'model'.")
        return entries[0]


async def _stop_runs(runs: Sequence[LiveRun]) -> None:
    for run in runs:
        run.request_stop("bridge")
    with suppress(TimeoutError):  # the next process adds outputs for their calls
        async with asyncio.timeout(STOP_S):
            for run in runs:
                await run.ended.wait()


def _announce_start(context: RunContext, feed: EventFeed) -> JsonObject | None:
    """Send listeners the start of a run; returns the user's message in the API's form, if there is one."""
    branches, added = Branches(context.known), context.added
    messages = [message_json(message, branches) for message in added]
    user_message = messages[-1] if added and added[-1].role == "user" else None
    started: JsonObject = {
        "run_id": context.run_id,
        "model": context.turn.request.model,
        "user_message": user_message,
        "parent_id": context.head.id,
    }
    feed.mark_run_started()
    feed.emit_event("run_started", started)
    for message in messages:
        feed.emit_event("message", {"message": message})
    return user_message


def _leaf_of(conversation: Conversation, branches: Branches, prompt: ChatPrompt) -> str | None:
    """Return the id of the message that the run continues from."""
    if prompt.parent_id is not None and branches.get_message(prompt.parent_id) is None:
        excerpt = prompt.parent_id[:200]
        raise _wrong("parent_id", f"There is no message '{excerpt}' in this conversation.")
    leaf_id = prompt.parent_id or conversation.head_id
    if leaf_id is None and prompt.content is None:
        raise _wrong("content", "There is nothing to answer yet: send a message first.")
    return leaf_id


def _titled(conversation: Conversation, user_messages: Sequence[Message]) -> Conversation:
    if conversation.settings.title or not user_messages:
        return conversation
    files = [file.name for file in attachments_of(user_messages[0])]
    title = title_of(message_text(user_messages[0].items[0]) or ", ".join(files))
    return replace(conversation, settings=replace(conversation.settings, title=title))


def _wrong(field: str, message: str) -> BridgeError:
    return BridgeError(ErrorCode.INVALID_REQUEST, f"{field}: {message}", detail={"field": field})
