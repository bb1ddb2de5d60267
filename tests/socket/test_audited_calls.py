"""What the audit log says of pages that speak of calls."""

import asyncio

import pytest

from bridge.audit import AuditKind
from bridge.auth.rejected_requests import RejectedRequests
from bridge.browsers.audited_listener import AuditedListener
from bridge.calls.open_call import OpenCall
from tests.support.calls.dispatcher_harness import DispatcherHarness, decision_of, request
from tests.support.calls.fake_browser import FakeJournal
from tests.support.calls.memory_approvals import FakeAudit
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]


async def test_a_decision_on_the_call_of_another_page_is_a_forgery() -> None:
    """Whoever looks into the log must see that somebody tried."""
    harness, audit = DispatcherHarness(), FakeAudit()
    running = harness.start(request(safe=False))
    call_id = await harness.sent()
    calls = AuditedListener(harness.dispatcher, audit, RejectedRequests(audit))
    assert not (await calls.apply_decision("page-b", decision_of(call_id, "once"))).may_begin
    assert [kind for kind, *_ in audit.notes] == [AuditKind.REFUSED.value]
    running.cancel()


async def test_a_decision_that_comes_after_its_call_was_taken_back_is_none() -> None:
    """The page does what it should; its user answered while the call went to another one."""
    harness, audit = DispatcherHarness(journal=SlowJournal()), FakeAudit()
    running = harness.start(request(safe=False))
    await eventually(lambda: bool(harness.dispatcher.open_calls("ann")))
    call = harness.dispatcher.open_calls("ann")[0]
    calls = AuditedListener(harness.dispatcher, audit, RejectedRequests(audit))
    await eventually(lambda: call.sid == "page-a")
    calls.abandon_session("page-a")
    assert not (await calls.apply_decision("page-a", decision_of(call.call_id, "once"))).may_begin
    assert audit.notes == []
    running.cancel()


class SlowJournal(FakeJournal):
    """One that never has anything."""

    async def record_opened(self, call: OpenCall, within_s: float, *, may_begin: bool) -> None:
        await asyncio.Event().wait()
