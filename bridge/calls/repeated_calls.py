"""Calls that a client sends again: never performed twice, and never swallowed (ruling 39).

Clients of MCP must send a call again when its stream broke, and may also mean two equal calls. What tells
them apart is whether the answer of the earlier one was heard. Twins are unsafe calls of one user and caller
with the same operation and equal arguments.

Without an idempotency key twins stand in one line; a request leaves it when its answer was heard, or can be
heard no more. Only the first of a line acts: it takes the ending of the oldest unheard call, or is performed.
With a key, the key alone decides.

Times are those of a clock that nobody sets. All methods run on one event loop.
"""

from __future__ import annotations

import asyncio
import json
import time
from bisect import insort
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from hashlib import blake2s
from typing import TypeAlias

from bridge.calls.open_call import Confirmation, OpenCall
from bridge.calls.outcome import CallOutcome
from bridge.calls.ports import RecordedCall, RepeatJournal
from bridge.calls.request import CallRequest, DoubtedCall, RepeatIdentity, RepeatKey
from bridge.calls.state_machine import CallState
from bridge.errors import BridgeError, ErrorCode
from toolserver.answer.result import TextBody

UNHEARD_S = 600.0
"""Seconds for which a twin takes the ending of an unheard call, and a doubted one makes it ask; also for
which answers are kept for twins."""

KEY_S = 24 * 3600.0
"""Seconds for which an idempotency key names its call."""

MAX_CALLS = 1_000
"""Maximum number of calls of one user that wait for twins, or may have some: a further one is refused,
because to forget one of them might perform it twice."""

KEPT_CHARS = 16 * 1024 * 1024
"""Maximum characters of one user's answers that are kept for twins; beyond it the oldest lose their text."""

SWEEP_S = 60.0
"""Seconds between two looks at what is too old, of all users."""

Run: TypeAlias = "Callable[[CallRequest], Awaitable[CallOutcome]]"


class IdempotencyKeyReused(BridgeError):
    """An idempotency key came with another call than the first time."""


@dataclass(slots=True, eq=False)
class _Call:
    """A call that was performed for a request, as long as another request may be the same call."""

    identity: RepeatIdentity
    opened_at: float
    """UTC seconds since 1970."""
    call_id: str = ""
    outcome: CallOutcome | None = None
    """None while it runs, and for one that was refused."""
    confirmation: Confirmation | None = None
    """Gives the ending as it may be told, where it must be stored before."""
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    until: float = float("inf")
    """When it is forgotten."""

    @property
    def kept_chars(self) -> int:
        answered = None if self.outcome is None else self.outcome.answered
        return len(answered.body.text) if answered and isinstance(answered.body, TextBody) else 0

    def drop_text(self) -> None:
        if self.outcome is not None:
            self.outcome = self.outcome.without_text()

    async def take_ending(self) -> CallOutcome | None:
        """Return its ending for another request than its own, once it may be told; None: it was refused."""
        if self.confirmation is not None:
            self.outcome = (await asyncio.shield(self.confirmation)).outcome
        return None if self.outcome is None else replace(self.outcome, joined_call_id=self.call_id)


@dataclass(slots=True, eq=False)
class _Place:
    """A request in the line of its twins."""

    user_id: str
    identity: RepeatIdentity
    line: _Line
    is_first: asyncio.Event = field(default_factory=asyncio.Event)
    call: _Call | None = None
    """The call whose ending the request is to hear."""
    has_ending: bool = False
    """Whether its answer may be on its way."""
    is_gone: bool = False
    """Whether nobody will hear its answer, though it still waits for one."""


@dataclass(slots=True)
class _Line:
    """What is known of calls that are twins of each other."""

    places: deque[_Place] = field(default_factory=deque["_Place"])
    unheard: list[_Call] = field(default_factory=list["_Call"])
    """Ended calls that were sent and whose answer nobody heard, the oldest first."""
    doubted: DoubtedCall | None = None
    """The last one that was heard to have an unknown outcome."""
    doubted_until: float = 0.0

    @property
    def size(self) -> int:
        return len(self.places) + len(self.unheard) + (self.doubted is not None)

    def forget_old(self, now: float) -> None:
        self.unheard = [call for call in self.unheard if call.until > now]
        if self.doubted_until <= now:
            self.doubted = None

    def wake_first(self) -> None:
        if self.places:
            self.places[0].is_first.set()


@dataclass(slots=True)
class _UserCalls:
    lines: dict[tuple[str, str], _Line] = field(default_factory=dict[tuple[str, str], _Line])
    """By caller and digest."""
    keyed: dict[tuple[str, str], _Call] = field(default_factory=dict[tuple[str, str], _Call])
    """By caller and digest of the key, the oldest first."""

    @property
    def size(self) -> int:
        return sum(line.size for line in self.lines.values()) + len(self.keyed)

    def forget_keyed(self, number: int) -> None:
        """Forget the oldest calls with a key that have ended, of which the journal knows."""
        ended = [name for name, call in self.keyed.items() if call.ended.is_set()]
        for name in ended[:number]:
            del self.keyed[name]

    def forget_old(self, now: float) -> None:
        for line in self.lines.values():
            line.forget_old(now)
        self.lines = {name: line for name, line in self.lines.items() if line.size}
        self.keyed = {name: call for name, call in self.keyed.items() if call.until > now}

    def forget_texts(self) -> None:
        """Drop the text of the oldest answers beyond `KEPT_CHARS`."""
        calls = [*self.keyed.values(), *(call for line in self.lines.values() for call in line.unheard)]
        kept = sum(call.kept_chars for call in calls)
        for call in sorted(calls, key=_age):
            if kept <= KEPT_CHARS:
                return
            kept -= call.kept_chars
            call.drop_text()


class RepeatedCalls:
    """Decides of each unsafe call whether it is performed, waits, or takes the ending of an earlier one."""

    def __init__(
        self, journal: RepeatJournal, secret: bytes, *, now: Callable[[], float] = time.monotonic
    ) -> None:
        """`secret` belongs to the data folder: without it digests tell nothing of arguments."""
        self._journal = journal
        self._secret = blake2s(secret, person=b"repeats").digest()
        self._now = now
        self._users: dict[str, _UserCalls] = {}
        self._places: dict[str, _Place] = {}
        """By request; until its answer was heard, or can be heard no more."""
        self._running: dict[str, _Call] = {}
        """By request: calls that are being performed."""
        self._swept_at = now()

    def restore_calls(self, calls: Iterable[RecordedCall]) -> None:
        """Take over what the journal knows, the oldest first, before the first request comes."""
        for recorded in calls:
            identity = RepeatIdentity("", recorded.caller, recorded.digest, None)
            line = self._line_of(recorded.user_id, identity)
            until = self._now() + recorded.heard_at + UNHEARD_S - time.time()
            outcome = recorded.outcome
            if not recorded.heard:
                line.unheard.append(_recorded_call(recorded, identity, until))
            else:
                line.doubted = DoubtedCall(outcome.call_id, recorded.opened_at)
                line.doubted_until = until

    def forget_user(self, user_id: str) -> None:
        """Forget a user's calls that have ended: they may be sent again elsewhere from now on."""
        if (calls := self._users.get(user_id)) is None:
            return
        for line in calls.lines.values():
            line.unheard, line.doubted = [], None
        calls.forget_keyed(len(calls.keyed))

    def note_move(self, call: OpenCall) -> None:
        """Note id and ending of a call (an observer of the dispatcher): whoever waits may be cancelled."""
        identity = call.request.repeat
        running = None if identity is None else self._running.get(identity.request_id)
        if running is not None:
            running.call_id, running.outcome = call.call_id, call.outcome
            running.confirmation = call.confirmation

    def note_delivery(self, request_id: str, *, heard: bool) -> None:
        """Note, once for each request, that its answer was written whole or that its connection was gone.

        `heard=False` may come while the call still runs. Other requests are ignored.
        """
        place = self._places.get(request_id)
        if place is None:
            return
        if place.has_ending:
            self._leave_line(place, heard=heard)
        else:
            place.is_gone = True

    async def run_once(self, request: CallRequest, repeat: RepeatKey, run: Run) -> CallOutcome:
        """Return the ending of an unsafe call: that of `run`, or of an earlier call that is the same.

        `run` gets the request with its identity, and perhaps a reason to ask its user. Cancelling cancels
        `run`, or the wait; other requests go on.

        Raises:
            IdempotencyKeyReused: the key came with another call before.
            BridgeError: `rate_limited`: too many calls of the user wait or were not heard; what `run` raises.
        """
        identity = self._identify(request, repeat)
        request = replace(request, repeat=identity)
        user_id = request.context.user_id
        self._make_room(user_id)
        if identity.key_digest is not None:
            return await self._run_keyed((identity.caller, identity.key_digest), request, run)
        line = self._line_of(user_id, identity)
        place = _Place(user_id, identity, line)
        self._places[identity.request_id] = place
        line.places.append(place)
        line.wake_first()
        try:
            outcome = await self._take_turn(place, request, run)
        except BaseException:
            self._leave_line(place, heard=False)
            raise
        place.has_ending = True
        if place.is_gone:
            self._leave_line(place, heard=False)
        return outcome

    async def _take_turn(self, place: _Place, request: CallRequest, run: Run) -> CallOutcome:
        """Wait until all earlier twins were heard or not; then take an ending, or perform the call."""
        await place.is_first.wait()
        line = place.line
        line.forget_old(self._now())
        if line.unheard:
            place.call = line.unheard.pop(0)
            ending = await place.call.take_ending()
            assert ending is not None
            return ending
        place.call = _Call(_identity_of(request), time.time())
        return await self._perform(place.call, replace(request, doubted=line.doubted), run)

    async def _perform(self, call: _Call, request: CallRequest, run: Run) -> CallOutcome:
        self._running[call.identity.request_id] = call
        try:
            return await run(request)
        finally:
            del self._running[call.identity.request_id]
            call.ended.set()

    async def _run_keyed(self, name: tuple[str, str], request: CallRequest, run: Run) -> CallOutcome:
        identity, user_id = _identity_of(request), request.context.user_id
        while (earlier := await self._find_keyed(user_id, *name)) is not None:
            if earlier.identity.digest != identity.digest:
                raise _key_reused()
            await earlier.ended.wait()
            if (ending := await earlier.take_ending()) is not None:
                return ending
        user = self._calls_of(user_id)
        call = user.keyed[name] = _Call(identity, time.time())
        try:
            return await self._perform(call, request, run)
        finally:
            call.until = self._now() + UNHEARD_S
            if call.outcome is None:  # refused: there is nothing that a twin could be told
                del user.keyed[name]
            user.forget_texts()

    async def _find_keyed(self, user_id: str, caller: str, key_digest: str) -> _Call | None:
        keyed = self._calls_of(user_id).keyed
        if (known := keyed.get((caller, key_digest))) is not None:
            return known
        recorded = await self._journal.find_keyed(user_id, caller, key_digest, within_s=KEY_S)
        known = self._calls_of(user_id).keyed.get((caller, key_digest))  # it may have come meanwhile
        if known is not None or recorded is None:
            return known
        return _recorded_call(recorded, RepeatIdentity("", caller, recorded.digest, key_digest), 0.0)

    def _leave_line(self, place: _Place, *, heard: bool) -> None:
        call, line = place.call, place.line
        del self._places[place.identity.request_id]
        line.places.remove(place)
        line.wake_first()
        if call is None or call.outcome is None or not call.outcome.was_sent:
            return
        self._journal.record_delivery(place.user_id, call.call_id, heard=heard)
        until = self._now() + UNHEARD_S
        if not heard:
            call.until = until
            insort(line.unheard, call, key=_age)
            self._users[place.user_id].forget_texts()
        elif call.outcome.state is CallState.OUTCOME_UNKNOWN:
            line.doubted, line.doubted_until = DoubtedCall(call.call_id, call.opened_at), until

    def _line_of(self, user_id: str, identity: RepeatIdentity) -> _Line:
        return self._calls_of(user_id).lines.setdefault((identity.caller, identity.digest), _Line())

    def _calls_of(self, user_id: str) -> _UserCalls:
        return self._users.setdefault(user_id, _UserCalls())

    def _make_room(self, user_id: str) -> None:
        now = self._now()
        if now > self._swept_at + SWEEP_S:
            self._swept_at = now
            for user in self._users.values():
                user.forget_old(now)
            self._users = {name: user for name, user in self._users.items() if user.size}
        user = self._calls_of(user_id)
        if user.size >= MAX_CALLS:
            user.forget_old(now)
            user.forget_keyed(user.size - MAX_CALLS + 1)
        if user.size >= MAX_CALLS:
            raise _too_many()

    def _identify(self, request: CallRequest, repeat: RepeatKey) -> RepeatIdentity:
        arguments = json.dumps(json.loads(request.arguments_text), sort_keys=True, separators=(",", ":"))
        digest = self._digest_of(f"{request.server_id}\n{request.operation_key}\n{arguments}")
        key = repeat.idempotency_key
        key_digest = None if key is None else self._digest_of(key)
        return RepeatIdentity(repeat.request_id, repeat.caller, digest, key_digest)

    def _digest_of(self, text: str) -> str:
        return blake2s(text.encode("utf-8", "replace"), key=self._secret).hexdigest()


def _recorded_call(recorded: RecordedCall, identity: RepeatIdentity, until: float) -> _Call:
    outcome = recorded.outcome
    call = _Call(identity, recorded.opened_at, outcome.call_id, outcome, until=until)
    call.ended.set()
    return call


def _age(call: _Call) -> float:
    return call.opened_at


def _identity_of(request: CallRequest) -> RepeatIdentity:
    assert request.repeat is not None
    return request.repeat


def _key_reused() -> IdempotencyKeyReused:
    message = (
        "This idempotency key came with another tool or other arguments before. Each call needs its own."
    )
    return IdempotencyKeyReused(ErrorCode.INVALID_ARGUMENTS, message)


def _too_many() -> BridgeError:
    message = (
        f"{MAX_CALLS:,} calls of this user wait for an equal one, or were not heard within the last "
        f"{UNHEARD_S / 60:g} minutes. Read answers to their end, or call later."
    )
    return BridgeError(ErrorCode.RATE_LIMITED, message, retryable=True)
