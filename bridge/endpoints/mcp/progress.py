"""What a client is told of a call that takes long: who or what it waits for, in words for a person."""

from __future__ import annotations

import asyncio
import time

from bridge.calls.open_call import OpenCall
from bridge.calls.state_machine import CallState
from bridge.endpoints.mcp.protocol import RequestId, event_frame, notification_bytes

_WORDS = {
    CallState.QUEUED: "Waiting for its turn, or for a bridge page.",
    CallState.SENT: "Sent to the bridge page.",
    CallState.AWAITING_APPROVAL: "Waiting for your approval in the bridge page.",
    CallState.RUNNING: "Running in the bridge page.",
}
_COMMENT = b": waiting\n\n"


class CallProgress:
    """The progress of one call: notifications for a client that gave a token, comments for any other.

    Several may wait for news of it; each tells what it has seen, so that none misses any.
    """

    def __init__(self, token: RequestId | None) -> None:
        """`token`: None if the client does not want to hear of it."""
        self.token = token
        self._began = time.monotonic()
        self.words = "Waiting."
        self.call_id: str | None = None
        """The call's id, once it has one."""
        self.is_asking = False
        """Whether the call's user is asked."""
        self.news = 0
        """How often there was something new so far."""
        self._has_news: asyncio.Event | None = None
        """Made for the first who waits."""

    def note_call(self, call: OpenCall) -> None:
        """Note that the call has changed."""
        words = _WORDS.get(call.state, self.words)
        self.call_id = call.call_id
        self.is_asking = call.state is CallState.AWAITING_APPROVAL
        if words != self.words:
            self.words = words
            self.wake(None)

    def wake(self, _ended: object) -> None:
        """Wake whoever waits for news: the call has changed, or what is waited for has ended."""
        self.news += 1
        if self._has_news is not None:
            self._has_news.set()
            self._has_news = None

    async def wait_for_news(self, seen: int) -> int:
        """Wait until there is news beyond the first `seen`; returns how much there is now."""
        if self.news == seen:
            if self._has_news is None:
                self._has_news = asyncio.Event()
            await self._has_news.wait()
        return self.news

    def take_frame(self) -> bytes:
        """Return what to send now. Its number, the seconds since the beginning, only grows."""
        if self.token is None:
            return _COMMENT
        seconds = round(time.monotonic() - self._began, 3)
        params = {"progressToken": self.token, "progress": seconds, "message": self.words}
        return event_frame(notification_bytes("notifications/progress", params))
