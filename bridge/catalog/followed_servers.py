"""What other processes store of servers, taken over while this one runs.

Other replicas add, change and remove servers; a command disables the user who shares one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence, Set
from contextlib import suppress
from typing import Protocol

from bridge.catalog.registry import Registry
from bridge.catalog.server_view import ServerRecord
from bridge.errors import BridgeError
from bridge.tasks import Tasks, sleep_safely

READ_OWNERS_EVERY_S = 60.0
"""Seconds after which servers of a user whom a command has disabled or enabled are withheld or offered."""

LOAD_WAIT_S = 5.0
"""Seconds for which changed documents keep other changes waiting, such as withdrawn keys and new limits."""

_log = logging.getLogger(__name__)


class ServerVersions(Protocol):
    """What all replicas store of servers.

    Raises, in every coroutine:
        BridgeError: `database_unavailable`.
    """

    async def server_versions(self) -> Mapping[str, str]:
        """Return the ids of all servers of all users, each with what every change changes."""
        ...

    async def read_servers(self, server_ids: Collection[str]) -> Sequence[ServerRecord]:
        """Return those of these servers that there are, in any order."""
        ...


class FollowedServers:
    """The servers of a registry, kept as they are stored. Its methods run one after another."""

    def __init__(self, registry: Registry, stored: ServerVersions, tasks: Tasks) -> None:
        """`tasks` own what is still compiled when others have waited long enough."""
        self._registry = registry
        self._stored = stored
        self._tasks = tasks
        self._seen: Mapping[str, str] = {}
        self._loading: dict[str, asyncio.Task[None]] = {}
        """By server; an ended one may be among them."""

    async def note_versions(self) -> None:
        """Note what is stored before the registry loads its servers; what differs later is a change.

        A document that an earlier run shared, and this one does not, is stored but not loaded.
        """
        self._seen = await self._stored.server_versions()

    async def load_changes(self) -> None:
        """Load what was added or changed since the last time, and drop what was removed.

        Returns when that is loaded or late: a document may take a minute to compile, and comes when it is
        ready, unless it was changed or removed by then. Own changes are among them; they are read, and found
        to be loaded. A document that cannot be compiled is logged, and stays as it was here.
        """
        versions = await self._stored.server_versions()
        for server_id in self._seen.keys() - versions.keys():
            self._stop_loading(server_id)
            await self._registry.drop_server(server_id)
        changed = [server_id for server_id, seen in versions.items() if self._seen.get(server_id) != seen]
        for record in await self._stored.read_servers(changed) if changed else ():
            self._stop_loading(record.id)
            loading = self._load_record(record)
            self._loading[record.id] = self._tasks.start_task(loading, f"changed server {record.id}")
        self._seen = versions
        if self._loading:
            await asyncio.wait(self._loading.values(), timeout=LOAD_WAIT_S)
        self._loading = {key: task for key, task in self._loading.items() if not task.done()}

    def _stop_loading(self, server_id: str) -> None:
        """Stop loading what is no longer stored, which would undo the change."""
        if (task := self._loading.pop(server_id, None)) is not None:
            task.cancel()

    async def _load_record(self, record: ServerRecord) -> None:
        try:
            await self._registry.adopt_record(record)
        except BridgeError as error:
            _log.error("Server %s as it was changed cannot be loaded: %s", record.id, error.error.message)


class SharingUsers(Protocol):
    """Who shares servers.

    Raises, in every coroutine:
        BridgeError: `database_unavailable`.
    """

    async def disabled_sharers(self) -> Set[str]:
        """Return the ids of users who share a server and whom an operator has disabled."""
        ...


class FollowedOwners:
    """The users whose shared servers a registry offers: none who is disabled, until enabled again."""

    def __init__(self, registry: Registry, stored: SharingUsers) -> None:
        self._registry = registry
        self._stored = stored

    async def read_owners(self) -> None:
        """Withhold what disabled users share, and nothing else.

        Raises:
            BridgeError: `database_unavailable`; nothing is changed.
        """
        await self._registry.withhold_servers(await self._stored.disabled_sharers())

    async def keep_reading(self, every_s: float = READ_OWNERS_EVERY_S) -> None:
        """Read now and then, until cancelled: nobody tells what a command has done."""
        while True:
            await sleep_safely(every_s)
            with suppress(BridgeError):
                await self.read_owners()
