"""Event feeds of conversations: any number of listeners, each at its own pace, none misses an event.

Event numbers grow within a conversation, also over restarts: a feed counts from the time at which it was
made, in microseconds. They grow from replica to replica as well, whose clocks may differ: each claim of a
user adds a gap that no two clocks are apart.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from itertools import takewhile

from bridge.errors import BridgeError
from bridge.homes import EpochOf, no_epoch
from bridge.time_format import format_time
from toolserver.json_types import JsonObject, dump_json

BUFFERED_BYTES = 2 * 1024 * 1024
"""Maximum bytes of a conversation's events in memory; a listener that lacks older ones is sent `reset`."""

MAX_FEEDS = 100
"""Maximum number of feeds in memory; beyond it, the idle feed that was least recently used is dropped."""

EPOCH_GAP_S = 120
"""Seconds that each claim of a user adds to the numbers of later feeds: twice what the clocks of two replicas
may differ, each being at most 30 s wrong. Read as doubles, numbers stay exact for 60 million claims."""


@dataclass(frozen=True, slots=True)
class _Event:
    number: int
    frame: bytes


class EventFeed:
    """The events of one conversation. All methods run on one event loop."""

    def __init__(
        self, conversation_id: str, now: Callable[[], float] = time.time, *, user_id: str = "", epoch: int = 0
    ) -> None:
        """`epoch`: claim of the user's home under which it was made; 0: there are no replicas."""
        self._id = conversation_id
        self._now = now
        self.user_id = user_id
        self.epoch = epoch
        self._next = int((now() + epoch * EPOCH_GAP_S) * 1_000_000)
        self._events: deque[_Event] = deque()
        self._bytes = 0
        self._run_from: int | None = None
        """Number of the first event of the current run; None while there is none."""
        self._is_over = False
        self._moved = asyncio.Event()
        self.listeners = 0

    @property
    def last(self) -> int:
        """Number of the last event; one less than that of the first when there is none."""
        return self._next - 1

    @property
    def is_idle(self) -> bool:
        """Whether nobody listens and no run is active."""
        return self.listeners == 0 and self._run_from is None

    def mark_run_started(self) -> None:
        """Start a run: from now on, new listeners are sent all events since this one."""
        self._run_from = self._next

    def mark_run_ended(self) -> None:
        """End the run: new listeners are no longer sent its events."""
        self._run_from = None

    def emit_event(self, kind: str, data: JsonObject) -> None:
        """Append the next event and wake the listeners. Never waits."""
        event = _Event(self._next, self.build_frame(kind, data, self._next))
        self._next += 1
        self._events.append(event)
        self._bytes += len(event.frame)
        while self._bytes > BUFFERED_BYTES and len(self._events) > 1:
            self._bytes -= len(self._events.popleft().frame)
        self._wake()

    def close_feed(self) -> None:
        """End the feed for all listeners: the conversation is deleted or elsewhere, or the bridge stops."""
        self._is_over = True
        self._wake()

    def build_frame(self, kind: str, data: JsonObject, number: int | None = None) -> bytes:
        """Build one server-sent event in its envelope."""
        body: JsonObject = {
            "type": kind,
            "conversation_id": self._id,
            "timestamp": format_time(self._now()),
            "data": data,
        }
        numbered = b"" if number is None else b"id: %d\n" % number
        return b"%bevent: %b\ndata: %b\n\n" % (numbered, kind.encode(), dump_json(body))

    async def listen_after(self, after: int | None, handshake: JsonObject) -> AsyncGenerator[bytes]:
        """Yield frames as they come, `connected` first, until the feed is closed.

        A feed is closed when its conversation is deleted, its user is at home elsewhere, or the bridge stops.

        `after`: number of the last event that the listener has received; None: it is new, and is sent the
        events of the current run from the start.
        """
        self.listeners += 1
        try:
            position, is_lost = self._start(after)
            yield self.build_frame("connected", handshake, position)
            if is_lost:
                yield self.build_frame("reset", {}, position)
            while position < self.last or not self._is_over:
                moved = self._moved
                if position >= self.last:
                    await moved.wait()
                    continue
                if position < self._oldest - 1:
                    position = self._oldest - 1
                    yield self.build_frame("reset", {}, position)
                frames, position = self._newer(position), self.last
                yield frames
        finally:
            self.listeners -= 1

    @property
    def _oldest(self) -> int:
        """Number of the oldest event in memory."""
        return self._events[0].number if self._events else self._next

    def _newer(self, position: int) -> bytes:
        """Return the frames after `position`. Reads only those, because a listener wakes for each event."""
        newer = takewhile(lambda event: event.number > position, reversed(self._events))
        return b"".join([event.frame for event in newer][::-1])

    def _start(self, after: int | None) -> tuple[int, bool]:
        """Return the number after which a listener resumes, and whether events that it lacks are gone."""
        present = self.last if self._run_from is None else max(self._run_from, self._oldest) - 1
        if after is None:
            return present, False
        if self._oldest - 1 <= after <= self.last:
            return after, False
        return present, True

    def _wake(self) -> None:
        self._moved.set()
        self._moved = asyncio.Event()


class EventFeeds:
    """The feeds of all conversations."""

    def __init__(self, epoch_of: EpochOf = no_epoch, now: Callable[[], float] = time.time) -> None:
        """`epoch_of`: claim under which a user's conversations are written."""
        self._epoch_of = epoch_of
        self._now = now
        self._feeds: OrderedDict[str, EventFeed] = OrderedDict()

    def open_feed(self, user_id: str, conversation_id: str) -> EventFeed:
        """Return the feed of a user's conversation, which the caller knows to exist."""
        feed = self._feeds.get(conversation_id)
        epoch = self._present_epoch(user_id)
        if feed is not None and epoch is not None and feed.epoch != epoch:
            feed.close_feed()  # The user was at home elsewhere meanwhile, where higher numbers were given.
            feed = None
        if feed is None:
            feed = EventFeed(conversation_id, self._now, user_id=user_id, epoch=epoch or 0)
            self._feeds[conversation_id] = feed
        self._feeds.move_to_end(conversation_id)
        if len(self._feeds) > MAX_FEEDS:
            self._drop_idle()
        return feed

    def drop_feed(self, conversation_id: str) -> None:
        """Close and remove the feed of a deleted conversation."""
        if (feed := self._feeds.pop(conversation_id, None)) is not None:
            feed.close_feed()

    def close_user(self, user_id: str) -> None:
        """Close and remove the feeds of a user who is at home elsewhere from now on."""
        for name in [name for name, feed in self._feeds.items() if feed.user_id == user_id]:
            self.drop_feed(name)

    def close_all(self) -> None:
        """Close all feeds: the bridge stops."""
        for feed in self._feeds.values():
            feed.close_feed()

    def _present_epoch(self, user_id: str) -> int | None:
        """Return the user's claim, 0 without replicas; None: is elsewhere, and hears no more from here."""
        try:
            return self._epoch_of(user_id) or 0
        except BridgeError:
            return None

    def _drop_idle(self) -> None:
        """Remove the idle feed that was least recently used, if there is one."""
        idle = next((name for name, feed in self._feeds.items() if feed.is_idle), None)
        if idle is not None:
            del self._feeds[idle]
