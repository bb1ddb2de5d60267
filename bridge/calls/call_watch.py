"""Tells whoever runs a turn which of its calls have changed."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from bridge.calls.open_call import OpenCall


class CallWatch:
    """Who watches the calls of which turn. `note_move` is an observer of the dispatcher."""

    def __init__(self) -> None:
        self._watching: dict[str, Callable[[OpenCall], None]] = {}

    def note_move(self, call: OpenCall) -> None:
        """Forward a call that has been opened or has changed."""
        watching = self._watching.get(call.request.context.turn_id or "")
        if watching is not None:
            watching(call)

    @contextmanager
    def watch_turn(self, turn_id: str, tell: Callable[[OpenCall], None]) -> Generator[None]:
        """Call `tell` with each call of a turn that changes; it must not fail or wait."""
        self._watching[turn_id] = tell
        try:
            yield
        finally:
            self._watching.pop(turn_id, None)
