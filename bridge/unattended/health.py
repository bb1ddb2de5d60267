"""How the page stands, as monitors ask for it: `GET /healthz` on this machine alone."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from bridge.settings.running_bridge import reason_of_refusal
from bridge.told_failure import ToldFailure
from bridge.unattended.reports import Code, Entered, Entrance, PolicyApplied, Report, State

HOST = "127.0.0.1"

_log = logging.getLogger(__name__)


class HealthUnusable(ToldFailure):
    """The port of the endpoint cannot be used; the text says why."""


@dataclass
class PageStanding:
    """What is known of the page now; changed by reports as they come."""

    reason: str = "The browser is being started."
    """Why it takes no calls; empty: it is connected."""
    problems: Sequence[str] = ()
    """What its policy asks for and is not in force."""
    has_policy: bool = False
    running: int = 0
    """Calls."""
    memory_bytes: int | None = None
    """None: it is not known, as before the first look and where the system does not say it."""
    restarts: int = 0

    @property
    def is_healthy(self) -> bool:
        """Whether it takes calls, under its whole policy."""
        return self.has_policy and not self.reason and not self.problems

    def begin(self, reason: str) -> None:
        """Forget the page: another browser takes its place."""
        self.reason, self.problems, self.has_policy = reason, (), False
        self.running, self.memory_bytes = 0, None

    def note_report(self, report: Report) -> None:
        """Take over what the page says."""
        match report:
            case Entrance(message=message):
                self.begin(message)
            case Code():
                self.begin("The browser waits until its code is confirmed.")
            case Entered():
                self.begin("The policy is being applied.")
            case PolicyApplied(problems=problems):
                self.has_policy, self.problems = True, tuple(problems)
            case State(role=role, connection=connection, error=error, running=running):
                is_online = (role, connection) == ("executor", "online")
                self.reason = (
                    "" if is_online else error or f"The page is not connected ({role}, {connection})."
                )
                self.running = running

    def as_json(self) -> dict[str, Any]:
        """Return it as the endpoint answers it."""
        return {
            "status": "ok" if self.is_healthy else "unavailable",
            "reason": " ".join(filter(None, (self.reason, *self.problems))),
            "running": self.running,
            "memory_mb": None if self.memory_bytes is None else self.memory_bytes // 2**20,
            "restarts": self.restarts,
        }


async def start_health(port: int, standing: PageStanding) -> web.AppRunner:
    """Answer `GET /healthz`: 200 while the page is healthy, else 503.

    Raises:
        HealthUnusable: nothing can listen there.
    """

    async def show(_request: web.Request) -> web.Response:
        status = 200 if standing.is_healthy else 503
        return web.json_response(standing.as_json(), status=status, headers={"Cache-Control": "no-store"})

    application = web.Application()
    application.router.add_get("/healthz", show)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, HOST, port)
    try:
        await site.start()
    except (OSError, OverflowError) as error:
        await runner.cleanup()
        reason = reason_of_refusal(error) if isinstance(error, OSError) else str(error)
        raise HealthUnusable(f"--health-port {port} cannot be used: {reason}") from None
    _log.info("Health: http://%s:%d/healthz", HOST, runner.addresses[0][1])
    return runner
