"""A dispatcher on a virtual clock, with pages that do what a test tells them."""

import asyncio
from dataclasses import dataclass
from typing import Literal

from bridge.browser_protocol import Decision, DecisionReason, Result
from bridge.calls.call_ids import CallIds
from bridge.calls.call_watch import CallObservers
from bridge.calls.dispatcher import RESUME_S, Dispatcher
from bridge.calls.limits.settings import Deadline, SetBy
from bridge.calls.outcome import CallOutcome
from bridge.calls.request import CallContext, CallRequest
from bridge.errors import ErrorCode
from tests.support.calls.fake_browser import FakeBrowser, FakeDecisions, FakeJournal, page
from tests.support.waiting import eventually


@dataclass
class FreeSlot:
    """A slot that is always free."""

    given: Deadline

    def start_deadline(self) -> Deadline:
        return self.given

    def acquire_now(self) -> bool:
        return True

    async def acquire_slot(self) -> None:
        raise AssertionError("Nobody has to wait.")

    def release_slot(self) -> None: ...

    def record_outcome(self, outcome: CallOutcome) -> None: ...


def request(*, user: str = "ann", safe: bool = True) -> CallRequest:
    return CallRequest(
        CallContext(user),
        tool_name="listProducts",
        server_id="shop",
        operation_key="GET /products",
        operation_digest="d",
        origin="http://api.example",
        safe=safe,
        arguments_text="{}",
    )


def answered(call_id: str, status: int = 200, text: str = '{"ok":true}') -> Result:
    outcome = {
        "status": "answered",
        "http_status": status,
        "content_type": "application/json",
        "body": {"kind": "text", "text": text},
    }
    return Result.model_validate({"call_id": call_id, "outcome": outcome})


def failed(call_id: str, code: ErrorCode, delivered: str, *, retryable: bool = False) -> Result:
    error = {"code": code, "message": "It did not work.", "retryable": retryable}
    outcome = {"status": "failed", "error": error, "delivered": delivered}
    return Result.model_validate({"call_id": call_id, "outcome": outcome})


def decision_of(
    call_id: str,
    decision: Literal["once", "chat", "timed", "always", "denied"],
    reason: DecisionReason = "user",
) -> Decision:
    return Decision(call_id=call_id, decision=decision, reason=reason)


class DispatcherHarness:
    """A dispatcher with one page each for Ann and Bob."""

    def __init__(
        self, journal: FakeJournal | None = None, observers: CallObservers | None = None, **pages: str
    ) -> None:
        sids = pages or {"ann": "page-a", "bob": "page-b"}
        self.browser = FakeBrowser({user: page(sid) for user, sid in sids.items()})
        self.journal = journal or FakeJournal()
        self.decisions = FakeDecisions()
        self.resume_s = RESUME_S
        self.dispatcher = Dispatcher(
            self.browser,
            self.journal,
            self.decisions,
            CallIds(b"secret"),
            no_browser_message="Open it.",
            resume_s=lambda: self.resume_s,
            observers=observers,
        )

    async def run(self, call: CallRequest, deadline_s: float = 60, set_by: SetBy = "call") -> CallOutcome:
        return await self.dispatcher.dispatch_call(call, FreeSlot(Deadline(deadline_s, set_by)))

    def start(self, call: CallRequest, deadline_s: float = 60) -> "asyncio.Task[CallOutcome]":
        return asyncio.create_task(self.run(call, deadline_s))

    async def sent(self, count: int = 1) -> str:
        await eventually(lambda: len(self.browser.sent) >= count)
        return self.browser.sent[count - 1].call_id
