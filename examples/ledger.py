"""The ledger: every request that may change something, in the order of arrival.

Tests compare it with what a caller was told: each order must be here exactly once, whatever happened to its
answer.
"""

from dataclasses import asdict, dataclass, field

from aiohttp import web
from aiohttp.typedefs import Handler

_SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
_MOST_BODY_CHARS = 4096
_LEDGER_PATH = "/ledger"


@dataclass(slots=True)
class Entry:
    """One unsafe request."""

    number: int
    method: str
    path: str
    """As it arrived, still percent-encoded, with the query."""
    idempotency_key: str | None
    body: str
    """The first 4096 characters; what is not UTF-8 is replaced. Empty for multipart bodies."""
    status: int | None = None
    """How it was answered; None while it is not, and for ever when the caller went away."""


@dataclass(slots=True)
class Ledger:
    """The entries so far; numbers go on after a clearing."""

    entries: list[Entry] = field(default_factory=list[Entry])
    last_number: int = 0

    def write(self, method: str, path: str, idempotency_key: str | None, body: str) -> Entry:
        """Add an entry for a request that is about to be performed."""
        self.last_number += 1
        entry = Entry(self.last_number, method, path, idempotency_key, body)
        self.entries.append(entry)
        return entry


LEDGER = web.AppKey("ledger", Ledger)


@web.middleware
async def keep_ledger(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Write unsafe requests down before they are performed, and their status afterwards."""
    if request.method in _SAFE or request.path == _LEDGER_PATH:
        return await handler(request)
    # A multipart body can be read only once, and its handler needs it.
    content = b"" if request.content_type.startswith("multipart/") else await request.read()
    body = content.decode("utf-8", "replace")[:_MOST_BODY_CHARS]
    key = request.headers.get("Idempotency-Key")
    entry = request.app[LEDGER].write(request.method, request.raw_path, key, body)
    response = await handler(request)
    entry.status = response.status
    return response


async def _show_ledger(request: web.Request) -> web.Response:
    return web.json_response({"entries": [asdict(entry) for entry in request.app[LEDGER].entries]})


async def _clear_ledger(request: web.Request) -> web.Response:
    request.app[LEDGER].entries.clear()
    return web.Response(status=204)


def ledger_routes() -> list[web.RouteDef]:
    """`GET /ledger` shows it, `DELETE /ledger` empties it."""
    return [web.get(_LEDGER_PATH, _show_ledger), web.delete(_LEDGER_PATH, _clear_ledger)]
