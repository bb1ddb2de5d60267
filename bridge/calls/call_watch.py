"""Tells whoever runs a turn, or waits for a call, what has changed."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from bridge.calls.open_call import OpenCall


class CallObservers:
    """Who is told of every call that is opened or changes. An observer must not fail or wait."""

    def __init__(self) -> None:
        self.of_all: list[Callable[[OpenCall], None]] = []
        self.of_followed: list[Callable[[OpenCall], None]] = []
        """Those who know a call by its turn, by the request that waits for it, or as one that may be sent
        again: most calls of tools are none of that."""

    def tell(self, call: OpenCall) -> None:
        """Tell them of a call."""
        for tell in self.of_all:
            tell(call)
        request = call.request
        if request.context.turn_id or request.context.request_id or request.repeat is not None:
            for tell in self.of_followed:
                tell(call)


class CallWatch:
    """Who watches the calls of which turn or request. `note_move` is an observer of the dispatcher."""

    def __init__(self) -> None:
        self._watching: dict[str, Callable[[OpenCall], None]] = {}

    def note_move(self, call: OpenCall) -> None:
        """Forward a call that has been opened or has changed."""
        context = call.request.context
        watching = self._watching.get(context.turn_id or context.request_id or "")
        if watching is not None:
            watching(call)

    @contextmanager
    def watch_calls(self, asked_by: str, tell: Callable[[OpenCall], None]) -> Generator[None]:
        """Call `tell` with each call of a turn or request that changes; it must not fail or wait.

        `asked_by`: the `turn_id` or `request_id` of the calls' context.
        """
        self._watching[asked_by] = tell
        try:
            yield
        finally:
            self._watching.pop(asked_by, None)
