"""`GET /api/calls/statistics`: what the caller's ended calls of some hours add up to."""

from __future__ import annotations

import time
from dataclasses import asdict

from aiohttp import web

from bridge.calls.statistics import CallFigures, EndedCall, count_by_time, figures_of, group_figures
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import ApiModel, json_answer
from bridge.storage.call_journal import CallJournal
from bridge.storage.calls.latest_calls import LatestCallTables

MAX_HOURS = 24 * 30
"""As long as calls are stored."""

DEFAULT_HOURS = 24
PARTS = 48
"""Stretches of time in one answer: as many bars as a phone can show."""

MAX_COUNTED = 20_000
"""Newest calls that are counted; chosen, so that one question takes tens of milliseconds."""

MAX_TOOLS = 200
"""Tools in one answer, those with most calls."""


class Figures(ApiModel):
    """Figures of some calls. Milliseconds count from the decision to the end; None: no call was made."""

    calls: int
    failed: int
    """Without an answer, or with a status of 400 or more."""
    not_made: int
    """Denied or cancelled; not among the failed."""
    median_ms: float | None
    p95_ms: float | None


class ServerFigures(Figures):
    """Figures of a server's calls."""

    server: str


class ToolFigures(ServerFigures):
    """Figures of a tool's calls."""

    tool: str


class CallStatistics(ApiModel):
    """Figures of the caller's ended calls. Times are UTC seconds since 1970."""

    since: float
    until: float
    is_complete: bool
    """False: only the newest 20,000 calls are counted."""
    total: Figures
    parts: list[Figures]
    """48 equal stretches of the time, oldest first."""
    servers: list[ServerFigures]
    tools: list[ToolFigures]
    """At most 200, those with most calls first."""


class LatestCalls(ApiModel):
    """When the caller's newest call of each server was opened, by its id; UTC seconds since 1970."""

    servers: dict[str, float]


class CallStatisticsRoutes(DeclaredApiRoutes):
    """Handlers of what calls add up to."""

    def __init__(self, journal: CallJournal, latest: LatestCallTables) -> None:
        self._journal = journal
        self._latest = latest

    @api_route("GET /api/calls/latest", ok("Times.", LatestCalls))
    async def find_latest(self, request: web.Request) -> web.Response:
        """Say when each server was called last, of the calls of the last 30 days."""
        await self._journal.catch_up()
        latest = await self._latest.find_latest(caller_of(request).user.id)
        return json_answer(LatestCalls(servers=dict(latest)))

    @api_route(
        "GET /api/calls/statistics",
        ok("Figures; `?hours=` 1 to 720 (24 unless told).", CallStatistics),
        errors=(ErrorCode.INVALID_REQUEST,),
    )
    async def count_calls(self, request: web.Request) -> web.Response:
        """Count the caller's ended calls, their failures and their times, by time, server and tool."""
        until = time.time()
        since = until - 3600 * _hours(request.query.get("hours"))
        calls = await self._journal.list_ended(caller_of(request).user.id, since=since, limit=MAX_COUNTED + 1)
        counted = calls[:MAX_COUNTED]
        tools = group_figures(counted, lambda call: (call.server_id, call.tool))[:MAX_TOOLS]
        servers = group_figures(counted, lambda call: (call.server_id,))
        return json_answer(
            CallStatistics(
                since=since,
                until=until,
                is_complete=len(calls) <= MAX_COUNTED,
                total=_told(figures_of(counted)),
                parts=[_told(part) for part in _parts(counted, since, until)],
                servers=[ServerFigures(server=name[0], **asdict(figures)) for name, figures in servers],
                tools=[
                    ToolFigures(server=server, tool=tool, **asdict(figures))
                    for (server, tool), figures in tools
                ],
            )
        )


def _parts(calls: list[EndedCall], since: float, until: float) -> list[CallFigures]:
    return count_by_time(calls, since=since, until=until, parts=PARTS)


def _told(figures: CallFigures) -> Figures:
    return Figures(**asdict(figures))


def _hours(text: str | None) -> int:
    hours = DEFAULT_HOURS if text is None else int(text) if text.isascii() and text.isdigit() else 0
    if not 1 <= hours <= MAX_HOURS:
        message = f"hours: a whole number from 1 to {MAX_HOURS}."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": "hours"})
    return hours
