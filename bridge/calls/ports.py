"""The ports of calls: pages, the journal, and the memory of approval decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from bridge.browser_protocol import Result
from bridge.calls.open_call import Confirmation, OpenCall, Page
from bridge.calls.outcome import CallOutcome
from bridge.calls.state_machine import CallState


class JournalUnavailable(Exception):
    """The journal cannot be written."""


class HomeLost(JournalUnavailable):
    """The user of a call is at home in another replica, which alone may write about the user's calls."""


class Browser(Protocol):
    """The pages of all users, as the dispatcher sees them."""

    async def page_for(self, user_id: str, origin: str, server_id: str) -> Page | None:
        """Return the page that should run a call of a server to `origin` now; None: no page can."""
        ...

    async def next_page(self, user_id: str, origin: str, server_id: str, resume_s: float) -> Page | None:
        """Wait for the page that should run the call; None: there is none in time.

        Waits briefly for a page that is just taking over newly accepted origins, and, for a page that has
        left, until `resume_s` seconds after that.
        """
        ...

    async def send_call(self, call: OpenCall) -> None:
        """Send `execute:tool`; the page's ack comes back through `Dispatcher.accept_call`."""
        ...

    async def announce_slot(self, sid: str, call_id: str) -> None:
        """Ask a page whose approved call waits for a slot to send its decision again; never fails."""
        ...

    def calls_changed(self, user_id: str) -> None:
        """Announce that a call of this user began or ceased to wait for a slot; never fails or waits."""
        ...

    async def send_cancel(self, sid: str, call_id: str, reason: str) -> None:
        """Ask a page to abort a call; never fails and never waits for an answer."""
        ...


class Journal(Protocol):
    """The stored record of calls, so that a crash leaves no avoidable doubt about what was sent."""

    async def record_opened(self, call: OpenCall, within_s: float, *, may_begin: bool) -> None:
        """Record an unsafe call before it is sent; on return, the record survives a crash.

        `may_begin`: whether its page is about to be allowed to begin it.

        Raises:
            JournalUnavailable: it cannot be written, or not in time; then the call must not be sent.
        """
        ...

    def hold_opening(self, call: OpenCall) -> bool:
        """Take what has to be recorded of a call that is sent next, and that its page may begin.

        True: it is recorded before its message is written, together with others, or the message is not
        written and the call is declined; one that only reads needs no record. False: nothing was taken;
        `record_opened` and `acts_for` decide.
        """
        ...

    def acts_for(self, user_id: str) -> bool:
        """Return whether calls of a user may be sent or begin here now: always, in a bridge alone."""
        ...

    def record_ended(self, call: OpenCall, *, may_begin: bool) -> Confirmation | None:
        """Record how a call ended, without waiting for the write; never fails.

        `may_begin`: whether its page had been allowed to begin it. Nobody may hear of the ending before the
        confirmation that this returns; None: at once.
        """
        ...

    def record_late(self, user_id: str, result: Result) -> Confirmation | None:
        """Record a page's report of a call that is not open here; never fails.

        The page's receipt has to wait for the confirmation that this returns; None: it need not.
        """
        ...


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """An ended call of the journal that its client may send again. Times are UTC seconds since 1970."""

    user_id: str
    caller: str
    digest: str
    opened_at: float
    outcome: CallOutcome
    """Without the answer's body, which the journal does not have."""
    heard: bool
    heard_at: float
    """When it was noted that the answer was heard or was not."""


class RepeatJournal(Protocol):
    """What the journal knows of calls that may be sent again."""

    def record_delivery(self, user_id: str, call_id: str, *, heard: bool) -> None:
        """Record whether the answer to a call was heard; never fails and never waits."""
        ...

    async def find_keyed(
        self, user_id: str, caller: str, key_digest: str, *, within_s: float
    ) -> RecordedCall | None:
        """Return the ended call of an idempotency key, opened within the last `within_s` seconds.

        Raises:
            BridgeError: `database_unavailable`.
        """
        ...


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """What the journal knows about a call."""

    state: CallState
    http_status: int | None = None


class CallKnowledge(Protocol):
    """Read access to the journal by turn."""

    async def of_turn(self, user_id: str, turn_id: str, *, since: float) -> Mapping[str, JournalEntry]:
        """Return what is known about a turn's calls, by the model's `call_id`; the turn began at `since`."""
        ...
