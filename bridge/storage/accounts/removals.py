"""Keys and browsers of a user as they are stored, to put one back that its user has just removed."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from bridge.settings.quotas import QuotaSettings, check_quota
from bridge.storage.dialects import lock_server, lock_user
from bridge.storage.store import Store
from bridge.storage.tables import ApiKeyRow, DeviceChoiceRow, DeviceRow
from bridge.storage.users import check_number_of_devices


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A key of a user, with the digest by which it is known again."""

    id: str
    user_id: str
    label: str
    key_hash: str = field(repr=False)
    created_at: float
    forwarder: bool
    show_calls: str | None
    markers: str | None


@dataclass(frozen=True, slots=True)
class StoredDevice:
    """A browser of a user, with the servers whose calls it was chosen for."""

    id: str
    user_id: str
    public_key: str
    name: str
    created_at: float
    last_seen_at: float
    chosen_for: tuple[str, ...]


class RemovalTables:
    """Reads keys and browsers before they are removed, and puts them back."""

    def __init__(self, store: Store, quotas: QuotaSettings) -> None:
        self._session = store.sessions
        self._quotas = quotas

    async def find_key(self, user_id: str, key_id: str) -> StoredKey | None:
        """Return a key of a user; None: the user has no such key."""
        query = select(ApiKeyRow).where(ApiKeyRow.user_id == user_id, ApiKeyRow.id == key_id)
        async with self._session() as session:
            row = await session.scalar(query)
        if row is None:
            return None
        return StoredKey(
            row.id,
            row.user_id,
            row.label,
            row.key_hash,
            row.created_at,
            row.forwarder,
            row.show_calls,
            row.markers,
        )

    async def restore_key(self, key: StoredKey) -> bool:
        """Put a key back as it was; False: it is there again already, or another key with its text.

        Raises:
            BridgeError: `quota_exceeded`.
        """
        same = select(ApiKeyRow.id).where((ApiKeyRow.id == key.id) | (ApiKeyRow.key_hash == key.key_hash))
        async with self._session.begin_transaction(changes="keys") as session:
            await lock_user(session, key.user_id)
            if await session.scalar(same.limit(1)) is not None:
                return False
            await self._check_number_of_keys(session, key.user_id)
            session.add(
                ApiKeyRow(
                    id=key.id,
                    user_id=key.user_id,
                    label=key.label,
                    key_hash=key.key_hash,
                    created_at=key.created_at,
                    forwarder=key.forwarder,
                    show_calls=key.show_calls,
                    markers=key.markers,
                )
            )
        return True

    async def _check_number_of_keys(self, session: AsyncSession, user_id: str) -> None:
        query = select(func.count()).select_from(ApiKeyRow).where(ApiKeyRow.user_id == user_id)
        number = (await session.scalar(query) or 0) + 1
        remedy = "Revoke another one first"
        check_quota(number, self._quotas.keys, "TOOL_BRIDGE_KEYS_PER_USER", what="API keys", remedy=remedy)

    async def find_device(self, user_id: str, device_id: str) -> StoredDevice | None:
        """Return a browser of a user; None: the user has no such browser."""
        query = select(DeviceRow).where(DeviceRow.user_id == user_id, DeviceRow.id == device_id)
        chosen = select(DeviceChoiceRow.server_id).where(DeviceChoiceRow.device_id == device_id)
        async with self._session() as session:
            row = await session.scalar(query)
            servers = tuple(await session.scalars(chosen.order_by(DeviceChoiceRow.server_id)))
        if row is None:
            return None
        return StoredDevice(
            row.id, row.user_id, row.public_key, row.name, row.created_at, row.last_seen_at, servers
        )

    async def restore_device(self, device: StoredDevice) -> bool:
        """Put a browser back as it was, and for the servers for which none was chosen since.

        False: it is there again already.

        Raises:
            BridgeError: `quota_exceeded`.
        """
        async with self._session.begin_transaction(changes="devices") as session:
            await check_number_of_devices(session, device.user_id, self._quotas)
            if await session.get(DeviceRow, device.id) is not None:
                return False
            session.add(
                DeviceRow(
                    id=device.id,
                    user_id=device.user_id,
                    public_key=device.public_key,
                    name=device.name,
                    created_at=device.created_at,
                    last_seen_at=device.last_seen_at,
                )
            )
            await session.flush()
            for server_id in device.chosen_for:
                await _choose_again(session, device, server_id)
        return True


async def _choose_again(session: AsyncSession, device: StoredDevice, server_id: str) -> None:
    is_there = await lock_server(session, server_id)
    if is_there and await session.get(DeviceChoiceRow, (device.user_id, server_id)) is None:
        session.add(DeviceChoiceRow(user_id=device.user_id, server_id=server_id, device_id=device.id))
