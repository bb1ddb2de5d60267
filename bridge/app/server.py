"""The running bridge, and its end: parts are closed in the reverse of the order in which they started."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web

from bridge.app.composition import Components
from bridge.audit import AuditKind
from bridge.catalog.server_view import LoadedServer
from bridge.cluster.relay import Relay
from bridge.documents.sources import OWN_ONLY, ReferenceRules
from bridge.settings.network import page_url
from bridge.settings.running_bridge import RUNNING_FILE
from bridge.storage.users import User

if TYPE_CHECKING:
    from bridge.app.replica import Replica  # loads Redis's client, which a bridge alone does without


SHUTDOWN_SECONDS = 1.0
"""Seconds for the last responses; aiohttp waits twice that long. Every open call is settled before."""


@dataclass(frozen=True, slots=True)
class Bridge:
    """A running bridge."""

    components: Components
    runner: web.AppRunner
    server: asyncio.Server
    base_url: str
    local_user: User
    key: str
    """The local user's API key; stored in the data folder, so that it stays the same."""
    data_dir: Path
    relay: Relay | None = None
    """With several replicas: what passes requests on, and serves those of other replicas."""
    replica: Replica | None = None

    async def page_url(self) -> str:
        """Return the page's address with a one-time ticket of the local user; fragments appear in no log."""
        return page_url(self.base_url, await self.components.users.add_ticket(self.local_user.id))

    async def share_document(
        self, source: str, *, named: str | None = None, rules: ReferenceRules = OWN_ONLY
    ) -> LoadedServer:
        """Offer the document of a file or address to every user, with the files that it refers to.

        Raises:
            BridgeError: `document_unreachable` or `invalid_document`.
        """
        return await self.components.documents.share_document(source, named=named, rules=rules)

    async def close(self) -> None:
        """Stop accepting requests, give running calls time, settle the others, then close every part.

        A replica hands its users over first.
        """
        parts = self.components
        within_s = parts.controls.limits.now.tool_shutdown_timeout_seconds
        if self.replica is not None:
            await self.replica.leaving.drain(parts, within_s)
        parts.readiness.stop()
        await self._stop_listening()
        for part in parts.parts:
            part.refuse_work()
        await self._wait_for_calls(within_s)
        for part in reversed(parts.parts):
            await part.stop_work()
        await parts.ground.tasks.close()
        await parts.gateway.close_sockets()
        await self.runner.cleanup()
        if self.relay is not None:
            await self.relay.close()
        for part in reversed(parts.parts):
            await part.close()
        parts.ground.audit.add_entry(AuditKind.STOPPED, None, "bridge")
        await parts.ground.audit.flush_entries()
        await parts.store.close()
        self._forget_address()

    async def _stop_listening(self) -> None:
        """Accept no connection; a page that is disconnected tries again at once."""
        if self.relay is not None:
            self.relay.stop_listening()
        self.server.close()
        if self.relay is not None:
            await self.relay.hang_up()

    async def _wait_for_calls(self, within_s: float) -> None:
        """Give running calls time, and requests that a replica passed on."""
        async with asyncio.TaskGroup() as group:
            queue = self.components.controls.queue
            group.create_task(queue.wait_until_idle(within_s), name="wait for calls")
            if self.relay is not None:
                group.create_task(self.relay.end_exchanges(within_s), name="wait for requests passed on")

    def _forget_address(self) -> None:
        """Remove the file with this bridge's address, unless another bridge wrote it."""
        path = self.data_dir / RUNNING_FILE
        with suppress(OSError, ValueError):
            if json.loads(path.read_text(encoding="utf-8"))["pid"] == os.getpid():
                path.unlink()
