"""Browsers waiting for confirmation: each shows a short code to type in a browser that is already paired.

A code is bound to the public key of the browser that shows it, and works once and for `CODE_SECONDS`.
Guessing is hopeless by its length and by the limit on wrong codes.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from bridge.auth.attempts import Attempts
from bridge.errors import BridgeError, ErrorCode
from bridge.settings.quotas import DEFAULT_QUOTAS, QuotaSettings
from bridge.storage.accounts.pairings import PairingTable, WaitingBrowser
from bridge.storage.users import Device, User

_FoundT = TypeVar("_FoundT")

CODE_SECONDS = 5 * 60
CODE_CHARS = 8
CODE_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Characters of codes, without look-alikes: no 0, O, 1, I, L."""

MAX_WAITING = 500
MAX_WAITING_OF_ADDRESS = 20
"""Maximum browsers that wait at once, in all and behind one address; an office may share one."""

WRONG_CODES = 10
WRONG_CODES_IN_ALL = 100
"""Maximum wrong codes of one user, and of all together, in `CODE_SECONDS`."""


@dataclass(frozen=True, slots=True)
class ShownCode:
    """What a browser that waits is given."""

    code: str
    secret: str
    """Secret of that browser, with which it polls its status."""


class PairingCodes:
    """All browsers that wait for confirmation, here and in other replicas."""

    def __init__(
        self,
        table: PairingTable,
        attempts: Attempts,
        *,
        quotas: QuotaSettings = DEFAULT_QUOTAS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._table = table
        self._quotas = quotas
        self._wrong_codes = attempts.limit_attempts(
            "wrong codes",
            per_key=WRONG_CODES,
            in_all=WRONG_CODES_IN_ALL,
            window_s=CODE_SECONDS,
            clock=clock,
        )
        self._looking = asyncio.Lock()
        """So that codes that come together are counted one after another."""

    async def begin_waiting(
        self, public_key: str, *, browser: str, address: str, user_id: str | None = None
    ) -> ShownCode:
        """Add a waiting browser, for any user or only for the owner of its link.

        Raises:
            BridgeError: `rate_limited`: too many wait already; `database_unavailable`.
        """
        code = "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_CHARS))
        shown = ShownCode(code, secrets.token_urlsafe(32))
        is_added = await self._table.add_browser(
            shown.secret,
            shown.code,
            public_key=public_key,
            browser=browser,
            address=address,
            user_id=user_id,
            lifetime_s=CODE_SECONDS,
            most=MAX_WAITING,
            most_of_address=MAX_WAITING_OF_ADDRESS,
        )
        if not is_added:
            message = "Too many browsers are waiting to be confirmed. Try again in a few minutes."
            detail = {"retry_after_s": CODE_SECONDS}
            raise BridgeError(ErrorCode.RATE_LIMITED, message, detail=detail, retryable=True)
        return shown

    async def find_waiting(self, secret: str) -> WaitingBrowser | None:
        """Return the browser with that secret; None once it has expired."""
        return await self._table.find_browser(secret)

    async def find_by_code(self, user: User, code: str) -> WaitingBrowser:
        """Return the browser that shows a code; from now on only this user may confirm it.

        Raises:
            BridgeError: `not_found`, the same for a code that is unknown, expired or another user's;
                `rate_limited` after too many of those; `cluster_unavailable`: replicas cannot count them;
                `database_unavailable`.
        """
        return await self._look_up(user, code, self._table.reserve_browser)

    async def decide_pairing(self, user: User, code: str, *, accept: bool) -> Device | None:
        """Pair the browser that shows a code with the user, or reject it (None). Works once.

        Raises:
            BridgeError: as `find_by_code`; `quota_exceeded`.
        """
        if accept:
            return await self._look_up(user, code, partial(self._table.confirm_browser, quotas=self._quotas))
        await self._look_up(user, code, self._table.refuse_browser)
        return None

    async def _look_up(
        self, user: User, code: str, look: Callable[[str, str], Awaitable[_FoundT | None]]
    ) -> _FoundT:
        """Return what `look` finds; a wrong code counts."""
        async with self._looking:
            await self._wrong_codes.check_attempts(user.id)
            found = await look(user.id, "".join(code.upper().split()).replace("-", ""))
            if found is not None:
                return found
            await self._wrong_codes.take_attempt(user.id)
        message = "No browser is waiting with this code. It is valid for 5 minutes; reload the page there."
        raise BridgeError(ErrorCode.NOT_FOUND, message)
