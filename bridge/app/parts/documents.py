"""OpenAPI documents: who reads them, the servers that they became, and what users accepted of them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from bridge.app.part import Ground, Part
from bridge.browsers.announcements import Announcements
from bridge.catalog.followed_servers import FollowedOwners, FollowedServers
from bridge.catalog.registry import Registry
from bridge.catalog.server_view import LoadedServer
from bridge.cluster.changes import Followed
from bridge.documents.fetch import read_document_file
from bridge.documents.reader import DocumentReader
from bridge.documents.sources import OWN_ONLY, ReferenceRules, read_document, read_public_document
from bridge.endpoints.api.document_bundles import DocumentBundleRoutes
from bridge.endpoints.api.original_tools import OriginalToolRoutes
from bridge.endpoints.api.overlays import OverlayRoutes
from bridge.endpoints.api.selection import SelectionBounds, SelectionRoutes
from bridge.endpoints.api.servers import ServerRoutes
from bridge.endpoints.api.shared_requests import SharedRequestRoutes
from bridge.heap import freeze_document
from bridge.http.routing import Route
from bridge.metrics.metric_definitions import StateGauges
from bridge.readiness.readiness import Check
from bridge.readiness.readiness_checks import make_reader_check
from bridge.storage.catalog.listings import ListingTables
from bridge.storage.catalog.shared_requests import SharedRequestTables
from bridge.storage.servers import ServerTables
from bridge.storage.users import UserTables
from toolserver.tool.selection import Selection

MANY_OPERATIONS = 2_000
"""Documents of so many operations are kept out of the searches for garbage: with 10,000 of them one such
search takes 50 ms of the event loop."""

_log = logging.getLogger(__name__)

Offer: TypeAlias = Callable[["DocumentsPart"], Awaitable[None]]
"""Offers documents to every user, before anyone is served: a call of one of their tools would find none."""


class DocumentsPart(Part):
    """Turns documents into the tools of users."""

    def __init__(
        self,
        ground: Ground,
        reader: DocumentReader,
        announcements: Announcements,
        on_change: Callable[[str | None], Awaitable[None]],
        offer: Offer,
    ) -> None:
        """`on_change` follows each change of servers, of one user or of all."""
        tools = ground.settings.tools
        self.reader = reader
        self._ground = ground
        self._announcements = announcements
        self._offer = offer
        servers = ServerTables(ground.store)
        self.registry = Registry(
            servers,
            reader,
            ListingTables(ground.store),
            operator_id=ground.operator.id,
            bounds=Selection(limit=tools.max_tools, max_tokens=tools.max_tool_tokens),
            quotas=ground.settings.quotas,
            tasks=ground.tasks,
            on_change=on_change,
            on_load=self._begin_finishing,
            list_wait_s=ground.timings.list_wait_s,
        )
        self.followed = FollowedServers(self.registry, servers, ground.tasks)
        self._owners = FollowedOwners(self.registry, servers)

    def list_routes(self) -> Sequence[Route]:
        """Return the routes of servers, documents and tools."""
        reader, users, tools = self.reader, self._ground.settings.users, self._ground.settings.tools
        bounds = SelectionBounds(max_tools=tools.max_tools, max_tokens=tools.max_tool_tokens)
        servers = ServerRoutes(
            self.registry,
            partial(read_public_document, bundle=reader.bundle_document),
            self._read_responses,
            reader.split_body,
            find_user=UserTables(self._ground.store).find_user,
            sharing=users.sharing,
        )
        return [
            *servers.list_routes(),
            *OverlayRoutes(self.registry).list_routes(),
            *SharedRequestRoutes(self.registry, SharedRequestTables(self._ground.store)).list_routes(),
            *OriginalToolRoutes(self.registry, reader).list_routes(),
            *DocumentBundleRoutes(reader.bundle_document, reader.split_body).list_routes(),
            *SelectionRoutes(self.registry, bounds).list_routes(),
        ]

    def list_followed(self) -> Sequence[Followed]:
        """Return the servers, and what users accepted of them."""
        return [
            (["servers"], self.followed.load_changes),
            (["acceptances", "selections"], self.registry.doubt_views),
        ]

    def list_checks(self) -> Sequence[Check]:
        """Return the check of the process that reads documents."""
        ground = self._ground
        return [make_reader_check(self.reader, ground.timings.long_read_s, ground.tasks)]

    def set_gauges(self, gauges: StateGauges) -> None:
        """Count the servers that are loaded, and those with overlays."""
        servers = self.registry.servers.values()
        edited = sum(bool(server.record.overlays) for server in servers)
        gauges.servers.labels("yes").set(edited)
        gauges.servers.labels("no").set(len(servers) - edited)

    async def start(self) -> None:
        """Load what users have added, and begin to follow whose servers are shared."""
        if self._ground.homes is not None:
            await self.followed.note_versions()
        for record, error in await self.registry.load_servers():
            _log.error("Server %s cannot be loaded: %s", record.id, error.error.message)
        await self._owners.read_owners()
        self._ground.tasks.keep_running(self._owners.keep_reading, "users whose shared servers are offered")
        await self._offer(self)

    def refuse_work(self) -> None:
        """End what waits for a change of the tools."""
        self.registry.changes.close()

    async def close(self) -> None:
        """End the process that reads documents."""
        await self.reader.close()

    async def share_document(
        self,
        source: str,
        *,
        named: str | None = None,
        rules: ReferenceRules = OWN_ONLY,
        overlays: Sequence[Path] = (),
    ) -> LoadedServer:
        """Offer the document of a file or address to every user, with the files that it refers to.

        `overlays`: files of those that edit it, in order.

        Raises:
            BridgeError: `document_unreachable` or `invalid_document`.
        """
        found = await read_document(source, rules, self.reader.bundle_document)
        texts = [await asyncio.to_thread(read_document_file, path) for path in overlays]
        return await self.registry.share_document(
            named or source, found.text, source_url=found.source_url, overlays=texts
        )

    async def _read_responses(self, server: LoadedServer, key: str) -> bytes:
        record, digest = server.record, server.compiled.digest
        return await self.reader.read_responses(record.text, digest, key, overlays=record.overlays)

    def _begin_finishing(self, server: LoadedServer) -> None:
        self._ground.tasks.start_task(self._finish_loading(server), f"finish loading {server.record.id}")

    async def _finish_loading(self, server: LoadedServer) -> None:
        """Do the rest of loading a document: validators for its first call, and the validation report."""
        await self.registry.warm_validators(server)
        if len(server.compiled.operations) >= MANY_OPERATIONS:
            freeze_document()
        server.validation = await self.reader.validate_document(
            server.record.text, overlays=server.record.overlays
        )
        await self._announcements.servers_changed(server.record.owner_id)
