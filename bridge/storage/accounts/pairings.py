"""Browsers that wait for confirmation, in the database: whichever replica shows a code, any can confirm it.

Code and secret are stored as hashes. A code has 40 bits, so that its hash hides it from nobody who reads the
database; but it lasts for minutes, and is worth something only to a user who is to confirm it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, cast

from sqlalchemy import CursorResult, case, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from bridge.settings.quotas import DEFAULT_QUOTAS, QuotaSettings
from bridge.storage.store import Store
from bridge.storage.tables import DeviceRow, PairingRow, UserRow
from bridge.storage.users import (
    Device,
    add_device_row,
    check_number_of_devices,
    device_of,
    hash_secret,
    new_id,
)

PairingState = Literal["waiting", "confirmed", "refused"]


@dataclass(frozen=True, slots=True)
class WaitingBrowser:
    """A browser that shows a code, or did."""

    public_key: str
    browser: str
    """Name that it claims; anybody can claim anything here."""
    address: str
    """Where its request came from, as the bridge saw it."""
    requested_at: float
    """UTC seconds since 1970."""
    state: PairingState = "waiting"
    device: Device | None = None
    """What it has become; None: nothing, or it was removed since."""


class PairingTable:
    """All browsers that wait for confirmation.

    A row is decided by one UPDATE of a row that waits, so that of several that come together one succeeds.

    Raises, in every coroutine:
        BridgeError: `database_unavailable`.
    """

    def __init__(self, store: Store, now: Callable[[], float] = time.time) -> None:
        self._session = store.sessions
        self._now = now

    async def add_browser(
        self,
        secret: str,
        code: str,
        *,
        public_key: str,
        browser: str,
        address: str,
        user_id: str | None,
        lifetime_s: float,
        most: int,
        most_of_address: int,
    ) -> bool:
        """Add a browser, and delete those whose time is over.

        False, and none is added: `most` browsers wait, or `most_of_address` of this address. Those of one
        user, who have had a good link, count among themselves, and those of strangers among theirs. Some more
        may, where replicas add some at the same moment.
        """
        now = self._now()
        of_address = func.coalesce(func.sum(case((PairingRow.address == address, 1), else_=0)), 0)
        async with self._session.begin_transaction() as session:
            await session.execute(delete(PairingRow).where(PairingRow.expires_at <= now))
            alike = PairingRow.user_id.is_(None) if user_id is None else PairingRow.user_id == user_id
            counted = await session.execute(select(func.count(), of_address).where(alike))
            in_all, at_address = counted.one()
            if in_all >= most or at_address >= most_of_address:
                return False
            row = {
                "secret_hash": hash_secret(secret),
                "code_hash": hash_secret(code),
                "public_key": public_key,
                "browser": browser,
                "address": address,
                "user_id": user_id,
                "state": "waiting",
                "requested_at": now,
                "expires_at": now + lifetime_s,
            }
            await session.execute(insert(PairingRow), row)
            return True

    async def find_browser(self, secret: str) -> WaitingBrowser | None:
        """Return the browser with that secret; None once its time is over."""
        is_it = (PairingRow.secret_hash == hash_secret(secret), PairingRow.expires_at > self._now())
        async with self._session() as session:
            row = await session.scalar(select(PairingRow).where(*is_it))
            if row is None:
                return None
            query = select(DeviceRow, UserRow).join(UserRow).where(DeviceRow.id == row.device_id)
            found = (await session.execute(query)).one_or_none() if row.device_id else None
            return _waiting_browser(row, device_of(*found) if found else None)

    async def reserve_browser(self, user_id: str, code: str) -> WaitingBrowser | None:
        """Return the browser that shows a code, which from now on only this user may confirm.

        None: there is none, its time is over, it was decided, or another user has it.
        """
        async with self._session.begin_transaction() as session:
            row = await self._change(session, user_id, code, {})
            return None if row is None else _waiting_browser(row)

    async def confirm_browser(
        self, user_id: str, code: str, *, quotas: QuotaSettings = DEFAULT_QUOTAS
    ) -> Device | None:
        """Make the browser that shows a code a device of the user; None: as `reserve_browser`.

        Raises:
            BridgeError: `quota_exceeded`; the browser waits on.
        """
        device_id = new_id()
        async with self._session.begin_transaction(changes="devices") as session:
            row = await self._change(session, user_id, code, {"state": "confirmed", "device_id": device_id})
            if row is None:
                return None
            await check_number_of_devices(session, user_id, quotas)
            device = add_device_row(session, user_id, row.public_key, row.browser, device_id=device_id)
            return device_of(device, await session.get_one(UserRow, user_id))

    async def refuse_browser(self, user_id: str, code: str) -> WaitingBrowser | None:
        """Refuse the browser that shows a code, and return it; None: as `reserve_browser`."""
        async with self._session.begin_transaction() as session:
            row = await self._change(session, user_id, code, {"state": "refused"})
            return None if row is None else _waiting_browser(row)

    async def _change(
        self, session: AsyncSession, user_id: str, code: str, values: dict[str, Any]
    ) -> PairingRow | None:
        code_hash = hash_secret(code)
        waits = (
            PairingRow.code_hash == code_hash,
            PairingRow.state == "waiting",
            PairingRow.expires_at > self._now(),
            PairingRow.user_id.is_(None) | (PairingRow.user_id == user_id),
        )
        changed = await session.execute(update(PairingRow).where(*waits).values(user_id=user_id, **values))
        if cast("CursorResult[Any]", changed).rowcount == 0:
            return None
        return await session.scalar(select(PairingRow).where(PairingRow.code_hash == code_hash))


def _waiting_browser(row: PairingRow, device: Device | None = None) -> WaitingBrowser:
    state = cast(PairingState, row.state)
    return WaitingBrowser(row.public_key, row.browser, row.address, row.requested_at, state, device)
