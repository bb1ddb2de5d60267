"""What calls need of the world: pages, a journal, and somebody who remembers decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from bridge.browser_protocol import Result
from bridge.calls.open_call import ApprovalVerdict, CallRecord, CallRequest, OpenCall, Page
from bridge.calls.state_machine import CallState


class JournalUnavailable(Exception):
    """The journal cannot be written."""


class Browser(Protocol):
    """The pages of all users, as the dispatcher sees them."""

    async def page_for(self, user_id: str, origin: str, server_id: str) -> Page | None:
        """The page that should run a call of a server to `origin` now; None: there is none that can."""
        ...

    async def next_page(self, user_id: str, origin: str, server_id: str, resume_s: float) -> Page | None:
        """The page that should run it, once there is one; None: there is none in time.

        A page that is just taking over newly accepted origins is waited for, briefly, and one that was there
        a moment ago for `resume_s` from then on.
        """
        ...

    async def send_call(self, call: OpenCall) -> None:
        """Send `execute:tool`; the page's ack comes back through `Dispatcher.accept_call`."""
        ...

    async def send_turn(self, sid: str, call_id: str) -> None:
        """Tell a page that was told to wait to say its decision once more; never fails."""
        ...

    def calls_changed(self, user_id: str) -> None:
        """A call of this user began to wait for its turn, or waits no more; never fails and never waits."""
        ...

    async def send_cancel(self, sid: str, call_id: str, reason: str) -> None:
        """Ask a page to abort a call; never fails and never waits for an answer."""
        ...


class Journal(Protocol):
    """What is kept of calls, so that a crash leaves no doubt that need not be."""

    async def record_opened(self, record: CallRecord, within_s: float) -> None:
        """Write down an unsafe call before its page may begin it; when this returns it outlives the process.

        Raises:
            JournalUnavailable: it cannot be written, or not in time; then the call must not be sent.
        """
        ...

    def record_ended(self, record: CallRecord) -> None:
        """Write down how a call ended, some time soon; never fails."""
        ...

    def record_late(self, user_id: str, result: Result) -> None:
        """A page of this user reported a call that has ended already; never fails."""
        ...


class Decisions(Protocol):
    """Who remembers what a decision is good for beyond its call."""

    def remember_decision(self, call_id: str, request: CallRequest, verdict: ApprovalVerdict) -> None:
        """A call was approved or denied, by its user or because nobody answered in time.

        Never fails and never waits.
        """
        ...


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """What the journal has of a call."""

    state: CallState
    http_status: int | None = None


class CallKnowledge(Protocol):
    """The journal of calls, as it knows those of a turn."""

    async def of_turn(self, user_id: str, turn_id: str, *, since: float) -> Mapping[str, JournalEntry]:
        """What it has of the calls of a turn, by the model's `call_id`. `since`: the turn's beginning."""
        ...
