"""Browsers waiting for confirmation: each shows a short code to type in a browser that is already paired.

A code is bound to the public key of the browser that shows it, works once and for `CODE_SECONDS`, and is held
in memory only. Guessing is hopeless by its length and by the limit on wrong codes.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bridge.auth.attempts import Attempts
from bridge.errors import BridgeError, ErrorCode
from bridge.storage.users import Device, User, UserStore

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


@dataclass(slots=True)
class WaitingBrowser:
    """A browser that waits for confirmation and shows a code."""

    code: str
    secret: str
    """Secret of that browser, with which it polls its status."""
    public_key: str
    browser: str
    """Name that it claims; anybody can claim anything here."""
    address: str
    """Where its request came from, as the bridge sees it."""
    requested_at: float
    """Seconds since 1970."""
    ends_at: float
    """End of the waiting time, by the clock of `PairingCodes`."""
    user_id: str | None
    """The only user who may confirm it: the owner of its link, or the first who typed its code."""
    state: Literal["waiting", "confirmed", "refused"] = "waiting"
    device: Device | None = None


class PairingCodes:
    """All browsers that wait for confirmation."""

    def __init__(
        self, store: UserStore, attempts: Attempts, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._clock = clock
        self._waiting: dict[str, WaitingBrowser] = {}
        self._wrong_codes = attempts.limit_attempts(
            "wrong codes",
            per_key=WRONG_CODES,
            in_all=WRONG_CODES_IN_ALL,
            window_s=CODE_SECONDS,
            clock=clock,
        )

    def begin_waiting(
        self, public_key: str, *, browser: str, address: str, user_id: str | None = None
    ) -> WaitingBrowser:
        """Add a waiting browser, for any user or only for the owner of its link.

        Raises:
            BridgeError: `rate_limited`: too many wait already.
        """
        self._sweep()
        of_address = sum(waiting.address == address for waiting in self._waiting.values())
        if len(self._waiting) >= MAX_WAITING or of_address >= MAX_WAITING_OF_ADDRESS:
            message = "Too many browsers are waiting to be confirmed. Try again in a few minutes."
            detail = {"retry_after_s": CODE_SECONDS}
            raise BridgeError(ErrorCode.RATE_LIMITED, message, detail=detail, retryable=True)
        waiting = WaitingBrowser(
            code="".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_CHARS)),
            secret=secrets.token_urlsafe(32),
            public_key=public_key,
            browser=browser,
            address=address,
            requested_at=time.time(),
            ends_at=self._clock() + CODE_SECONDS,
            user_id=user_id,
        )
        self._waiting[waiting.secret] = waiting
        return waiting

    def find_waiting(self, secret: str) -> WaitingBrowser | None:
        """Return the browser with that secret; None once it has expired."""
        self._sweep()
        return self._waiting.get(secret)

    async def find_by_code(self, user: User, code: str) -> WaitingBrowser:
        """Return the browser that shows a code; from now on only this user may confirm it.

        Raises:
            BridgeError: `not_found`, the same for a code that is unknown, expired or another user's;
                `rate_limited` after too many of those; `cluster_unavailable`: replicas cannot count them.
        """
        await self._wrong_codes.check_attempts(user.id)
        self._sweep()
        normalized = "".join(code.upper().split()).replace("-", "")
        found = next((one for one in self._waiting.values() if _shows(one, normalized, user)), None)
        if found is None:
            await self._wrong_codes.take_attempt(user.id)
            message = (
                "No browser is waiting with this code. It is valid for 5 minutes; reload the page there."
            )
            raise BridgeError(ErrorCode.NOT_FOUND, message)
        found.user_id = user.id
        return found

    async def decide_pairing(self, user: User, code: str, *, accept: bool) -> Device | None:
        """Pair the browser that shows a code with the user, or reject it (None). Works once.

        Raises:
            BridgeError: as `find`.
        """
        found = await self.find_by_code(user, code)
        if not accept:
            found.state = "refused"
            return None
        found.state = "confirmed"  # Nothing was awaited since it was found: a second decision finds nobody.
        found.device = await self._store.add_device(user.id, found.public_key, found.browser)
        return found.device

    def _sweep(self) -> None:
        now = self._clock()
        for secret in [secret for secret, one in self._waiting.items() if one.ends_at <= now]:
            del self._waiting[secret]


def _shows(waiting: WaitingBrowser, code: str, user: User) -> bool:
    if waiting.state != "waiting" or waiting.user_id not in (None, user.id):
        return False
    return secrets.compare_digest(waiting.code, code) if code.isascii() else False


BROWSERS = (
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
"""Browser names in the order of matching: most user agents also claim to be those below."""

SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser_name(user_agent: str) -> str:
    """Return a name from a fixed list, whatever was sent: a person decides by it."""
    browser = next((name for mark, name in BROWSERS if mark in user_agent), "Browser")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), None)
    return f"{browser} on {system}" if system else browser
