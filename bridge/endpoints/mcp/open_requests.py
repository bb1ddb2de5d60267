"""The open requests of legacy clients, which may cancel one by a notification that names its id.

No session tells two clients of one key apart, and their ids both begin at 1: only an id that one open
request of the key has, and no other, is certain.
"""

from __future__ import annotations

from typing import TypeAlias

from bridge.auth.identity import Caller
from bridge.endpoints.mcp.protocol import RequestId
from bridge.tasks import AbandonableWork

_Place: TypeAlias = "tuple[str, str, RequestId]"
"""User, key and id: a forwarder's key has many users."""


class OpenRequests:
    """The work of each open request, by caller and id."""

    def __init__(self) -> None:
        self._open: dict[_Place, dict[OpenRequest, None]] = {}
        """Those of one id are many only where several clients have one key."""

    def hold_request(self, caller: Caller, request_id: RequestId) -> OpenRequest:
        """Return the context in which the current task answers a request."""
        return OpenRequest(self._open, (caller.user.id, caller.key_id, request_id))

    def cancel_request(self, caller: Caller, request_id: object) -> None:
        """Cancel the one open request with that id; with none or several nothing happens."""
        if not isinstance(request_id, str | int):
            return
        works = [*self._open.get((caller.user.id, caller.key_id, request_id), ())]
        if len(works) == 1:
            works[0].cancel()


class OpenRequest(AbandonableWork):
    """What is done for an open request: it is `Abandoned` if its client cancels it."""

    __slots__ = ("_open", "_place")

    def __init__(self, all_open: dict[_Place, dict[OpenRequest, None]], place: _Place) -> None:
        self._open = all_open
        self._place = place

    def __enter__(self) -> OpenRequest:
        """Begin the work."""
        self._open.setdefault(self._place, {})[self] = None
        super().__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        """End it.

        Raises:
            Abandoned: its client has cancelled it.
        """
        works = self._open[self._place]
        del works[self]
        if not works:
            del self._open[self._place]
        super().__exit__(kind, *rest)
