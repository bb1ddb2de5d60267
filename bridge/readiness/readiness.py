"""Readiness: whether a call would work, as `/readyz` says it.

Asking is cheap: a result is used again for `Timings.checked_s`, and a check that runs is shared by all who
ask. They wait at most `CHECK_S` for one (the canary has more), however long it hangs. A check that hangs is
never started twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from aiohttp import hdrs, web
from pydantic import Field

from bridge.errors import BridgeError
from bridge.http.declared_routes import DeclaredRoutes, route
from bridge.http.routing import ApiModel, json_answer
from bridge.tasks import Tasks
from bridge.timings import USUAL_TIMINGS

CHECK_S = 2.0
"""Seconds after which a check that has not ended counts as failed."""

Probe = Callable[[], Awaitable[str]]
"""Looks at one thing: returns a sentence about it, or raises `NotReady` or `BridgeError`."""


class NotReady(Exception):
    """Something that a call needs does not work; the text says what, in a sentence without secrets."""


class CheckResult(ApiModel):
    """What one check found."""

    name: str
    ok: bool
    message: str
    seconds: float | None = Field(default=None, description="how long it took; null: it has not ended")


class ReadinessReport(ApiModel):
    """What all checks found."""

    status: Literal["ready", "not_ready"]
    checks: list[CheckResult]


class Check:
    """One check, which runs once at a time."""

    def __init__(
        self, name: str, probe: Probe, tasks: Tasks, *, check_s: float = CHECK_S, fresh_s: float = 0
    ) -> None:
        """`check_s`: seconds until it counts as failed; `fresh_s`: as `Timings.checked_s`, if longer."""
        self._check_s = check_s
        self._fresh_s = fresh_s
        self._name = name
        self._probe = probe
        self._tasks = tasks
        self._ended = asyncio.Event()
        self._ended.set()
        self._began_at = self._ended_at = float("-inf")
        self._result = self._failed("It was not checked yet.")

    def begin(self, fresh_s: float) -> None:
        """Start the check, unless it runs or its result is not older than `fresh_s`."""
        if not self._ended.is_set() or _now() < self._ended_at + max(fresh_s, self._fresh_s):
            return
        self._ended.clear()
        self._began_at = _now()
        self._tasks.start_task(self._run(), f"readiness: {self._name}")

    async def read_result(self) -> CheckResult:
        """Return the result, as soon as there is one. Cancelling this does not end the check."""
        try:
            async with asyncio.timeout_at(self._began_at + self._check_s):
                await self._ended.wait()
        except TimeoutError:
            return self._failed(f"No answer within {self._check_s:g} s.")
        return self._result

    async def _run(self) -> None:
        self._result = self._failed("The check failed; the log of the bridge says how.")
        try:
            message = await self._probe()
            self._result = CheckResult(name=self._name, ok=True, message=message, seconds=self._taken_s)
        except NotReady as error:
            self._result = self._failed(str(error), self._taken_s)
        except BridgeError as error:
            self._result = self._failed(error.error.message, self._taken_s)
        finally:
            self._ended_at = _now()
            self._ended.set()

    @property
    def _taken_s(self) -> float:
        return round(_now() - self._began_at, 3)

    def _failed(self, message: str, seconds: float | None = None) -> CheckResult:
        return CheckResult(name=self._name, ok=False, message=message, seconds=seconds)


class Readiness(DeclaredRoutes):
    """All checks of a bridge, until it stops."""

    def __init__(self, checks: Sequence[Check], fresh_s: float = USUAL_TIMINGS.checked_s) -> None:
        """`fresh_s`: seconds for which results are used again."""
        self._checks = checks
        self._fresh_s = fresh_s
        self._end: CheckResult | None = None

    def stop(self, name: str = "bridge", message: str = "The bridge is stopping.") -> None:
        """Be not ready from now on, for this reason, without a look at anything."""
        self._end = CheckResult(name=name, ok=False, message=message, seconds=0)

    async def read_report(self) -> ReadinessReport:
        """Return what the checks find; takes at most as long as the slowest may."""
        if self._end is not None:
            return ReadinessReport(status="not_ready", checks=[self._end])
        for check in self._checks:
            check.begin(self._fresh_s)
        results = [await check.read_result() for check in self._checks]
        is_ready = all(result.ok for result in results)
        return ReadinessReport(status="ready" if is_ready else "not_ready", checks=results)

    @route("GET /readyz", access="public", answers_head=True)
    async def answer_request(self, _request: web.Request) -> web.Response:
        """Answer `/readyz`: 200 or 503, which no cache may store."""
        report = await self.read_report()
        answer = json_answer(report, status=200 if report.status == "ready" else 503)
        answer.headers[hdrs.CACHE_CONTROL] = "no-store"
        return answer


def _now() -> float:
    return asyncio.get_running_loop().time()
