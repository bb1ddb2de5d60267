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
    """The progress of one call: notifications for a client that gave a token, comments for any other."""

    def __init__(self, token: RequestId | None) -> None:
        """`token`: None if the client does not want to hear of it."""
        self.token = token
        self._began = time.monotonic()
        self.words = "Waiting."
        self.call_id: str | None = None
        """The call's id, once it has one."""
        self.is_asking = False
        """Whether the call's user is asked."""
        self._has_ended = False
        self.has_news = asyncio.Event()
        """Set when there is something new to tell, and for good when the call has ended."""

    def note_call(self, call: OpenCall) -> None:
        """Note that the call has changed."""
        words = _WORDS.get(call.state, self.words)
        self.call_id = call.call_id
        self.is_asking = call.state is CallState.AWAITING_APPROVAL
        if words != self.words:
            self.words = words
            self.has_news.set()

    def note_end(self, _ended: object) -> None:
        """Note that the call has ended."""
        self._has_ended = True
        self.has_news.set()

    async def wait_for_news(self) -> None:
        """Wait until the call has changed, or has ended."""
        await self.has_news.wait()
        if not self._has_ended:
            self.has_news.clear()

    def take_frame(self) -> bytes:
        """Return what to send now. Its number, the seconds since the beginning, only grows."""
        if self.token is None:
            return _COMMENT
        if not self._has_ended:
            self.has_news.clear()
        seconds = round(time.monotonic() - self._began, 3)
        params = {"progressToken": self.token, "progress": seconds, "message": self.words}
        return event_frame(notification_bytes("notifications/progress", params))
