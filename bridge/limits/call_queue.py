"""The call queue: decides which call may run next when not all of them may run in parallel.

Each call enters with a key that says what it belongs to, and gets a ticket; calls that want to run acquire a
slot. Order is first come, first served among the calls that have room: a call that must wait lets others pass
that need not, though not for ever. Users are served in rotation. The module knows nothing of pages and tools
and uses the event loop only to wait. All methods run on one event loop.

Calls with equal keys share one lane. Acquiring or releasing a slot looks at the first call of each lane of
one user, however many other calls wait.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from bridge.errors import BridgeError, ErrorCode
from bridge.settings.limits import Limits

MAX_OPEN_CALLS = 10_000
"""Maximum number of open calls of all users: running, waiting for a slot, or waiting for approval. The next
one is refused immediately. Chosen."""

MAX_PASSED = 50
"""Maximum number of calls of a user that may overtake its first waiting call; after that, the places this
call needs are reserved for it."""

REQUEST, HOST = "MAX_PARALLEL_TOOLS_PER_REQUEST", "MAX_PARALLEL_TOOLS_PER_HOST"
USER, EVERYBODY = "MAX_PARALLEL_TOOLS_PER_USER", "MAX_PARALLEL_TOOLS_GLOBAL"
SERVER, OPERATION, IN_ORDER = "server", "operation", "in_order"


class SlotKey(NamedTuple):
    """What a call belongs to; each part may be limited."""

    user_id: str
    group: str | None
    """One request of a caller, such as a batch or a round of a chat; None: the call belongs to no request."""
    origin: str
    """Origin the call's request goes to; empty: not known."""
    server_id: str
    operation_key: str
    server_parallel: int | None = None
    """Maximum number of calls of the server that run in parallel, as its user has set it."""
    operation_parallel: int | None = None
    in_order: bool = False
    """At most one such call of the server runs at a time, in the order in which the calls arrived."""


@dataclass(slots=True, eq=False)
class _Place:
    """A resource that several lanes share: a request, an origin, a server."""

    kind: str
    name: str
    lanes: int = 0
    running: int = 0
    queued: int = 0
    """For a request: its calls that wait in a lane."""
    door: deque[QueuedCall] = field(default_factory=deque["QueuedCall"])
    """For a request: its calls for which the queue has no room yet."""


@dataclass(slots=True, eq=False)
class _Lane:
    key: SlotKey
    request: _Place | None
    places: tuple[tuple[_Place, int | None], ...]
    """Each with the maximum that the user has set; None: the limits decide."""
    open: int = 0
    """Calls that have a ticket."""
    waiting: OrderedDict[int, QueuedCall] = field(default_factory=OrderedDict[int, "QueuedCall"])
    """In order of arrival."""


@dataclass(slots=True, eq=False)
class _User:
    open: int = 0
    """Calls that have a ticket."""
    running: int = 0
    admitted: int = 0
    lanes: dict[SlotKey, _Lane] = field(default_factory=dict[SlotKey, _Lane])
    places: dict[tuple[str, str], _Place] = field(default_factory=dict[tuple[str, str], _Place])
    busy: dict[_Lane, None] = field(default_factory=dict[_Lane, None])
    """Lanes with waiting calls."""


@dataclass(slots=True, eq=False)
class QueuedCall:
    """The ticket of one open call, which may hold a slot or wait for one."""

    user: _User
    lane: _Lane
    holds: bool = False
    """Whether the call holds a slot."""
    grant: asyncio.Future[None] | None = None
    """Set while the call waits; done once the wait is over."""
    number: int = 0
    """Position in the order of waiting calls."""
    came_after: int = 0
    """Number of its user's calls that had been given a slot when it began to wait."""


class CallQueue:
    """The queue and the slots of all users' calls."""

    def __init__(self, limits: Callable[[], Limits], *, max_open_calls_per_user: int) -> None:
        """`limits` is read each time, so a change applies immediately; call `limits_changed` after one."""
        self._limits = limits
        self._max_open_of_user = max_open_calls_per_user
        self._users: dict[str, _User] = {}
        self._ready: OrderedDict[str, None] = OrderedDict()
        """Users who may have a call that can run; a user who was served moves to the end."""
        self._numbers = count()
        self._running = 0
        self._waiting = 0
        self._open = 0
        self._closed = False
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def running(self) -> int:
        """Number of calls that hold a slot."""
        return self._running

    @property
    def waiting(self) -> int:
        """Number of calls that wait for a slot."""
        return self._waiting

    def enter_queue(self, key: SlotKey) -> QueuedCall:
        """Count a call as open until `leave_queue`; it has no slot yet.

        Raises:
            BridgeError: `queue_full`: too many calls are open; `no_browser`: the bridge is stopping.
        """
        user = self._users.get(key.user_id)
        self._refuse_too_many(user)
        if user is None:
            user = self._users[key.user_id] = _User()
        lane = user.lanes.get(key) or _open_lane(user, key)
        lane.open += 1
        user.open += 1
        self._open += 1
        return QueuedCall(user, lane)

    def leave_queue(self, ticket: QueuedCall) -> None:
        """Count a call as open no longer; it must not be waiting in `wait_for_grant`."""
        self.revoke_grant(ticket)
        user, lane = ticket.user, ticket.lane
        lane.open -= 1
        user.open -= 1
        self._open -= 1
        if not user.open:
            self._users.pop(lane.key.user_id, None)
            self._ready.pop(lane.key.user_id, None)
        elif not lane.open:
            _close_lane(user, lane)

    def grant_now(self, ticket: QueuedCall) -> bool:
        """Acquire a slot if one is free, without waiting; returns whether the call holds one.

        Raises:
            BridgeError: `no_browser`: the bridge is stopping.
        """
        if ticket.holds:
            return True
        if self._closed:
            raise _stopping()
        user = ticket.user
        limits = self._limits()
        has_room = ticket.grant is None and not user.busy and self._running < limits.max_parallel_tools_global
        if not has_room or self._full_place(user, ticket.lane, limits) is not None:
            return False
        self._take(ticket)
        return True

    async def wait_for_grant(self, ticket: QueuedCall, seconds: float) -> None:
        """Wait up to `seconds` for a slot; returns without one if `revoke_grant` was called meanwhile.

        Cancelling gives up the wait; a slot that was granted at that moment is held. A ticket waits once at a
        time.

        Cancelling gives up the wait; a slot that came in that moment is held. One wait at a time.

        Raises:
            BridgeError: `queue_full`: no slot became free; `no_browser`: the bridge is stopping.
        """
        if self.grant_now(ticket):
            return
        loop = asyncio.get_running_loop()
        ticket.grant = grant = loop.create_future()
        self._join(ticket)
        timer = None if grant.done() else loop.call_later(seconds, self._give_up, ticket, seconds)
        try:
            await grant
        finally:
            ticket.grant = None
            if timer is not None:
                timer.cancel()
            if not ticket.holds:
                self._withdraw(ticket)

    def revoke_grant(self, ticket: QueuedCall) -> None:
        """Release the call's slot, or its place among the waiting calls; does nothing if it has neither."""
        if not ticket.holds:
            if ticket.grant is not None and not ticket.grant.done():
                self._withdraw(ticket)
                ticket.grant.set_result(None)
            return
        user, lane = ticket.user, ticket.lane
        ticket.holds = False
        user.running -= 1
        for place, _ in lane.places:
            place.running -= 1
        self._running -= 1
        if user.busy:
            self._ready.setdefault(lane.key.user_id)
        if self._ready:
            self._admit()
        if not self._running:
            self._idle.set()

    def limits_changed(self) -> None:
        """Grant slots to the calls that may run now."""
        for user_id, user in self._users.items():
            for place in user.places.values():
                self._fill_queue(place)
            if user.busy:
                self._ready.setdefault(user_id)
        self._admit()

    async def close(self, grace_s: float) -> None:
        """Admit no more calls, refuse waiting ones, and wait up to `grace_s` seconds for running ones."""
        self._closed = True
        for user in self._users.values():
            lines = [lane.waiting.values() for lane in user.busy]
            doors = [place.door for place in user.places.values()]
            for ticket in [ticket for line in (*lines, *doors) for ticket in line]:
                _refuse(ticket, _stopping())
        try:
            async with asyncio.timeout(grace_s):
                await self._idle.wait()
        except TimeoutError:
            return

    def _join(self, ticket: QueuedCall) -> None:
        """Add the call to those that wait."""
        ticket.number = next(self._numbers)
        ticket.came_after = ticket.user.admitted
        self._waiting += 1
        self._queue(ticket)
        self._ready.setdefault(ticket.lane.key.user_id)
        self._admit()

    def _queue(self, ticket: QueuedCall) -> None:
        """Put the call into its lane, or behind the queue of its request when that is full."""
        lane, request = ticket.lane, ticket.lane.request
        if request is not None:
            if request.queued >= self._limits().tool_queue_size:
                request.door.append(ticket)
                return
            request.queued += 1
        lane.waiting[ticket.number] = ticket
        ticket.user.busy[lane] = None

    def _dequeue(self, ticket: QueuedCall) -> bool:
        """Remove the call from those that wait; returns whether it was one of them."""
        lane, request = ticket.lane, ticket.lane.request
        if lane.waiting.pop(ticket.number, None) is None:
            if request is None or ticket not in request.door:
                return False
            request.door.remove(ticket)
        else:
            if not lane.waiting:
                del ticket.user.busy[lane]
            if request is not None:
                request.queued -= 1
                self._fill_queue(request)
        self._waiting -= 1
        return True

    def _fill_queue(self, request: _Place) -> None:
        while request.door and request.queued < self._limits().tool_queue_size:
            self._queue(request.door.popleft())

    def _withdraw(self, ticket: QueuedCall) -> None:
        """End the call's wait: it was refused, cancelled, or is no longer wanted."""
        if not self._dequeue(ticket):
            return
        if ticket.user.busy:
            self._ready.setdefault(ticket.lane.key.user_id)
        self._admit()

    def _admit(self) -> None:
        """Grant slots to the calls that may run, one user after another."""
        while self._ready and self._running < self._limits().max_parallel_tools_global:
            user_id, _ = self._ready.popitem(last=False)
            user = self._users.get(user_id)
            ticket = self._next_of(user) if user is not None else None
            if user is None or ticket is None or ticket.grant is None:
                continue
            self._dequeue(ticket)
            self._take(ticket)
            ticket.grant.set_result(None)
            if user.busy:
                self._ready[user_id] = None

    def _next_of(self, user: _User) -> QueuedCall | None:
        """Return the first of a user's waiting calls that has room everywhere, or None."""
        limits = self._limits()
        if user.running >= limits.max_parallel_tools_per_user:
            return None
        heads = sorted((_head(lane) for lane in user.busy), key=_number)
        kept: frozenset[_Place] = frozenset()
        for ticket in heads:
            is_waiting = ticket.grant is not None and not ticket.grant.done()
            if is_waiting and self._full_place(user, ticket.lane, limits, kept) is None:
                return ticket
            if not kept and user.admitted - ticket.came_after >= MAX_PASSED:
                kept = frozenset(place for place, _ in ticket.lane.places)
        return None

    def _full_place(
        self, user: _User, lane: _Lane, limits: Limits, kept: frozenset[_Place] = frozenset()
    ) -> str | None:
        """Return the kind of the first place without room for one more call; None: there is room everywhere.

        A place in `kept` must have room for two.
        """
        if user.running >= limits.max_parallel_tools_per_user:
            return USER
        for place, given in lane.places:
            if given is not None:
                room = given
            elif place.kind is REQUEST:
                room = limits.max_parallel_tools_per_request
            elif place.kind is HOST:
                room = limits.max_parallel_tools_per_host
            else:
                continue
            if place.running + (place in kept) >= room:
                return place.kind
        return None

    def _take(self, ticket: QueuedCall) -> None:
        ticket.holds = True
        user = ticket.user
        user.running += 1
        user.admitted += 1
        for place, _ in ticket.lane.places:
            place.running += 1
        self._running += 1
        self._idle.clear()

    def _refuse_too_many(self, user: _User | None) -> None:
        if self._closed:
            raise _stopping()
        limit = self._max_open_of_user
        if user is not None and user.open >= limit:
            message = f"{limit:,} calls of this user are open already. Wait for one of them to end."
            raise _queue_full(message, {"limit": limit})
        if self._open >= MAX_OPEN_CALLS:
            message = f"{MAX_OPEN_CALLS:,} calls are open already. Try again when some of them have ended."
            raise _queue_full(message, {"limit": MAX_OPEN_CALLS})

    def _give_up(self, ticket: QueuedCall, seconds: float) -> None:
        full = self._full_place(ticket.user, ticket.lane, self._limits()) or EVERYBODY
        waits = f"no slot became free within {seconds:g} s" if seconds else "no slot is free"
        message = (
            f"The call was not made: {waits}, because {_told(full)}. Try again with fewer calls at once."
        )
        _refuse(ticket, _queue_full(message, {"full": full, "waited_s": seconds}))


def _open_lane(user: _User, key: SlotKey) -> _Lane:
    request = None if key.group is None else _place(user, REQUEST, key.group)
    places = [
        (_place(user, SERVER, key.server_id), key.server_parallel),
        (_place(user, OPERATION, f"{key.server_id} {key.operation_key}"), key.operation_parallel),
    ]
    if key.origin:
        places.append((_place(user, HOST, key.origin), None))
    if request is not None:
        places.append((request, None))
    if key.in_order:
        places.append((_place(user, IN_ORDER, key.server_id), 1))
    lane = user.lanes[key] = _Lane(key, request, tuple(places))
    return lane


def _place(user: _User, kind: str, name: str) -> _Place:
    place = user.places.get((kind, name))
    if place is None:
        place = user.places[kind, name] = _Place(kind, name)
    place.lanes += 1
    return place


def _close_lane(user: _User, lane: _Lane) -> None:
    del user.lanes[lane.key]
    for place, _ in lane.places:
        place.lanes -= 1
        if not place.lanes:
            del user.places[place.kind, place.name]


def _head(lane: _Lane) -> QueuedCall:
    return next(iter(lane.waiting.values()))


def _number(ticket: QueuedCall) -> int:
    return ticket.number


def _refuse(ticket: QueuedCall, error: BridgeError) -> None:
    if ticket.grant is not None and not ticket.grant.done():
        ticket.grant.set_exception(error)


def _told(full: str) -> str:
    reasons = {
        SERVER: "as many calls of this server run as its user allows",
        OPERATION: "as many calls of this tool run as its user allows",
        IN_ORDER: "calls of this server that change something run one after another",
    }
    return reasons.get(full, f"{full} is reached")


def _queue_full(message: str, detail: dict[str, object]) -> BridgeError:
    return BridgeError(ErrorCode.QUEUE_FULL, message, detail=detail, retryable=True)


def _stopping() -> BridgeError:
    return BridgeError(ErrorCode.NO_BROWSER, "The bridge is stopping. The call was not made.", retryable=True)
