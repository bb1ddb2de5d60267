"""The open requests of legacy clients, which may cancel one by a notification that names its id.

No session tells two clients of one key apart, and their ids both begin at 1: only an id that one open
request of the key has, and no other, is certain.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, TypeAlias

from bridge.endpoints.mcp.protocol import RequestId

_Work: TypeAlias = "asyncio.Task[Any]"
_Place: TypeAlias = "tuple[str, RequestId]"


class OpenRequests:
    """The work of each open request, by caller and id."""

    def __init__(self) -> None:
        self._open: dict[_Place, list[_Work]] = {}
        self._cancelled: set[_Work] = set()

    def hold_request(self, caller: str, request_id: RequestId, work: _Work) -> None:
        """Hold a request until its work has ended."""
        place = (caller, request_id)
        self._open.setdefault(place, []).append(work)
        work.add_done_callback(partial(self._release, place))

    def cancel_request(self, caller: str, request_id: object) -> None:
        """Cancel the one open request with that id; with none or several nothing happens."""
        works = self._open.get((caller, request_id), []) if isinstance(request_id, str | int) else []
        if len(works) == 1:
            self._cancelled.add(works[0])
            works[0].cancel()

    def was_cancelled(self, work: _Work | None) -> bool:
        """Whether it was its client who cancelled that work, which has not ended yet."""
        return work in self._cancelled

    def _release(self, place: _Place, work: _Work) -> None:
        self._cancelled.discard(work)
        works = self._open[place]
        works.remove(work)
        if not works:
            del self._open[place]
