"""The API, and the ledger of what it really did: the judge of every ending."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.faults.plan import CallPlan


@dataclass
class Deeds:
    """What became of the requests of one call."""

    fetched: list[float] = field(default_factory=list[float])
    """When the page called `fetch`."""
    performed: list[float] = field(default_factory=list[float])
    """When the API carried it out."""
    resent_by_browser: int = 0
    answered: bool = False
    """A page received the answer whole."""
    told: bool = False
    """It was receipted, or the bridge took it as late."""


Schedule = Callable[[float, Callable[[], None]], Any]


class Api:
    """Performs requests as the plan of their call says."""

    def __init__(self, schedule: Schedule, now: Callable[[], float], note: Callable[[str], None]) -> None:
        self._schedule, self._now, self._note = schedule, now, note
        self.deeds: dict[str, Deeds] = {}

    def of(self, call_id: str) -> Deeds:
        return self.deeds.setdefault(call_id, Deeds())

    def fetch(
        self, call_id: str, plan: CallPlan, settled: Callable[[dict[str, Any]], None]
    ) -> Callable[[], None]:
        """Send the request; `settled` gets the page's outcome for it. Returns what aborts it."""
        deeds = self.of(call_id)
        deeds.fetched.append(self._now())
        self._note(f"API: fetch of call {plan.number}")
        gone = [False]

        def arrive() -> None:
            if gone[0]:  # aborted before it left
                return
            if plan.api in ("proves_absence", "loses_request"):
                settled(_failed("network", "no" if plan.api == "proves_absence" else "unknown", retry=True))
                return
            deeds.performed.append(self._now())
            if plan.api == "sent_twice" and not plan.safe:
                deeds.performed.append(self._now())
                deeds.resent_by_browser += 1
            self._note(f"API: call {plan.number} performed")
            if plan.api != "never_answers":
                self._schedule(plan.takes_s, answer)

        def answer() -> None:
            settled(_outcome(call_id, plan))

        def abort() -> None:
            gone[0] = True

        self._schedule(0.002, arrive)
        return abort


def _outcome(call_id: str, plan: CallPlan) -> dict[str, Any]:
    if plan.api == "breaks_off":
        return _failed("network", "unknown", retry=True)
    if plan.api == "too_large":
        return _failed("too_large", "unknown", retry=False)
    body: dict[str, str] = {"kind": "uploaded"} if plan.is_large else {"kind": "text", "text": call_id}
    status = 500 if plan.api == "refuses" else 200
    return {"status": "answered", "http_status": status, "content_type": "text/plain", "body": body}


def _failed(code: str, delivered: str, *, retry: bool) -> dict[str, Any]:
    error = {"code": code, "message": "It did not work.", "retryable": retry}
    return {"status": "failed", "error": error, "delivered": delivered}
