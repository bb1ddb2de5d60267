"""Transfers: what one browser hands to another of the same user, sealed so that the bridge cannot read it.

They are in memory only, at the home of their user: a bridge that stops, and a user who moves to another
replica, lose them, and their user shows a new code.
"""

from __future__ import annotations

import asyncio
import hmac
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from bridge.calls.limits.token_bucket import RateLimit
from bridge.errors import BridgeError, ErrorCode

TRANSFER_SECONDS = 10 * 60
MAX_TRANSFER_CHARS = 1024 * 1024
"""Maximum length of one (`static/backup/envelope.js`)."""

MAX_TRANSFERS = 50
"""Maximum number of transfers that wait at once, each of another user."""

OFFERS = 20
WRONG_IDS = 10
"""Maximum offers, and attempts with an id that leads nowhere, of one user in `TRANSFER_SECONDS`."""


TransferStanding: TypeAlias = Literal["waiting", "fetched", "gone"]
"""Whether a transfer can be fetched, was, or is over or taken back."""


@dataclass(frozen=True, slots=True)
class _Transfer:
    transfer_id: str
    envelope: str | None
    """None: it was fetched."""
    timer: asyncio.TimerHandle


class Transfers:
    """What waits to be fetched: one of each user, once, for `TRANSFER_SECONDS`."""

    def __init__(self, lifetime_s: float = TRANSFER_SECONDS) -> None:
        self._lifetime_s = lifetime_s
        self._waiting: dict[str, _Transfer] = {}
        """By user id; fetched ones for as long as they would have waited."""
        self._offers = RateLimit("transfers", per_key=OFFERS, window_s=TRANSFER_SECONDS)
        self._wrong_ids = RateLimit("wrong codes", per_key=WRONG_IDS, window_s=TRANSFER_SECONDS)

    def offer_transfer(self, user_id: str, transfer_id: str, envelope: str) -> None:
        """Let a transfer wait, in place of the user's former one.

        Raises:
            BridgeError: `rate_limited`: the user offered too many, or too many users have one.
        """
        self._offers.take_token(user_id)
        self.withdraw_transfer(user_id)
        if sum(each.envelope is not None for each in self._waiting.values()) >= MAX_TRANSFERS:
            message = "Too many transfers are waiting. Try again in a few minutes, or use a file."
            detail = {"retry_after_s": TRANSFER_SECONDS}
            raise BridgeError(ErrorCode.RATE_LIMITED, message, detail=detail, retryable=True)
        timer = asyncio.get_running_loop().call_later(self._lifetime_s, self.withdraw_transfer, user_id)
        self._waiting[user_id] = _Transfer(transfer_id, envelope, timer)

    def take_transfer(self, user_id: str, transfer_id: str) -> str:
        """Return the user's transfer of that id, once.

        Raises:
            BridgeError: `not_found`, the same for one that is unknown, fetched, over or another user's;
                `rate_limited` after too many of those.
        """
        self._wrong_ids.check_rate(user_id)
        found = self._waiting.get(user_id)
        if found is None or found.envelope is None or not hmac.compare_digest(found.transfer_id, transfer_id):
            self._wrong_ids.take_token(user_id)
            message = (
                "Nothing waits under this code: it is wrong, was used, or is over. Show a new one there."
            )
            raise BridgeError(ErrorCode.NOT_FOUND, message)
        self._waiting[user_id] = replace(found, envelope=None)
        return found.envelope

    def find_standing(self, user_id: str) -> TransferStanding:
        """Return how the user's last transfer stands."""
        found = self._waiting.get(user_id)
        if found is None:
            return "gone"
        return "fetched" if found.envelope is None else "waiting"

    def withdraw_transfer(self, user_id: str) -> None:
        """Forget what waits for a user."""
        if (found := self._waiting.pop(user_id, None)) is not None:
            found.timer.cancel()
