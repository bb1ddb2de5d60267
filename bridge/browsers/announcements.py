"""Events that the bridge sends to pages unprompted: changes to their user's data, and receipts of results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from bridge.browser_protocol import (
    EVENT_APPROVALS,
    EVENT_BREAKERS,
    EVENT_CALLS,
    EVENT_DEVICES,
    EVENT_RECEIPT,
    EVENT_SERVERS,
)
from bridge.browsers.connected_pages import ConnectedPages
from bridge.settings.approvals import ApprovalMode
from bridge.tasks import yield_to_loop

ANNOUNCE_DELAY_S = 0.25
"""Seconds before pages hear that calls wait for a slot, or that a browser connected, left or was active: a
state that is over by then is not worth a message."""

RECEIPT_DELAY_S = 0.05
"""Seconds for which receipts of results are collected into one message (ruling 6)."""

USERS_AT_ONCE = 10
"""Users whose pages are sent an announcement to all before other tasks run."""

SendEvent = Callable[[str, str, object], None]
"""Sends an event with its data to a socket, without waiting: `(sid, event, data)`."""


class Announcements:
    """Sends announcements to the pages of one bridge, without waiting until a page has read them."""

    def __init__(self, pages: ConnectedPages, send: SendEvent) -> None:
        self._pages = pages
        self._send = send
        self._scheduled: set[tuple[str, str]] = set()
        """Pairs of event and user whose announcement is scheduled."""
        self._receipts: dict[str, list[str]] = {}
        """Calls to acknowledge, by socket."""

    async def servers_changed(self, user_id: str | None) -> None:
        """Announce to the pages of one user, or of all, that the list of servers changed."""
        users = [user_id] if user_id is not None else self._pages.user_ids()
        for count, user in enumerate(users, 1):
            self._announce(EVENT_SERVERS, user)
            if count % USERS_AT_ONCE == 0:
                await yield_to_loop()

    async def breakers_changed(self, user_id: str) -> None:
        """Announce to the pages of a user that a breaker opened or closed."""
        self._announce(EVENT_BREAKERS, user_id)

    async def devices_changed(self, user_id: str) -> None:
        """Announce to the pages of a user that one of the user's devices was added or removed."""
        self._announce(EVENT_DEVICES, user_id)

    async def approvals_changed(self, user_id: str, mode: ApprovalMode) -> None:
        """Announce to the pages of a user the approval mode that applies now."""
        self._announce(EVENT_APPROVALS, user_id, {"approval_mode": mode})

    def calls_changed(self, user_id: str) -> None:
        """Announce to the pages of a user, after a short delay, that calls started or stopped waiting."""
        self._announce_soon(EVENT_CALLS, user_id)

    def presence_changed(self, user_id: str) -> None:
        """Announce to the pages of a user, after a short delay, that one connected, left or was active."""
        self._announce_soon(EVENT_DEVICES, user_id)

    def schedule_receipt(self, sid: str, call_id: str) -> None:
        """Schedule a receipt that tells a page that its report of a call has arrived."""
        scheduled = self._receipts.get(sid)
        if scheduled is not None:
            scheduled.append(call_id)
            return
        self._receipts[sid] = [call_id]
        asyncio.get_running_loop().call_later(RECEIPT_DELAY_S, self._send_receipts, sid)

    def forget_socket(self, sid: str) -> None:
        """Drop the receipts for a socket that has closed."""
        self._receipts.pop(sid, None)

    def _announce(self, event: str, user_id: str, data: object = None) -> None:
        for sid in self._pages.sockets_of_user(user_id):
            self._send(sid, event, {} if data is None else data)

    def _announce_soon(self, event: str, user_id: str) -> None:
        """Schedule one announcement, however often the change happens within `ANNOUNCE_DELAY_S`."""
        if (event, user_id) in self._scheduled or self._pages.count_pages(user_id) == 0:
            return
        self._scheduled.add((event, user_id))
        asyncio.get_running_loop().call_later(ANNOUNCE_DELAY_S, self._announce_now, event, user_id)

    def _announce_now(self, event: str, user_id: str) -> None:
        self._scheduled.discard((event, user_id))
        self._announce(event, user_id)

    def _send_receipts(self, sid: str) -> None:
        if call_ids := self._receipts.pop(sid, None):
            self._send(sid, EVENT_RECEIPT, {"call_ids": call_ids})
