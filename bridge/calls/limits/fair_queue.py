"""A fair queue: decides which entry may run next when not all of them may run in parallel.

Each entry has a key that says whose it is and which resources it shares with others.
Order is first come, first served among the entries that have room: an entry that must wait lets others pass
that need not, though not for ever. Users are served in rotation. What the limits are and how a refusal reads
is for the `QueueRules` to say. Uses the event loop only to wait. All methods run on one event loop.

Entries with equal keys share one lane. Granting or revoking looks at the first entry of each lane of one
user, however many others wait.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple, Protocol

from bridge.errors import BridgeError

MAX_PASSED = 50
"""Maximum number of entries of a user that may overtake its first waiting one; after that, the resources it
needs are reserved for it."""

MAX_RESTING = 100
"""Maximum number of users without open entries who are remembered."""

USER, EVERYBODY = "user", "everybody"
"""Kinds of the limits on one user and on all users; resources have kinds of their own."""


class QueueKey(Hashable, Protocol):
    """What an entry belongs to. Entries with equal keys wait in one line."""

    @property
    def user_id(self) -> str:
        """The user who is served in rotation with others."""
        ...

    def list_resources(self) -> Sequence[SharedResource]:
        """Return what the entry shares with other entries of its user."""
        ...


class SharedResource(NamedTuple):
    """Something of which several entries of one user run at a time."""

    kind: str
    name: str
    limit: int | None = None
    """Maximum number of entries that run at a time; None: `QueueRules.limits_by_kind` decides."""
    is_group: bool = False
    """Whether at most `QueueRules.group_limit` of its entries wait in line; further ones wait to join it."""


@dataclass(slots=True)
class OpenEntries:
    """The entries that are open, of one user or of all users."""

    number: int = 0
    bytes: int = 0
    """Memory that they hold."""


class QueueRules(Protocol):
    """The limits of a queue, read at its beginning and when they have changed, and its refusals."""

    @property
    def total_limit(self) -> int:
        """Maximum number of entries of all users that run at a time."""
        ...

    @property
    def user_limit(self) -> int:
        """Maximum number of entries of one user that run at a time."""
        ...

    @property
    def group_limit(self) -> int:
        """Maximum number of entries of one group that wait in line."""
        ...

    def limits_by_kind(self) -> Mapping[str, int]:
        """Return how many entries of a resource may run at a time; a kind that is missing has no limit."""
        ...

    def check_open(self, of_user: OpenEntries, of_all: OpenEntries) -> None:
        """Refuse an entry when too much would be open with it: waiting or granted.

        Raises:
            BridgeError: too many are.
        """
        ...

    def timeout_error(self, full: str, seconds: float) -> BridgeError:
        """Return the error of an entry that waited in vain; `full`: the kind of what had no room."""
        ...

    def closed_error(self) -> BridgeError:
        """Return the error of an entry that came or waited when the queue was closed."""
        ...


@dataclass(slots=True, eq=False)
class _Shared:
    """A resource, with the entries of its user that use it."""

    kind: str
    name: str
    lanes: int = 0
    running: int = 0
    queued: int = 0
    """For a group: its entries that wait in line."""
    overflow: deque[QueueEntry] = field(default_factory=deque["QueueEntry"])
    """For a group: its entries for which there is no room in the line yet."""


@dataclass(slots=True, eq=False)
class _Lane:
    key: QueueKey
    group: _Shared | None
    shared: tuple[tuple[_Shared, int | None], ...]
    """Each with its own limit; None: the rules decide."""
    limited: tuple[tuple[_Shared, int], ...] = ()
    """Those that have a limit."""
    open: int = 0
    """Number of entries that are open."""
    waiting: dict[int, QueueEntry] = field(default_factory=dict[int, "QueueEntry"])
    """In order of arrival."""


@dataclass(slots=True, eq=False)
class _User:
    open: OpenEntries = field(default_factory=OpenEntries)
    running: int = 0
    waiting: int = 0
    granted: int = 0
    """Number of entries that were ever let through."""
    lanes: dict[QueueKey, _Lane] = field(default_factory=dict[QueueKey, _Lane])
    shared: dict[tuple[str, str], _Shared] = field(default_factory=dict[tuple[str, str], _Shared])
    busy: dict[_Lane, None] = field(default_factory=dict[_Lane, None])
    """Lanes with waiting entries."""


@dataclass(slots=True, eq=False)
class QueueEntry:
    """One open entry, which may be granted or wait."""

    user: _User
    lane: _Lane
    bytes: int = 0
    """Memory that it holds."""
    holds: bool = False
    """Whether the entry is granted: it may run."""
    grant: asyncio.Future[None] | None = None
    """Set while the entry waits; done once the wait is over."""
    number: int = 0
    """Position in the order of waiting entries."""
    came_after: int = 0
    """Number of its user's entries that had been granted when it began to wait."""


class FairQueue:
    """The entries of all users."""

    def __init__(self, rules: QueueRules) -> None:
        """Call `limits_changed` after the limits of the rules have changed."""
        self._rules = rules
        self._users: dict[str, _User] = {}
        """Those who have open entries."""
        self._resting: dict[QueueKey, _User] = {}
        """Some who have none now, by the key of their last one."""
        self._ready: OrderedDict[str, None] = OrderedDict()
        """Users who may have an entry that can run; a user who was served moves to the end."""
        self._numbers = count()
        self._running = 0
        self._waiting = 0
        self._open = OpenEntries()
        self._closed = False
        self._idle: asyncio.Event | None = None
        """What `wait_until_idle` waits for, once it does."""
        self._read_limits()

    @property
    def running(self) -> int:
        """Number of entries that are granted."""
        return self._running

    @property
    def waiting(self) -> int:
        """Number of entries that wait."""
        return self._waiting

    def waiting_by_user(self) -> dict[str, int]:
        """Return the number of waiting entries of each user who has open entries."""
        return {user_id: user.waiting for user_id, user in self._users.items()}

    def enter_queue(self, key: QueueKey, size: int = 0) -> QueueEntry:
        """Count an entry as open until `leave_queue`; it is not granted yet. It holds `size` bytes of memory.

        Raises:
            BridgeError: the queue is closed, or the rules' `check_open` refuses it.
        """
        if self._closed:
            raise self._rules.closed_error()
        user = self._users.get(key.user_id) or self._resting.pop(key, None) or _User()
        self._count_open(user, 1, size)  # first, as the rules judge what would be open with it
        try:
            self._rules.check_open(user.open, self._open)
        except BridgeError:
            self._count_open(user, -1, -size)
            raise
        self._users[key.user_id] = user
        lane = user.lanes.get(key) or self._open_lane(user, key)
        lane.open += 1
        return QueueEntry(user, lane, size)

    def leave_queue(self, entry: QueueEntry) -> None:
        """Count an entry as open no longer; it must not be waiting in `wait_for_grant`."""
        self.revoke_grant(entry)
        user, lane = entry.user, entry.lane
        lane.open -= 1
        self._count_open(user, -1, -entry.bytes)
        if not user.open.number:
            self._users.pop(lane.key.user_id, None)
            self._ready.pop(lane.key.user_id, None)
            self._rest(user, lane)
        elif not lane.open:
            _close_lane(user, lane)

    def _count_open(self, user: _User, number: int, size: int) -> None:
        """Count entries of a user as open, or as open no longer."""
        for opened in (user.open, self._open):
            opened.number += number
            opened.bytes += size

    def _rest(self, user: _User, lane: _Lane) -> None:
        """Remember a user without entries: the next one is often such another, and has all it needs then."""
        if len(user.lanes) == 1:
            self._resting[lane.key] = user
        if len(self._resting) > MAX_RESTING:
            del self._resting[next(iter(self._resting))]

    def grant_now(self, entry: QueueEntry) -> bool:
        """Grant the entry if it need not wait; returns whether it is granted.

        Raises:
            BridgeError: the queue is closed.
        """
        if entry.holds:
            return True
        if self._closed:
            raise self._rules.closed_error()
        user = entry.user
        # It must not overtake entries of its user that wait.
        has_room = entry.grant is None and not user.busy and self._running < self._total_limit
        if not has_room or self._find_full(user, entry.lane) is not None:
            return False
        self._take(entry)
        return True

    async def wait_for_grant(self, entry: QueueEntry, seconds: float) -> None:
        """Wait up to `seconds` for the grant; returns without it if `revoke_grant` was called meanwhile.

        Cancelling gives up the wait; an entry that was granted at that moment stays granted. An entry waits
        once at a time.

        Raises:
            BridgeError: the rules' `timeout_error` or `closed_error`, or the error of `reject_last`.
        """
        if self.grant_now(entry):
            return
        loop = asyncio.get_running_loop()
        entry.grant = grant = loop.create_future()
        self._join(entry)
        # Joining may have granted it at once, by the rotation.
        timer = None if grant.done() else loop.call_later(seconds, self._give_up, entry, seconds)
        try:
            await grant
        finally:
            entry.grant = None
            if timer is not None:
                timer.cancel()
            if not entry.holds:
                self._withdraw(entry)

    def revoke_grant(self, entry: QueueEntry) -> None:
        """End the grant of an entry, or its wait; does nothing if it has neither."""
        if not entry.holds:
            if entry.grant is not None and not entry.grant.done():
                self._withdraw(entry)
                entry.grant.set_result(None)
            return
        user, lane = entry.user, entry.lane
        entry.holds = False
        user.running -= 1
        for shared, _ in lane.shared:
            shared.running -= 1
        self._running -= 1
        if user.busy:
            self._ready.setdefault(lane.key.user_id)
        if self._ready:
            self._admit()
        if not self._running and self._idle is not None:
            self._idle.set()

    def reject_last(self, user_id: str, error: BridgeError) -> None:
        """End the wait of a user's newest waiting entry with `error`."""
        user = self._users[user_id]
        entry = max((next(reversed(lane.waiting.values())) for lane in user.busy), key=_number)
        self._withdraw(entry)
        _refuse(entry, error)

    def limits_changed(self) -> None:
        """Grant the entries that may run now."""
        self._read_limits()
        self._resting.clear()  # their lanes have the old limits
        for user_id, user in self._users.items():
            for lane in user.lanes.values():
                lane.limited = self._limits_of(lane)
            for shared in user.shared.values():
                self._fill_line(shared)
            if user.busy:
                self._ready.setdefault(user_id)
        self._admit()

    def close_queue(self) -> None:
        """Grant nothing any more, and refuse the waiting entries."""
        self._closed = True
        for user in self._users.values():
            lines = [lane.waiting.values() for lane in user.busy]
            overflows = [shared.overflow for shared in user.shared.values()]
            for entry in [entry for line in (*lines, *overflows) for entry in line]:
                _refuse(entry, self._rules.closed_error())

    async def wait_until_idle(self, seconds: float) -> None:
        """Wait up to `seconds` until no entry is granted. One waits at a time."""
        idle = self._idle = asyncio.Event()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._running:
                    idle.clear()
                    await idle.wait()

    def _read_limits(self) -> None:
        rules = self._rules
        self._total_limit, self._user_limit = rules.total_limit, rules.user_limit
        self._group_limit, self._limits_by_kind = rules.group_limit, rules.limits_by_kind()

    def _join(self, entry: QueueEntry) -> None:
        """Add the entry to those that wait."""
        entry.number = next(self._numbers)
        entry.came_after = entry.user.granted
        self._waiting += 1
        entry.user.waiting += 1
        self._line_up(entry)
        if len(entry.lane.waiting) <= 1:  # behind others of its lane it cannot run before them
            self._ready.setdefault(entry.lane.key.user_id)
            self._admit()

    def _line_up(self, entry: QueueEntry) -> None:
        """Put the entry into its lane, or behind the line of its group when that is full."""
        lane, group = entry.lane, entry.lane.group
        if group is not None:
            if group.queued >= self._group_limit:
                group.overflow.append(entry)
                return
            group.queued += 1
        lane.waiting[entry.number] = entry
        entry.user.busy[lane] = None

    def _remove(self, entry: QueueEntry) -> bool:
        """Remove the entry from those that wait; returns whether it was one of them."""
        lane, group = entry.lane, entry.lane.group
        if lane.waiting.pop(entry.number, None) is None:
            if group is None or entry not in group.overflow:
                return False
            group.overflow.remove(entry)
        else:
            if not lane.waiting:
                del entry.user.busy[lane]
            if group is not None:
                group.queued -= 1
                self._fill_line(group)
        self._waiting -= 1
        entry.user.waiting -= 1
        return True

    def _fill_line(self, group: _Shared) -> None:
        while group.overflow and group.queued < self._group_limit:
            self._line_up(group.overflow.popleft())

    def _withdraw(self, entry: QueueEntry) -> None:
        """End the entry's wait: it was refused, cancelled, or is no longer wanted."""
        if not self._remove(entry):
            return
        if entry.user.busy:
            self._ready.setdefault(entry.lane.key.user_id)
        self._admit()

    def _admit(self) -> None:
        """Grant the entries that may run, one user after another."""
        while self._ready and self._running < self._total_limit:
            # Out of the rotation until something changes for the user: one without room costs no second look.
            user_id, _ = self._ready.popitem(last=False)
            user = self._users.get(user_id)
            entry = self._next_of(user) if user is not None else None
            if user is None or entry is None or entry.grant is None:
                continue
            self._remove(entry)
            self._take(entry)  # here and not when it wakes, as others are judged by it meanwhile
            entry.grant.set_result(None)
            if user.busy:
                self._ready[user_id] = None

    def _next_of(self, user: _User) -> QueueEntry | None:
        """Return the first of a user's waiting entries that has room everywhere, or None."""
        if user.running >= self._user_limit:
            return None
        heads = [next(iter(lane.waiting.values())) for lane in user.busy]
        if len(heads) > 1:
            heads.sort(key=_number)
        reserved: frozenset[_Shared] = frozenset()
        for entry in heads:
            is_waiting = entry.grant is not None and not entry.grant.done()
            if is_waiting and self._find_full(user, entry.lane, reserved) is None:
                return entry
            # Only the oldest of those that were passed too often reserves; the next does when it has run.
            if not reserved and user.granted - entry.came_after >= MAX_PASSED:
                reserved = frozenset(shared for shared, _ in entry.lane.shared)
        return None

    def _find_full(self, user: _User, lane: _Lane, reserved: frozenset[_Shared] = frozenset()) -> str | None:
        """Return the kind of the first limit without room for one more entry; None: there is room everywhere.

        What is `reserved` must have room for two.
        """
        if user.running >= self._user_limit:
            return USER
        for shared, limit in lane.limited:
            if shared.running + (shared in reserved) >= limit:
                return shared.kind
        return None

    def _take(self, entry: QueueEntry) -> None:
        entry.holds = True
        user = entry.user
        user.running += 1
        user.granted += 1
        for shared, _ in entry.lane.shared:
            shared.running += 1
        self._running += 1

    def _open_lane(self, user: _User, key: QueueKey) -> _Lane:
        group, shared = None, list[tuple[_Shared, int | None]]()
        for resource in key.list_resources():
            found = _share(user, resource)
            shared.append((found, resource.limit))
            group = found if resource.is_group else group
        lane = user.lanes[key] = _Lane(key, group, tuple(shared))
        lane.limited = self._limits_of(lane)
        return lane

    def _limits_of(self, lane: _Lane) -> tuple[tuple[_Shared, int], ...]:
        limits = self._limits_by_kind
        own = ((shared, limits.get(shared.kind) if limit is None else limit) for shared, limit in lane.shared)
        return tuple((shared, limit) for shared, limit in own if limit is not None)

    def _give_up(self, entry: QueueEntry, seconds: float) -> None:
        full = self._find_full(entry.user, entry.lane) or EVERYBODY
        _refuse(entry, self._rules.timeout_error(full, seconds))


def _share(user: _User, resource: SharedResource) -> _Shared:
    shared = user.shared.get((resource.kind, resource.name))
    if shared is None:
        shared = user.shared[resource.kind, resource.name] = _Shared(resource.kind, resource.name)
    shared.lanes += 1
    return shared


def _close_lane(user: _User, lane: _Lane) -> None:
    del user.lanes[lane.key]
    for shared, _ in lane.shared:
        shared.lanes -= 1
        if not shared.lanes:
            del user.shared[shared.kind, shared.name]


def _number(entry: QueueEntry) -> int:
    return entry.number


def _refuse(entry: QueueEntry, error: BridgeError) -> None:
    if entry.grant is not None and not entry.grant.done():
        entry.grant.set_exception(error)
