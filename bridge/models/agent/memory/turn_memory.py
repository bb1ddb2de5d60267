"""Memory of turns: finds the stored items that a turn continues from, and stores the turn when it has ended.

    recall_turn -> RecalledTurn -> [loop, with a Recorder] -> store_turn

Without a store that answers, turns run all the same, and say so.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from bridge.errors import BridgeError, ErrorCode
from bridge.item_types import WAITING_TYPE
from bridge.models.agent.call_pairs import made_call_id, pair_calls
from bridge.models.agent.items import Item, answered_call_id, call_id_of
from bridge.models.agent.loop.pending_turns import PendingRounds
from bridge.models.agent.memory.interrupted_calls import find_closings
from bridge.models.agent.memory.pruning import find_deletable, prune_outputs, with_reasoning
from bridge.models.agent.memory.recorder import Memory, Recorder
from bridge.models.agent.memory.replay import (
    Replayed,
    brought_calls,
    drop_copies,
    insert_replayed,
    marker_ids,
)
from bridge.models.agent.memory.replay_filter import select_replayable, without_searches
from bridge.models.agent.memory.unseen_images import without_unseen_images
from bridge.models.agent.request_fields import InvalidRequest
from bridge.models.agent.turn import Emit, TurnRequest, TurnResult
from bridge.models.stored_items.items import OWN_TYPES, StoredItem
from bridge.models.stored_items.markers import strip_markers
from bridge.models.stored_items.retention_preference import (
    AnswerRetention,
    MemoryChoice,
    MemoryChoices,
    narrow_settings,
)
from bridge.models.stored_items.store import StoreUnavailable
from bridge.models.stored_items.ulid import derive_ulid
from bridge.settings.chat.memory import MemorySettings
from toolserver.json_types import text_at

MAX_LOOKED_UP = 2_000
"""Maximum number of ids that one request may have looked up, newest first."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RecalledTurn:
    """A turn's request, and what is stored of earlier turns."""

    request: TurnRequest
    """The request as the caller sent it, except that its user may want nothing stored."""
    retention: AnswerRetention
    """The user's; while the choice is unknown, the bridge's."""
    input: tuple[Item, ...]
    """All that the model is to know, without markers."""
    earlier: Sequence[StoredItem] = ()
    """Items of the response that the request continues, and of those before it."""
    superfluous: Sequence[str] = ()
    """Ids of stored items that no turn needs any more."""
    is_lost: bool = False
    """Whether the store gave no answer."""
    has_answered: bool = False
    """Whether it gave one."""

    def build_request(self) -> TurnRequest:
        """Build the request that the loop runs."""
        instructions = self.request.instructions and strip_markers(self.request.instructions)
        return replace(self.request, input=self.input, instructions=instructions)


@dataclass(frozen=True, slots=True)
class _Found:
    """What the store has for a request."""

    earlier: Sequence[StoredItem] = ()
    marked: Mapping[str, StoredItem] = field(default_factory=dict[str, StoredItem])
    """Items that the markers of the request name, by id."""
    closings: Mapping[str, StoredItem] = field(default_factory=dict[str, StoredItem])
    """Outputs of such calls that were interrupted, by the id of the call's item."""
    is_lost: bool = False
    has_answered: bool = False
    """Whether the store was asked for any, and answered."""


class TurnMemory:
    """The memory of all users' turns."""

    def __init__(
        self,
        pending: PendingRounds,
        memory: Memory,
        settings: MemorySettings,
        choices: MemoryChoices,
        *,
        wait_s: Callable[[], float],
    ) -> None:
        """`wait_s`: how many seconds a turn waits for its user's retention preference."""
        self._pending = pending
        self._memory = memory
        self._settings = settings
        self._largest = narrow_settings(settings, MemoryChoice())
        self._choices = choices
        self._wait_s = wait_s

    async def retention_of(self, user_id: str) -> AnswerRetention:
        """Return the user's retention; while the choice is unknown, the bridge's."""
        return await self._chosen_retention(user_id) or self._largest

    async def recall_turn(
        self, request: TurnRequest, *, sees_images: bool, searches: bool = False
    ) -> RecalledTurn:
        """Find what a turn continues from. `sees_images`: whether its model does; `searches`: for tools.

        Raises:
            InvalidRequest: `previous_response_id` names no response of the user's, or an output no call.
            BridgeError: `database_unavailable`: the call of an output cannot be looked up.
        """
        known = await self._chosen_retention(request.user_id)
        retention = known or self._largest
        if not _stores(retention, request):
            request = replace(request, to_store="nothing")
        found = await self._find(request) if known else _Found(is_lost=True)
        items, superfluous = self._build_input(
            request, found, retention, sees_images=sees_images, searches=searches
        )
        return RecalledTurn(
            request, retention, items, found.earlier, superfluous, found.is_lost, found.has_answered
        )

    def open_recorder(self, recalled: RecalledTurn, emit: Emit) -> Recorder:
        """Create the recorder of a turn that is about to start; `emit`: to all observers."""
        memory, stores_reasoning = self._memory, recalled.retention.reasoning != "disabled"
        if stores_reasoning != memory.stores_reasoning:
            memory = replace(memory, stores_reasoning=stores_reasoning)
        return Recorder(
            memory,
            recalled.request,
            emit,
            is_lost=recalled.is_lost,
            has_answered=recalled.has_answered,
            first_position=_made_before(recalled.earlier, recalled.request.turn_id),
        )

    async def store_turn(self, recalled: RecalledTurn, result: TurnResult, *, is_lost: bool) -> TurnResult:
        """Store what later turns need of one that has ended; `is_lost`: some of it could not be stored."""
        request = recalled.request
        stores = _stores(recalled.retention, request) and request.options.get("store") is not False
        if result.caller_calls and stores:
            await self._store_pending(request, result)
        await self._delete(request, recalled.superfluous)
        return replace(result, is_stored=request.to_store != "nothing" and not is_lost)

    async def _chosen_retention(self, user_id: str) -> AnswerRetention | None:
        """Return the user's retention; None: the database does not say, so nothing may be stored."""
        if (known := self._choices.known_choice(user_id)) is not None:
            return narrow_settings(self._settings, known)
        try:
            async with asyncio.timeout(self._wait_s()):
                return narrow_settings(self._settings, await self._choices.choice_of_user(user_id))
        except (BridgeError, TimeoutError) as failure:
            _log.warning("cannot read what user %s wants stored: %s", user_id, failure)
            return None

    async def _find(self, request: TurnRequest) -> _Found:
        try:
            await self._load_pending(request)
            earlier = await self._chain(request)
            ids = [] if request.is_task else marker_ids(request.input, MAX_LOOKED_UP)
            found = await self._memory.store.by_ids(request.user_id, ids)
            closings = await find_closings(self._memory.store, request, found)
        except StoreUnavailable as failure:
            _log.warning("turn %s cannot read earlier turns: %s", request.turn_id, failure)
            return _Found(is_lost=True)
        if missing := len(ids) - len(found):
            _log.warning("turn %s: %d of %d stored items are missing", request.turn_id, missing, len(ids))
        return _Found(earlier, found, closings, has_answered=bool(ids or request.previous_response_id))

    async def _delete(self, request: TurnRequest, ids: Sequence[str]) -> None:
        """Delete items; what stays because the database is unavailable is deleted when it expires."""
        if ids and not request.is_task:
            try:
                await self._memory.store.delete_items(request.user_id, ids)
            except StoreUnavailable as failure:
                _log.warning(
                    "turn %s could not delete %d reasoning items: %s", request.turn_id, len(ids), failure
                )

    def _build_input(
        self,
        request: TurnRequest,
        found: _Found,
        retention: AnswerRetention,
        *,
        sees_images: bool,
        searches: bool,
    ) -> tuple[tuple[Item, ...], Sequence[str]]:
        """Return the items that the model reads, and ids of stored items to delete."""
        earlier = [Replayed(item.payload, item) for item in (*found.earlier, *request.history)]
        entries = [*earlier, *insert_replayed(request.input, found.marked, found.closings)]
        brought = brought_calls(entries)
        entries = drop_copies(entries)
        if not searches:
            entries = without_searches(entries)
        entries, halves = select_replayable(entries, request.model, brought)
        if halves:
            _log.warning("turn %s: %d stored items lack their call or output", request.turn_id, halves)
        superfluous = find_deletable(entries, retention.reasoning)
        entries = with_reasoning(entries, retention.reasoning)
        if not sees_images:
            entries = without_unseen_images(entries, request.model, from_open_webui=request.from_open_webui)
        items = [entry.item for entry in prune_outputs(entries, retention.tool_output_turns)]
        stored_calls = {call_id for entry in entries if entry.stored and (call_id := call_id_of(entry.item))}
        restored = self._pending.restore_input(request.user_id, items, stored_calls)
        _check_answers(request, restored, is_lost=found.is_lost)
        return pair_calls(restored), superfluous

    async def _chain(self, request: TurnRequest) -> Sequence[StoredItem]:
        previous = request.previous_response_id
        if previous is None:
            return ()
        if await self._memory.store.find_response(request.user_id, previous) is None:
            message = f"Previous response with id '{previous[:200]}' not found."
            raise InvalidRequest(message, param="previous_response_id", code="previous_response_not_found")
        stored = await self._memory.store.read_chain(request.user_id, previous)
        return [item for item in stored if item.payload.get("type") not in OWN_TYPES]

    async def _load_pending(self, request: TurnRequest) -> None:
        """Load turns that wait for their caller and are not in memory any more, after a restart or expiry."""
        named = [call_id_of(item) or answered_call_id(item) for item in reversed(request.input)]
        unknown = [each for each in named if each and not self._pending.has_call(request.user_id, each)]
        wanted = [derive_ulid(request.user_id, each) for each in dict.fromkeys(unknown[:MAX_LOOKED_UP])]
        if wanted:
            for stored in (await self._memory.store.by_ids(request.user_id, wanted)).values():
                if stored.payload.get("type") == WAITING_TYPE:
                    self._pending.put_turn(request.user_id, text_at(stored.payload, "turn").encode())

    async def _store_pending(self, request: TurnRequest, result: TurnResult) -> None:
        """Store a turn whose caller has calls to run: what the bridge ran in it must not run again."""
        call_id = result.caller_calls[0].call_id
        body = self._pending.find_turn(request.user_id, call_id)
        if body is None:
            return
        record = StoredItem(
            id=derive_ulid(request.user_id, call_id),
            user_id=request.user_id,
            response_id=request.turn_id,
            position=len(result.output),
            side="output",
            model=request.model,
            payload={"type": WAITING_TYPE, "turn": body.decode()},
            created_at=self._memory.now(),
            conversation_id=request.chat_id,
            message_id=request.message_id,
        )
        try:
            await self._memory.store.add_items([record])
        except StoreUnavailable as failure:
            _log.warning("turn %s awaits its caller in memory only: %s", request.turn_id, failure)


def _stores(retention: AnswerRetention, request: TurnRequest) -> bool:
    """Return whether anything of a turn may be stored."""
    return retention.stores_responses if request.is_response else retention.stores_chats


def _made_before(earlier: Sequence[StoredItem], turn_id: str) -> int:
    """Return how many output items another process has stored of the turn that is being resumed."""
    return sum(item.response_id == turn_id and item.side == "output" for item in earlier)


def _check_answers(request: TurnRequest, known: Sequence[Item], *, is_lost: bool) -> None:
    """Check that the outputs which a caller now sends answer calls that are known.

    Elsewhere in a chat, as where its beginning was cut off, an output without its call is left out.

    Raises:
        InvalidRequest: one answers none, so that the model would go on without it.
        BridgeError: `database_unavailable`: the call may be stored, but the store gave no answer.
    """
    latest = takewhile(bool, map(answered_call_id, reversed(request.input)))
    unknown = set(latest).difference(map(made_call_id, known))
    if unknown and is_lost:
        message = f"The call {min(unknown)[:200]} of an output cannot be looked up now. Try again."
        raise BridgeError(ErrorCode.DATABASE_UNAVAILABLE, message, retryable=True)
    if unknown:
        message = f"No tool call found for function call output with call_id {min(unknown)[:200]}."
        param = "input" if request.is_response else "messages"
        raise InvalidRequest(message, param=param, code="invalid_value")
