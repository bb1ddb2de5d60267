"""Second implementations of the dispatcher's ports: pages that do what a test tells them, and a journal."""

import asyncio
from dataclasses import dataclass, field

from bridge.browser_protocol import Result
from bridge.calls.approvals import Approvals
from bridge.calls.dispatcher import RESUME_S
from bridge.calls.open_call import ApprovalVerdict, OpenCall, Page
from bridge.calls.outcome import CallOutcome
from bridge.calls.ports import JournalUnavailable, RecordedCall
from bridge.calls.request import CallRequest
from bridge.calls.state_machine import CallState


def page(sid: str, *, device: str = "", instance: str = "w1", epoch: str = "e1") -> Page:
    """A page; its device is named like its socket unless it says otherwise."""
    return Page(sid, device or sid, instance, epoch)


@dataclass
class FakeBrowser:
    """Pages by user; records what was sent."""

    pages: dict[str, Page] = field(default_factory=dict[str, Page])
    sent: list[OpenCall] = field(default_factory=list[OpenCall])
    asked_for_approval: list[bool] = field(default_factory=list[bool])
    """Of each call that was sent, whether its page was told to ask."""
    cancelled: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    announced_slots: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    changed_calls: list[str] = field(default_factory=list[str])

    async def page_for(self, user_id: str, origin: str, server_id: str) -> Page | None:
        return self.pages.get(user_id)

    async def next_page(self, user_id: str, origin: str, server_id: str, resume_s: float) -> Page | None:
        """For a page that left `RESUME_S` ago."""
        left_s = resume_s - RESUME_S
        while left_s > 0:
            await asyncio.sleep(0.5)
            left_s -= 0.5
            if page := self.pages.get(user_id):
                return page
        return None

    async def announce_slot(self, sid: str, call_id: str) -> None:
        self.announced_slots.append((sid, call_id))

    def calls_changed(self, user_id: str) -> None:
        self.changed_calls.append(user_id)

    async def send_call(self, call: OpenCall) -> None:
        self.sent.append(call)
        self.asked_for_approval.append(call.must_ask)

    async def send_cancel(self, sid: str, call_id: str, reason: str) -> None:
        self.cancelled.append((sid, call_id, reason))


@dataclass
class FakeDecisions(Approvals):
    """Records what was decided."""

    made: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def remember_decision(self, call_id: str, request: CallRequest, verdict: ApprovalVerdict) -> None:
        self.made.append((request.operation_key, verdict.decision))


@dataclass(frozen=True)
class Recorded:
    """What the journal was told of a call, at that moment."""

    call_id: str
    request: CallRequest
    state: CallState
    may_begin: bool
    outcome: CallOutcome | None
    verdict: ApprovalVerdict | None

    @classmethod
    def of_call(cls, call: OpenCall, *, may_begin: bool) -> "Recorded":
        return cls(call.call_id, call.request, call.state, may_begin, call.outcome, call.verdict)


@dataclass
class FakeRepeatJournal:
    """Remembers deliveries, and has the calls of keys that a test gives it."""

    deliveries: list[tuple[str, str, bool]] = field(default_factory=list[tuple[str, str, bool]])
    keyed: list[RecordedCall] = field(default_factory=list[RecordedCall])

    def record_delivery(self, user_id: str, call_id: str, *, heard: bool) -> None:
        self.deliveries.append((user_id, call_id, heard))

    async def find_keyed(
        self, user_id: str, caller: str, key_digest: str, *, within_s: float
    ) -> RecordedCall | None:
        await asyncio.sleep(0)
        known = [call for call in self.keyed if (call.user_id, call.caller) == (user_id, caller)]
        return known[0] if known else None


@dataclass
class FakeJournal:
    """Keeps records in lists; refuses them while it is `broken`."""

    opened_records: list[Recorded] = field(default_factory=list[Recorded])
    ended_records: list[Recorded] = field(default_factory=list[Recorded])
    late_results: list[tuple[str, Result]] = field(default_factory=list[tuple[str, Result]])
    broken: bool = False

    async def record_opened(self, call: OpenCall, within_s: float, *, may_begin: bool) -> None:
        if self.broken:
            raise JournalUnavailable
        self.opened_records.append(Recorded.of_call(call, may_begin=may_begin))

    def hold_opening(self, call: OpenCall) -> bool:
        return False

    def acts_for(self, user_id: str) -> bool:
        return True

    def record_ended(self, call: OpenCall, *, may_begin: bool) -> None:
        self.ended_records.append(Recorded.of_call(call, may_begin=may_begin))

    def record_late(self, user_id: str, result: Result) -> None:
        self.late_results.append((user_id, result))
