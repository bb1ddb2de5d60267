"""Tells whoever runs a turn, or waits for a call, what has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from bridge.calls.open_call import OpenCall

CallObserver: TypeAlias = Callable[[OpenCall], None]
"""Is called with a call that has been opened or has changed; must not fail or wait."""


class CallObservers:
    """The observers of one dispatcher."""

    __slots__ = ("_of_all", "_of_followed")

    def __init__(self, of_all: Iterable[CallObserver] = (), of_followed: Iterable[CallObserver] = ()) -> None:
        """`of_followed`: those who know a call by its turn, by its request, or as one that may come again.

        Most calls of tools are none of that.
        """
        self._of_all = tuple(of_all)
        self._of_followed = tuple(of_followed)

    def tell(self, call: OpenCall) -> None:
        """Tell them of a call."""
        for tell in self._of_all:
            tell(call)
        request = call.request
        if request.context.turn_id or request.context.request_id or request.repeat is not None:
            for tell in self._of_followed:
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

    def watch_calls(self, asked_by: str, tell: Callable[[OpenCall], None]) -> WatchedCalls:
        """Return the context in which `tell` is called with each call of a turn or request that changes.

        `asked_by`: the `turn_id` or `request_id` of the calls' context. `tell` must not fail or wait.
        """
        return WatchedCalls(self._watching, asked_by, tell)


class WatchedCalls:
    """The calls of one turn or request, watched while the context is open."""

    __slots__ = ("_asked_by", "_tell", "_watching")

    def __init__(
        self,
        watching: dict[str, Callable[[OpenCall], None]],
        asked_by: str,
        tell: Callable[[OpenCall], None],
    ) -> None:
        self._watching = watching
        self._asked_by = asked_by
        self._tell = tell

    def __enter__(self) -> None:
        """Begin to watch."""
        self._watching[self._asked_by] = self._tell

    def __exit__(self, *_: object) -> None:
        """Watch no more."""
        self._watching.pop(self._asked_by, None)
        del self._tell  # whoever is told holds this context
