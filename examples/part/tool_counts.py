"""A part that counts calls by tool, and a route that tells the counts."""

from collections import Counter
from collections.abc import Sequence

from aiohttp import web

from bridge.app.part import Ground, Observers, Part
from bridge.calls.open_call import OpenCall
from bridge.calls.state_machine import TERMINAL
from bridge.http.routing import Route


class ToolCounts(Part):
    """Counts the calls of this process since its start."""

    def __init__(self, ground: Ground) -> None:
        self._counts: Counter[str] = Counter()

    def list_observers(self) -> Observers:
        """Return what counts a call when it ends."""
        return Observers(calls=[self._count_call])

    def list_routes(self) -> Sequence[Route]:
        """Return the route, for callers with an API key."""
        return [Route("GET", "/tool-counts", self._show_counts)]

    def _count_call(self, call: OpenCall) -> None:
        if call.phase in TERMINAL:
            self._counts[call.request.tool_name] += 1

    async def _show_counts(self, _request: web.Request) -> web.Response:
        return web.json_response(self._counts)
