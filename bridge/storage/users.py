"""Storage of users, API keys, page tickets and devices, and of which browser runs which server.

Secrets are stored as SHA-256 hashes: they are random and 256 bits long, so that a slow hash would add
nothing.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import ColumnElement, Select, delete, func, or_, select, update
from sqlalchemy.engine import CursorResult
from sqlalchemy.ext.asyncio import AsyncSession

from bridge.settings.answer_format import CallDisplay, MarkerForm, display_named, form_named
from bridge.settings.quotas import DEFAULT_QUOTAS, QuotaSettings, check_quota
from bridge.storage.dialects import dialect_of, insert_missing, lock_server, lock_user
from bridge.storage.store import Store
from bridge.storage.tables import (
    ApiKeyRow,
    DeviceChoiceRow,
    DeviceRow,
    TicketRow,
    UserRow,
)
from bridge.storage.user_mapping import Device, User, UserFacts, device_of, groups_of, role_of, user_of

KEY_PREFIX = "tbk_"
"""Prefix of API keys, by which a leaked one can be recognized."""

TICKET_SECONDS = 24 * 3600
"""How long a printed page URL can be used, once, in seconds: a day's work at the terminal that shows it."""

OFFERED_TICKET_SECONDS = 5 * 60
"""How long a page link in a `no_browser` answer can be used, once, in seconds (ruling 24)."""

LOGIN_TICKET_SECONDS = 2 * 60
"""How long the ticket in which a login ends can be used, once, in seconds: the page spends it at once."""

LOGIN_TICKET_PREFIX = "login-"
"""Prefix of tickets that only the browser can spend that has logged in."""

MAX_DEVICE_NAME_CHARS = 100


@dataclass(frozen=True, slots=True)
class NewDevice:
    """A device that a ticket has just paired."""

    device: Device
    printed: bool
    """Whether the ticket was printed; see `PairingTicket`."""


@dataclass(frozen=True, slots=True)
class PairingTicket:
    """Whom a valid page ticket belongs to, and where it was made."""

    user: User
    printed: bool
    """Whether it was made at the command line, by whoever controls the machine; else it came with an
    answer."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key without its secret."""

    id: str
    label: str
    created_at: float
    forwarder: bool = False
    show_calls: CallDisplay | None = None
    """How answers of models show calls; None: the default for its kind of key."""
    markers: MarkerForm | None = None
    """Form of markers; None: as the client needs them."""


@dataclass(frozen=True, slots=True)
class KeyHolder:
    """The user of a key, and whether it may name other users."""

    user: User
    forwarder: bool
    """Whether the key belongs to a program that names the user of each call itself, such as Open WebUI."""
    label: str
    key_id: str
    show_calls: CallDisplay | None = None
    markers: MarkerForm | None = None


@dataclass(frozen=True, slots=True)
class AccessIds:
    """Ids of what callers get in by."""

    keys: frozenset[str]
    devices: frozenset[str]
    users: frozenset[str]
    """Who may act without a key or browser of their own: named by forwarders and access tokens."""


def new_id() -> str:
    """Return 128 random bits in hexadecimal."""
    return secrets.token_hex(16)


def bind_ticket(ticket: str, secret: str) -> str:
    """Return what stands for a ticket that only the holder of a secret may spend."""
    return f"{ticket}.{secret}"


def hash_secret(secret: str) -> str:
    """Return the SHA-256 in hexadecimal, also of what a header brings that is no text."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


class UserTables:
    """Stores users, keys, tickets and devices. Every method is one transaction, committed when it returns."""

    def __init__(self, store: Store) -> None:
        self._session = store.sessions

    async def ensure_user(self, name: str) -> User:
        """Return the user of that name, created if there is none."""
        async with self._session.begin_transaction() as session:
            return user_of(await ensure_user_row(session, name))

    async def ensure_forwarded_user(self, issuer: str, subject: str, display_name: str) -> User:
        """Return the user that a forwarder knows as `subject`, created if new, with the newest display name.

        The name is `issuer:subject`, so that a person who changes name or e-mail there stays the same here.
        """
        async with self._session.begin_transaction() as session:
            row = await ensure_user_row(session, f"{issuer}:{subject}")
            row.display_name = display_name or subject
            return user_of(row)

    async def find_user(self, user_id: str) -> User | None:
        """Return a user; None: there is none, or an operator has disabled the user."""
        query = select(UserRow).where(UserRow.id == user_id, UserRow.disabled_at.is_(None))
        async with self._session() as session:
            row = await session.scalar(query)
            return None if row is None else user_of(row)

    async def list_users(self) -> list[UserFacts]:
        """Return all users, oldest first."""
        async with self._session() as session:
            rows = await session.scalars(select(UserRow).order_by(UserRow.created_at))
            devices = list(await session.scalars(select(DeviceRow.user_id)))
            keys = list(await session.scalars(select(ApiKeyRow.user_id)))
            return [
                UserFacts(
                    row.id,
                    row.name,
                    row.display_name,
                    row.created_at,
                    devices.count(row.id),
                    keys.count(row.id),
                    role_of(row),
                    groups_of(row),
                    row.logged_in_at,
                    row.login_ends_at,
                    row.disabled_at,
                )
                for row in rows
            ]

    async def add_key(
        self,
        user_id: str,
        label: str,
        *,
        forwarder: bool = False,
        show_calls: CallDisplay | None = None,
        markers: MarkerForm | None = None,
        key: str | None = None,
    ) -> tuple[str, str]:
        """Create an API key; returns its id and the key, which cannot be read again.

        `key`: one that nobody can guess; None: a random one.
        """
        key = key or KEY_PREFIX + secrets.token_urlsafe(32)
        async with self._session.begin_transaction() as session:
            row = ApiKeyRow(
                id=new_id(),
                user_id=user_id,
                label=label,
                key_hash=hash_secret(key),
                created_at=time.time(),
                forwarder=forwarder,
                show_calls=show_calls,
                markers=markers,
            )
            session.add(row)
            return row.id, key

    async def list_keys(self, user_id: str) -> list[ApiKey]:
        """Return a user's keys, oldest first."""
        async with self._session() as session:
            rows = await session.scalars(
                select(ApiKeyRow).where(ApiKeyRow.user_id == user_id).order_by(ApiKeyRow.created_at)
            )
            return [
                ApiKey(
                    row.id,
                    row.label,
                    row.created_at,
                    row.forwarder,
                    display_named(row.show_calls),
                    form_named(row.markers),
                )
                for row in rows
            ]

    async def delete_key(self, user_id: str, key_id: str) -> bool:
        """Revoke a key; False when the user has no such key."""
        async with self._session.begin_transaction(changes="keys") as session:
            return await _changed(
                session, delete(ApiKeyRow).where(ApiKeyRow.user_id == user_id, ApiKeyRow.id == key_id)
            )

    async def holder_of_key(self, key: str) -> KeyHolder | None:
        """Return the user of a key; None when the key is unknown, or its user disabled."""
        return await self._holder(ApiKeyRow.key_hash == hash_secret(key))

    async def holder_of_key_id(self, key_id: str) -> KeyHolder | None:
        """Return the user of a key by the key's id; None when it is unknown or revoked."""
        return await self._holder(ApiKeyRow.id == key_id)

    async def _holder(self, which: ColumnElement[bool]) -> KeyHolder | None:
        query = select(ApiKeyRow, UserRow).join(UserRow).where(which, UserRow.disabled_at.is_(None))
        async with self._session() as session:
            found = (await session.execute(query)).one_or_none()
            if found is None:
                return None
            row, user = found
            return KeyHolder(
                user_of(user),
                row.forwarder,
                row.label,
                row.id,
                display_named(row.show_calls),
                form_named(row.markers),
            )

    async def add_ticket(self, user_id: str, *, printed: bool = True, bound_to: str | None = None) -> str:
        """Create a ticket that can be spent once within `TICKET_SECONDS`; deletes expired ones.

        One that is not `printed` lasts for `OFFERED_TICKET_SECONDS` and replaces the user's last such ticket.
        `bound_to`: a secret without which it is worth nothing, of the browser that has just logged in; it
        lasts for `LOGIN_TICKET_SECONDS`. `bind_ticket` joins the two.
        """
        ticket = secrets.token_urlsafe(32)
        now = time.time()
        lifetime = TICKET_SECONDS if printed else OFFERED_TICKET_SECONDS
        spent = ticket
        if bound_to is not None:
            ticket = LOGIN_TICKET_PREFIX + ticket
            spent, lifetime = bind_ticket(ticket, bound_to), LOGIN_TICKET_SECONDS
        async with self._session.begin_transaction() as session:
            await session.execute(delete(TicketRow).where(TicketRow.expires_at < now))
            if not printed:
                await session.execute(
                    delete(TicketRow).where(TicketRow.user_id == user_id, TicketRow.printed.is_(False))
                )
            session.add(
                TicketRow(
                    ticket_hash=hash_secret(spent),
                    user_id=user_id,
                    expires_at=now + lifetime,
                    printed=printed,
                )
            )
        return ticket

    async def spend_ticket(
        self, ticket: str, public_key: str, browser: str, *, quotas: QuotaSettings = DEFAULT_QUOTAS
    ) -> NewDevice | User | None:
        """Pair a browser with the ticket's user; None when the ticket is spent, expired or unknown.

        A ticket that was not printed pairs only a user's first browser: if there is one already, the ticket
        is spent and its user returned, who has to confirm the further browser there (ruling 24). One from the
        command line lets its user in without a login from then on.

        Raises:
            BridgeError: `quota_exceeded`; the ticket is not spent.
        """
        known = _good_ticket(ticket)
        async with self._session.begin_transaction(changes="devices") as session:
            found = (await session.execute(_ticket_and_user(known))).one_or_none()
            if found is None or not await _changed(session, delete(TicketRow).where(*known)):
                return None
            row, user = found
            if not row.printed:
                await lock_user(session, user.id)  # Of two such tickets, one is for a further browser.
                if await _has_device(session, user.id):
                    return user_of(user)
            elif not ticket.startswith(LOGIN_TICKET_PREFIX):
                user.login_ends_at = None
            await check_number_of_devices(session, user.id, quotas)
            device = device_of(add_device_row(session, user.id, public_key, browser), user)
            return NewDevice(device, row.printed)

    async def has_ticket(self, ticket: str) -> bool:
        """Return whether a ticket can be spent, by somebody."""
        async with self._session() as session:
            query = select(TicketRow.user_id).where(*_good_ticket(ticket))
            return await session.scalar(query) is not None

    async def redeem_ticket(self, ticket: str, user_id: str) -> PairingTicket | None:
        """Spend a ticket for a browser that is this user's already; returns the ticket's facts.

        Another user's ticket is not spent. None when the ticket is spent, expired or unknown.
        """
        known = _good_ticket(ticket)
        async with self._session.begin_transaction() as session:
            found = (await session.execute(_ticket_and_user(known))).one_or_none()
            if found is None:
                return None
            row, user = found
            if user.id == user_id:
                await session.execute(delete(TicketRow).where(*known))
            return PairingTicket(user_of(user), row.printed)

    async def find_device(self, device_id: str) -> Device | None:
        """Return a paired browser by its id; None: there is none, or its user is disabled."""
        query = select(DeviceRow, UserRow).join(UserRow).where(DeviceRow.id == device_id)
        query = query.where(UserRow.disabled_at.is_(None))
        async with self._session() as session:
            found = (await session.execute(query)).one_or_none()
            return device_of(*found) if found else None

    async def find_devices(self, user_ids: Collection[str], device_ids: Collection[str]) -> list[Device]:
        """Return the browsers of these users, and those of these ids that are still paired.

        Those are left out whose user is disabled, or has to log in again.
        """
        wanted = or_(DeviceRow.user_id.in_(user_ids), DeviceRow.id.in_(device_ids))
        async with self._session() as session:
            found = await session.execute(
                select(DeviceRow, UserRow)
                .join(UserRow)
                .where(wanted, _logged_in(), UserRow.disabled_at.is_(None))
            )
            return [device_of(row, user) for row, user in found]

    async def find_access(self, asked: AccessIds) -> AccessIds:
        """Return those of some ids that may get in now; a statement for each kind that is asked for."""
        enabled = UserRow.disabled_at.is_(None)
        keys = select(ApiKeyRow.id).join(UserRow).where(ApiKeyRow.id.in_(asked.keys), enabled)
        devices = select(DeviceRow.id).join(UserRow).where(DeviceRow.id.in_(asked.devices), enabled)
        users = select(UserRow.id).where(UserRow.id.in_(asked.users), enabled)
        async with self._session() as session:

            async def read(ids: frozenset[str], query: Select[str]) -> frozenset[str]:
                return frozenset(await session.scalars(query)) if ids else frozenset()

            return AccessIds(
                await read(asked.keys, keys),
                await read(asked.devices, devices.where(_logged_in())),
                await read(asked.users, users),
            )

    async def list_devices(self, user_id: str) -> list[Device]:
        """Return a user's browsers, oldest first."""
        query = select(DeviceRow, UserRow).join(UserRow).where(DeviceRow.user_id == user_id)
        async with self._session() as session:
            found = await session.execute(query.order_by(DeviceRow.created_at))
            return [device_of(row, user) for row, user in found]

    async def rename_device(self, user_id: str, device_id: str, name: str) -> bool:
        """Rename a browser; False when the user has no such browser."""
        mine = (DeviceRow.user_id == user_id, DeviceRow.id == device_id)
        async with self._session.begin_transaction(changes="devices") as session:
            return await _changed(session, update(DeviceRow).where(*mine).values(name=name))

    async def see_device(self, device_id: str) -> None:
        """Record that a browser opened a session now."""
        async with self._session.begin_transaction() as session:
            await session.execute(
                update(DeviceRow).where(DeviceRow.id == device_id).values(last_seen_at=time.time())
            )

    async def delete_device(self, user_id: str, device_id: str) -> bool:
        """Delete a browser and every choice of it; False when the user has no such browser."""
        mine = (DeviceRow.user_id == user_id, DeviceRow.id == device_id)
        async with self._session.begin_transaction(changes="devices") as session:
            await lock_user(session, user_id)
            return await _changed(session, delete(DeviceRow).where(*mine))

    async def device_choices(self, user_id: str) -> Mapping[str, str]:
        """Return which browser a user wants for which server: server id to device id."""
        query = select(DeviceChoiceRow).where(DeviceChoiceRow.user_id == user_id)
        async with self._session() as session:
            return {row.server_id: row.device_id for row in await session.scalars(query)}

    async def choose_device(self, user_id: str, server_id: str, device_id: str | None) -> bool:
        """Choose the browser for a server; None: whichever was active last.

        False when there is no such server, or the user has no such browser.
        """
        mine = (DeviceChoiceRow.user_id == user_id, DeviceChoiceRow.server_id == server_id)
        async with self._session.begin_transaction(changes="device_choices") as session:
            await lock_user(session, user_id)
            there = await lock_server(session, server_id)
            await session.execute(delete(DeviceChoiceRow).where(*mine))
            if device_id is None:
                return True
            device = await session.get(DeviceRow, device_id)
            if device is None or device.user_id != user_id or not there:
                return False
            session.add(DeviceChoiceRow(user_id=user_id, server_id=server_id, device_id=device_id))
            return True


async def ensure_user_row(session: AsyncSession, name: str) -> UserRow:
    """Return the row of the user with that name, created if there is none."""
    found = select(UserRow).where(UserRow.name == name)
    row = await session.scalar(found)
    if row is None:  # Others may be creating the same user now.
        values = {"id": new_id(), "name": name, "created_at": time.time()}
        await session.execute(insert_missing(dialect_of(session), UserRow), values)
        row = (await session.scalars(found)).one()
    return row


def add_device_row(
    session: AsyncSession, user_id: str, public_key: str, browser: str, *, device_id: str | None = None
) -> DeviceRow:
    """Add a device of a user to the transaction of a session; `device_id`: None for a new one."""
    now = time.time()
    row = DeviceRow(
        id=device_id or new_id(),
        user_id=user_id,
        public_key=public_key,
        name=browser,
        created_at=now,
        last_seen_at=now,
    )
    session.add(row)
    return row


async def check_number_of_devices(session: AsyncSession, user_id: str, quotas: QuotaSettings) -> None:
    """Refuse one more device of a user who has too many.

    Raises:
        BridgeError: `quota_exceeded`; nothing of the transaction is kept.
    """
    await lock_user(session, user_id)
    number = await session.scalar(
        select(func.count()).select_from(DeviceRow).where(DeviceRow.user_id == user_id)
    )
    remedy = "Remove one that is not used, under Devices in another browser or by `tool-bridge devices`"
    variable = "TOOL_BRIDGE_BROWSERS_PER_USER"
    check_quota((number or 0) + 1, quotas.browsers, variable, what="browsers", remedy=remedy)


def _logged_in() -> ColumnElement[bool]:
    """Return what is true of users who need not log in again."""
    return or_(UserRow.login_ends_at.is_(None), UserRow.login_ends_at > time.time())


async def _has_device(session: AsyncSession, user_id: str) -> bool:
    return await session.scalar(select(DeviceRow.id).where(DeviceRow.user_id == user_id).limit(1)) is not None


def _good_ticket(ticket: str) -> tuple[Any, Any]:
    return TicketRow.ticket_hash == hash_secret(ticket), TicketRow.expires_at >= time.time()


def _ticket_and_user(known: tuple[Any, Any]) -> Select[TicketRow, UserRow]:
    return select(TicketRow, UserRow).join(UserRow).where(*known, UserRow.disabled_at.is_(None))


async def _changed(session: AsyncSession, statement: Any) -> bool:
    return cast("CursorResult[Any]", await session.execute(statement)).rowcount > 0
