"""Tells whoever runs a turn, or waits for a call, what has changed."""

from __future__ import annotations

from collections.abc import Callable

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
