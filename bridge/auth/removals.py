"""Removals that can be undone: keys and browsers that a user has removed in the last `UNDO_S`.

They count for nothing from the moment of their removal. A record here only lets the browser that removed one
put the same back, once. It is in memory only, at the home of the user: a bridge that stops makes all final.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

from bridge.auth.identity import Caller
from bridge.errors import BridgeError, ErrorCode

UNDO_S = 10
"""Seconds within which a removal can be undone: as long as the page offers it, which has to be read first."""

MAX_REMOVALS = 1000
"""Maximum number of removals that can be undone at once; beyond it the oldest is final."""

RemovedT = TypeVar("RemovedT")


@dataclass(frozen=True, slots=True)
class _Removal(Generic[RemovedT]):
    removed: RemovedT
    user_id: str
    device_id: str | None
    ends_at: float


class Removals(Generic[RemovedT]):
    """Removals of one kind, by the id of what was removed. Methods run on one event loop."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._removals: dict[str, _Removal[RemovedT]] = {}

    def note_removal(self, caller: Caller, removed_id: str, removed: RemovedT) -> None:
        """Let a caller undo a removal from now on, for `UNDO_S`."""
        now = self._clock()
        self._removals.pop(removed_id, None)
        for old in [each for each, removal in self._removals.items() if removal.ends_at <= now]:
            del self._removals[old]
        while len(self._removals) >= MAX_REMOVALS:
            del self._removals[next(iter(self._removals))]
        self._removals[removed_id] = _Removal(removed, caller.user.id, caller.device_id, now + UNDO_S)

    @contextmanager
    def undo(self, caller: Caller, removed_id: str) -> Generator[RemovedT]:
        """Give out what a caller has removed, once; again if the block raises, as long as there is time.

        Raises:
            BridgeError: `not_found`, the same for what is final, undone, or another browser's to undo.
        """
        removal = self._removals.get(removed_id)
        is_callers = removal is not None and (removal.user_id, removal.device_id) == (
            caller.user.id,
            caller.device_id,
        )
        if removal is None or not is_callers or removal.ends_at <= self._clock():
            raise nothing_to_undo()
        del self._removals[removed_id]
        try:
            yield removal.removed
        except BaseException:
            self._removals.setdefault(removed_id, removal)
            raise


def nothing_to_undo() -> BridgeError:
    """Return the error for a removal that is final."""
    message = (
        f"There is nothing to undo: that works once, within {UNDO_S} seconds, in the browser that removed it."
    )
    return BridgeError(ErrorCode.NOT_FOUND, message)
