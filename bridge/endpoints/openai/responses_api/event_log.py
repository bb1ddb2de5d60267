"""The events of one response that runs: the newest in memory for its listeners, all of them in the store.

Whoever adds events never waits, neither for the store nor for a listener. A listener that falls behind what
is in memory reads on from the store.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import cast

from bridge.models.stored_items.store import ItemStore, StoreUnavailable
from bridge.tasks import sleep_safely
from toolserver.json_types import JsonObject

_END = b"\n\n"
_DATA = b"data: "


def count_of(frames: bytes) -> int:
    """How many events there are."""
    return frames.count(_END)


def select_newer(first: int, frames: bytes, after: int) -> bytes:
    """The events with a number above `after`; `first`: the number of the first one."""
    start = 0
    for _ in range(after + 1 - first):
        start = frames.find(_END, start) + len(_END)
        if start < len(_END):
            return b""
    return frames[start:]


def bodies_of(chunks: Iterable[bytes]) -> Iterator[JsonObject]:
    """What the events say, in order."""
    for frames in chunks:
        for line in frames.split(b"\n"):
            if line.startswith(_DATA):
                yield cast(JsonObject, json.loads(line.removeprefix(_DATA)))


WRITE_S = 0.5
"""Seconds for which events are collected before they are written."""

WRITE_BYTES = 64 * 1024
"""Bytes of events that are written without waiting for more, as is an event that begins an item."""

BUFFERED_BYTES = 1024 * 1024
"""Maximum bytes of written events that stay in memory for listeners."""

UNWRITTEN_BYTES = 8 * 1024 * 1024
"""Maximum bytes of events that wait for an unavailable store; beyond it the oldest are dropped."""

RETRY_S = 1.0
"""Seconds between two attempts to write to an unavailable store."""

PIECES_AT_ONCE = 16
"""Maximum pieces that a listener reads from the store in one query."""

_BEGINS_ITEM = b"event: response.output_item.added\n"

_log = logging.getLogger(__name__)


class EventsLost(Exception):
    """What a listener has not had is neither in memory nor in the store."""


@dataclass(frozen=True, slots=True)
class _Piece:
    first: int
    last: int
    frames: bytes


class EventLog:
    """The events of one response. `write` must run beside it. All methods run on one event loop."""

    def __init__(
        self,
        store: ItemStore,
        user_id: str,
        response_id: str,
        *,
        first: int = 0,
        unwritten_bytes: int = UNWRITTEN_BYTES,
        retry_s: float = RETRY_S,
    ) -> None:
        """`first`: number of the first event; those before it are in the store, as far as there are any."""
        self._max_unwritten_bytes = unwritten_bytes
        self._retry_s = retry_s
        self._store = store
        self._user_id = user_id
        self._response_id = response_id
        self._pieces: deque[_Piece] = deque()
        """What is not written, and the newest of what is."""
        self._bytes = 0
        self._next = first
        self._written_to = first - 1
        """Number of the last event that is written, or given up."""
        self._lost_to = -1
        """Number of the last event that is given up."""
        self._unwritten_bytes = 0
        self._is_over = False
        self._is_given_up = False
        """Whether nothing is written any more."""
        self._withheld_from: int | None = None
        """Number of the first event that listeners do not get yet."""
        self._is_told = False
        """Whether listeners have come to the end when they have had what is not withheld."""
        self._moved = asyncio.Event()
        self._something = asyncio.Event()
        self._hurry = asyncio.Event()
        self._written = asyncio.Event()

    @property
    def last(self) -> int:
        """Number of the last event; one less than the first when there is none."""
        return self._next - 1

    def add_frames(self, frames: bytes) -> None:
        """The next events, whole."""
        if not frames:
            return
        piece = _Piece(self._next, self._next + count_of(frames) - 1, frames)
        self._next = piece.last + 1
        self._pieces.append(piece)
        self._bytes += len(frames)
        self._unwritten_bytes += len(frames)
        self._something.set()
        if self._unwritten_bytes >= WRITE_BYTES or _BEGINS_ITEM in frames:
            self._hurry.set()
        if self._unwritten_bytes > self._max_unwritten_bytes:
            self._give_up()
        self._wake()

    def end_events(self, last: bytes = b"") -> None:
        """End the stream: no more frames follow.

        `last`: its end, which is written, but told to nobody before `tell_end`.
        """
        if last:
            self._withheld_from = self._next
            self.add_frames(last)
        self._is_over, self._is_told = True, not last
        self._something.set()
        self._hurry.set()
        self._wake()

    def tell_end(self) -> None:
        """Give listeners what was withheld from them."""
        self._withheld_from = None
        self._is_told = True
        self._wake()

    def hide_end(self) -> None:
        """End the stream of listeners before what is withheld: another replica has the end."""
        self._is_told = True
        self._wake()

    async def wait_until_told(self) -> bool:
        """Wait for the end; returns whether it is one that may be told."""
        while not self._is_told:
            await self._moved.wait()
        return self._withheld_from is None

    async def flush_frames(self) -> None:
        """Have written what was added so far; returns when it is. Cancelling it harms nothing."""
        last = self.last
        while self._written_to < last and not self._is_given_up:
            self._hurry.set()
            self._written.clear()
            await self._written.wait()

    def give_up_writing(self) -> None:
        """Have nobody wait for events to be written, because `write_frames` has ended."""
        self._is_given_up = True
        self._written.set()

    async def write_frames(self) -> None:
        """Write to the store what is added, until all of it is written after the end."""
        while not self._is_over or self._written_to < self.last:
            await self._something.wait()
            self._something.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(WRITE_S):
                    await self._hurry.wait()
            self._hurry.clear()
            await self._write_all()

    async def listen_after(self, after: int) -> AsyncGenerator[bytes]:
        """Frames with numbers above `after`, in order, as they come, until the end.

        Raises:
            EventsLost: there would be a gap.
            StoreUnavailable: they are not in memory, and the store does not answer.
        """
        while True:
            moved = self._moved
            if after >= self._last_told:
                if self._is_told:
                    return
                await moved.wait()
            elif after < self._oldest - 1:
                frames, after = await self._stored(after)
                if frames:
                    yield frames
            else:
                frames, after = self._newer(after), self._last_told
                yield frames

    @property
    def _last_told(self) -> int:
        return self.last if self._withheld_from is None else self._withheld_from - 1

    @property
    def _oldest(self) -> int:
        """Number of the oldest event in memory."""
        return self._pieces[0].first if self._pieces else self._next

    def _newer(self, after: int) -> bytes:
        found: list[bytes] = []
        for piece in reversed(self._pieces):
            if piece.last <= after:
                break
            if piece.first > self._last_told:
                continue
            found.append(select_newer(piece.first, piece.frames, after))
        return b"".join(reversed(found))

    async def _stored(self, after: int) -> tuple[bytes, int]:
        """The next of what is not in memory, and the number of its last event."""
        if after < self._lost_to:
            raise EventsLost
        oldest = self._oldest
        pieces = await self._store.read_events(self._user_id, self._response_id, after, limit=PIECES_AT_ONCE)
        found: list[bytes] = []
        for first, frames in pieces:
            if first >= oldest:
                break
            found.append(select_newer(first, frames, after))
            after = max(after, first + count_of(frames) - 1)
        else:
            if len(pieces) == PIECES_AT_ONCE:
                return b"".join(found), after
        return b"".join(found), max(after, oldest - 1)  # what is between them was never told

    async def _write_all(self) -> None:
        while batch := self._batch():
            frames = b"".join(piece.frames for piece in batch)
            try:
                await self._store.add_events(
                    self._user_id, self._response_id, batch[0].first, batch[-1].last, frames
                )
            except StoreUnavailable as failure:
                _log.warning("Events of %s wait for the store: %s", self._response_id, failure)
                await sleep_safely(self._retry_s)
                self._something.set()
                return
            self._mark_written(batch[-1].last)

    def _batch(self) -> list[_Piece]:
        """The oldest events that are not written: `WRITE_BYTES`, and what is left of the last piece."""
        batch: list[_Piece] = []
        size = 0
        for piece in islice(self._pieces, self._place_of_unwritten(), None):
            batch.append(piece)
            size += len(piece.frames)
            if size >= WRITE_BYTES:
                break
        return batch

    def _place_of_unwritten(self) -> int:
        return next(
            (place for place, piece in enumerate(self._pieces) if piece.first > self._written_to),
            len(self._pieces),
        )

    def _mark_written(self, last: int) -> None:
        self._written_to = max(self._written_to, last)
        self._unwritten_bytes = sum(
            len(piece.frames) for piece in self._pieces if piece.first > self._written_to
        )
        self._make_room()
        self._written.set()

    def _make_room(self) -> None:
        unneeded_to = min(self._written_to, self._last_told)
        while self._pieces and self._bytes > BUFFERED_BYTES and self._pieces[0].last <= unneeded_to:
            self._bytes -= len(self._pieces.popleft().frames)

    def _give_up(self) -> None:
        """The oldest half of what is not written, so that a store that is away costs no more memory."""
        _log.error("Events of %s are dropped: the store does not accept them.", self._response_id)
        while self._unwritten_bytes > self._max_unwritten_bytes // 2:
            piece = self._pieces.popleft()
            self._bytes -= len(piece.frames)
            if piece.first > self._written_to:
                self._unwritten_bytes -= len(piece.frames)
                self._lost_to = piece.last
        self._written_to = max(self._written_to, self._lost_to)

    def _wake(self) -> None:
        self._moved.set()
        self._moved = asyncio.Event()
