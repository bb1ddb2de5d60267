"""The registry of every user's servers: adds documents, gives names, accepts operations, offers catalogs.

Takes document texts and users' decisions; gives catalogs and advertised documents. Storage and compiling are
ports; this module knows neither SQL nor processes nor HTTP. Reads are synchronous once a user's view is
loaded; what is stored changes under one lock, for which no document is compiled. All methods run on one event
loop.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Unpack
from weakref import WeakValueDictionary

from bridge.browser_protocol import MAX_ORIGINS
from bridge.catalog.changes import CatalogChanges
from bridge.catalog.offered_lists import OfferedLists
from bridge.catalog.ports import Compiler, ListingStore, ServerStore
from bridge.catalog.schema_loading import SchemaLoading
from bridge.catalog.server_quotas import check_server_quotas
from bridge.catalog.server_rights import (
    audience_of_change,
    check_change,
    check_removal,
    is_of_other,
    is_offered,
)
from bridge.catalog.server_view import (
    DECLINED,
    NOBODY,
    LoadedServer,
    ServerChanges,
    ServerRecord,
    UserSelection,
    UserView,
)
from bridge.catalog.stored_servers import changed_elsewhere, choose_server_id, is_as_stored, without_tools
from bridge.catalog.tool_names import ToolNames, build_catalog, is_same_operation
from bridge.errors import BridgeError, ErrorCode
from bridge.log_lines import name_user
from bridge.settings.quotas import DEFAULT_QUOTAS, QuotaSettings
from bridge.tasks import Tasks, yield_to_loop
from bridge.timings import USUAL_TIMINGS
from toolserver.arguments.arguments import ArgumentValidator
from toolserver.operation.request_plan import optional_body_arguments
from toolserver.request.argument_check import withheld_check
from toolserver.tool.compile import CompiledDocument, CompiledOperation
from toolserver.tool.selection import Selection

_DEFAULT_BOUNDS = Selection()


class Registry:
    """All servers of the bridge."""

    def __init__(
        self,
        store: ServerStore,
        compiler: Compiler,
        listings: ListingStore,
        *,
        operator_id: str,
        bounds: Selection = _DEFAULT_BOUNDS,
        quotas: QuotaSettings = DEFAULT_QUOTAS,
        tasks: Tasks,
        on_change: Callable[[str | None], Awaitable[None]],
        on_load: Callable[[LoadedServer], None],
        list_wait_s: float = USUAL_TIMINGS.list_wait_s,
    ) -> None:
        """`operator_id`: the user who started the bridge, and may change what the command line names.

        `bounds` limits what is shown to models where a user chose no number, `quotas` what one may add.
        `tasks` own what goes on after a list was made without it. `on_change` gets the id of the user whose
        view changed, or None when every view did; `on_load` gets every server that was compiled, for work
        that can wait. `list_wait_s`: as in `Timings`.
        """
        self._store = store
        self._names = ToolNames(store)
        self._compiler = compiler
        self._loading = SchemaLoading(compiler, tasks, self._show_late, list_wait_s)
        self.lists = OfferedLists(self._loading, listings)
        """The lists that clients read."""
        self.listings = self.lists.listings
        self.operator_id = operator_id
        self._bounds = bounds
        self._quotas = quotas
        self._on_change = on_change
        self._on_load = on_load
        self.changes = CatalogChanges()
        """For who waits for a change, rather than being told by `on_change` in its course."""
        self.servers: dict[str, LoadedServer] = {}
        """By id; only this class changes it."""
        self._views: dict[str, UserView] = {}
        self._doubts = 0
        self._withheld: Set[str] = frozenset()
        self._lock = asyncio.Lock()
        self._updating: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """By server, for as long as one is being changed."""

    async def load_servers(self) -> list[tuple[ServerRecord, BridgeError]]:
        """Compile the servers that users have added; returns those that could not be loaded, with the error.

        Those have no tools, and the reason is shown in their place. Servers of the command line are not among
        them: each run names its own.
        """
        records = [record for record in await self._store.list_servers() if record.named is None]
        async with asyncio.TaskGroup() as group:  # a slow document keeps no other one waiting for long
            loading = [group.create_task(self._load(record)) for record in records]
        loaded = [task.result() for task in loading]
        for server, _ in loaded:
            self._add_loaded(server)
        return [(server.record, error) for server, error in loaded if error is not None]

    async def view_of_user(self, user_id: str) -> UserView:
        """Return the user's servers and catalog. Cheap when nothing changed since the last call."""
        view = self._views.get(user_id)
        if view is not None and view.doubts == self._doubts:
            return view
        async with self._lock:
            before = self._views.get(user_id)
            if before is not None and await self._is_current(before):
                return before
            view = self._views[user_id] = await self._build_view(user_id)
        if before is not None:
            await self._announce_change(user_id)
        return view

    def doubt_views(self) -> None:
        """Have each user's acceptances and selection read again: another replica has changed some."""
        self._doubts += 1

    async def adopt_record(self, record: ServerRecord) -> None:
        """Load a server as another replica has stored it, unless it is loaded like that already.

        Raises:
            BridgeError: `invalid_document`; what was loaded before stays, a new server has no tools.
        """
        known = self.servers.get(record.id)
        if known is not None and known.record == record:
            return
        server, error = await self._load(record)
        if error is not None and known is not None:
            raise error
        async with self._lock:
            if self.servers.get(record.id) is not known:
                return  # Changed here meanwhile, which is newer, and counts as a change itself.
            audience = self._add_loaded(server)
        await self._announce_change(audience)
        if error is not None:
            raise error

    async def drop_server(self, server_id: str) -> None:
        """Drop a server that another replica has removed from the store; does nothing if it is not loaded."""
        async with self._lock:
            dropped = self.servers.pop(server_id, None)
            if dropped is None:
                return
            self._forget_views(dropped.record.audience)
        await self._announce_change(dropped.record.audience)

    async def withhold_servers(self, owner_ids: Set[str]) -> None:
        """Offer nobody what these users share; what was withheld of others is offered again."""
        if owner_ids != self._withheld:
            async with self._lock:
                self._withheld = owner_ids
                self._forget_views(None)
            await self._announce_change(None)

    async def own_name(self, user_id: str, name: str) -> str:
        """Return what a user's catalog calls the shared tool that everybody else knows as `name`.

        Mostly the same: a forwarder knows the names for everybody, but a user may have had a tool of that
        name before. A name that no shared tool has is returned unchanged.
        """
        shared = (await self.view_of_user(NOBODY)).catalog.find_called(name)
        own_catalog = (await self.view_of_user(user_id)).catalog
        if shared is None or is_same_operation(shared, own_catalog.find_called(name)):
            return name
        return next(
            tool.name for tool in own_catalog.of_server(shared.server_id) if is_same_operation(shared, tool)
        )

    async def add_server(
        self, owner_id: str, text: str, *, source_url: str | None, base_url: str | None = None
    ) -> LoadedServer:
        """Add a document for one user.

        Raises:
            BridgeError: `invalid_document`; `quota_exceeded`.
        """
        record = ServerRecord("", owner_id, "", None, source_url, base_url, text)
        check_server_quotas(self._quotas, self.servers.values(), record)
        compiled = await self._compile(record)
        record = replace(record, title=compiled.title)
        while (server := await asyncio.shield(self._add_server(record, compiled))) is None:
            pass  # Another replica was faster, and the next id is another one.
        return server

    async def share_document(
        self, named: str, text: str, *, source_url: str | None, overlays: Sequence[str] = ()
    ) -> LoadedServer:
        """Offer a document, as its overlays leave it, to every user for as long as this process runs.

        `named` is what the command line calls it: in a later run the same name brings back the same id, tool
        names and acceptances.

        Raises:
            BridgeError: `invalid_document`.
        """
        while True:
            stored = await self._store.list_servers()
            previous = next((record for record in stored if record.named == named), None)
            base_url = previous.base_url if previous else None
            record = previous or ServerRecord("", None, "", named, None, base_url, "")
            record = replace(record, source_url=source_url, text=text, overlays=tuple(overlays))
            compiled = await self._compile(record)
            record = replace(record, title=compiled.title)
            if previous is not None:
                storing = self._store_server(record, compiled, seen=previous)
            else:
                storing = self._add_server(record, compiled)
            if (server := await asyncio.shield(storing)) is not None:
                return server

    async def replace_document(
        self, user_id: str, server_id: str, text: str, source_url: str | None, *, as_operator: bool = False
    ) -> LoadedServer:
        """Replace a document's text; operations that changed lose their acceptance, and new ones are off."""

        def edit(record: ServerRecord) -> ServerRecord:
            return replace(record, text=text, source_url=source_url or record.source_url)

        return await self._update(user_id, server_id, edit, as_operator=as_operator)

    async def change_server(
        self, user_id: str, server_id: str, *, as_operator: bool = False, **changes: Unpack[ServerChanges]
    ) -> LoadedServer:
        """Change settings; with another base URL the operations need to be accepted again."""
        return await self._update(
            user_id, server_id, lambda record: record.with_changes(changes), as_operator=as_operator
        )

    async def remove_server(self, user_id: str, server_id: str, *, as_operator: bool = False) -> None:
        """Remove a server with its acceptances; its names stay reserved and never change their meaning."""
        record = await self._changeable(user_id, server_id, as_operator=as_operator)
        check_removal(record)
        await asyncio.shield(self._drop(record))

    async def accept_operations(self, user_id: str, server_id: str, digests: Mapping[str, str]) -> None:
        """Replace what a user accepts of a server: operation key to the digest the user was shown.

        Every other operation of the server counts as declined from now on.

        Raises:
            BridgeError: `document_changed` when an operation is not, or no longer, what the user was shown;
                `invalid_request` when the page would have to reach more than `MAX_ORIGINS` origins.
        """
        await yield_to_loop()  # whoever asks has read as many from a body
        operations = (await self.view_of_user(user_id)).find_server(server_id).by_key
        stale = [
            key
            for key, digest in digests.items()
            if key not in operations or operations[key].digest != digest
        ]
        if stale:
            message = "The document changed while you were reading it. Review it again."
            raise BridgeError(ErrorCode.DOCUMENT_CHANGED, message, detail={"operations": stale[:20]})
        if len({operations[key].origin for key in digests}) > MAX_ORIGINS:
            message = f"These operations call more than {MAX_ORIGINS} servers. Accept fewer of them."
            raise BridgeError(ErrorCode.INVALID_REQUEST, message)
        await yield_to_loop()
        decisions = dict.fromkeys(operations, DECLINED) | dict(digests)
        await asyncio.shield(self._decide(user_id, server_id, decisions))

    async def save_selection(self, user_id: str, selection: UserSelection) -> None:
        """Store what a user shows to models; the tools that it names need not exist."""
        await asyncio.shield(self._store_selection(user_id, selection))

    async def load_schemas(self, server: LoadedServer, keys: Iterable[str]) -> Mapping[str, bytes]:
        """See `SchemaLoading.load_schemas`."""
        return await self._loading.load_schemas(server, keys)

    async def compile_validator(
        self, server: LoadedServer, operation: CompiledOperation
    ) -> ArgumentValidator:
        """Return the validator of a server's operation; compiled in a thread when it is not ready yet."""
        validator = server.validators.get(operation.key)
        if validator is None:
            schemas = await self.load_schemas(server, (operation.key,))
            validator = await asyncio.to_thread(
                ArgumentValidator,
                schemas[operation.key],
                takes_more=operation.takes_more,
                optional_body=optional_body_arguments(operation.plan_json),
                check=withheld_check(operation.plan_json),
            )
            server.validators[operation.key] = validator
        return validator

    async def warm_validators(self, server: LoadedServer, limit: int = 512) -> None:
        """Compile the validators of a server's first `limit` operations ahead of the first call."""
        await self.load_schemas(server, [operation.key for operation in server.compiled.operations[:limit]])
        for operation in server.compiled.operations[:limit]:
            await self.compile_validator(server, operation)

    async def _changeable(self, user_id: str, server_id: str, *, as_operator: bool) -> ServerRecord:
        record = (await self.view_of_user(user_id)).find_server(server_id).record
        check_change(record, user_id, is_operator=as_operator or user_id == self.operator_id)
        return record

    async def _load(self, record: ServerRecord) -> tuple[LoadedServer, BridgeError | None]:
        name_user(record.owner_id or "")  # whose slow documents then keep nobody else's waiting
        try:
            return LoadedServer(record, await self._compile(record)), None
        except BridgeError as error:
            return LoadedServer(record, without_tools(record, error.error.message)), error

    async def _compile(self, record: ServerRecord) -> CompiledDocument:
        return await self._compiler.compile_document(
            record.text, source_url=record.source_url, base_url=record.base_url, overlays=record.overlays
        )

    async def _update(
        self,
        user_id: str,
        server_id: str,
        edit: Callable[[ServerRecord], ServerRecord],
        *,
        as_operator: bool,
    ) -> LoadedServer:
        """Serialized by server, so that no change applies to a record that another change has replaced.

        A document may take a minute to compile, for which nobody else's servers wait.

        Raises:
            BridgeError: `document_changed`: another replica has changed it since it was loaded here;
                `quota_exceeded`.
        """
        async with self._updating.setdefault(server_id, asyncio.Lock()):
            seen = await self._changeable(user_id, server_id, as_operator=as_operator)
            record = edit(seen)
            check_server_quotas(self._quotas, self.servers.values(), record)
            compiled = await self._compile(record)
            record = replace(record, title=compiled.title)
            server = await asyncio.shield(self._store_server(record, compiled, seen=seen))
        if server is None:
            raise changed_elsewhere(server_id)
        return server

    # The methods below are shielded: a client that hangs up must not leave memory and store different.

    async def _add_server(self, record: ServerRecord, compiled: CompiledDocument) -> LoadedServer | None:
        """Add a server under an id of its own; None: another replica has taken that, or `named`."""
        async with self._lock:
            check_server_quotas(self._quotas, self.servers.values(), record, compiled)
            record = replace(record, id=await choose_server_id(self._store, record.title))
            if not await self._store.add_server(record):
                return None
            audience = self._add_loaded(server := LoadedServer(record, compiled))
        await self._announce_change(audience)
        return server

    async def _store_server(
        self, record: ServerRecord, compiled: CompiledDocument, *, seen: ServerRecord
    ) -> LoadedServer | None:
        """Replace a server's record; None, and nothing is changed: another replica was faster."""
        async with self._lock:
            if record.owner_id is not None and record.id not in self.servers:  # Removed meanwhile.
                raise BridgeError(ErrorCode.NOT_FOUND, f"There is no server {record.id!r}.")
            check_server_quotas(self._quotas, self.servers.values(), record, compiled)
            if not await self._store.save_server(record, seen=seen):
                return None
            audience = self._add_loaded(server := LoadedServer(record, compiled))
        await self._announce_change(audience)
        return server

    async def _drop(self, record: ServerRecord) -> None:
        async with self._lock:
            await self._store.delete_server(record.id)
            self.servers.pop(record.id, None)
            self._forget_views(record.audience)
        await self._announce_change(record.audience)

    async def _decide(self, user_id: str, server_id: str, decisions: Mapping[str, str]) -> None:
        async with self._lock:
            await self._store.replace_acceptances(user_id, server_id, decisions)
            self._views.pop(user_id, None)
        await self._announce_change(user_id)

    async def _store_selection(self, user_id: str, selection: UserSelection) -> None:
        async with self._lock:
            await self._store.save_selection(user_id, selection)
            self._views.pop(user_id, None)
        await self._announce_change(user_id)

    async def _announce_change(self, user_id: str | None) -> None:
        self.changes.announce_change(user_id)
        await self._on_change(user_id)

    async def _show_late(self, server: LoadedServer) -> None:
        """Have the lists made again that were made without a server's schemas."""
        if self.servers.get(server.record.id) is server:
            self._forget_views(server.record.audience)
            await self._announce_change(server.record.audience)

    def _add_loaded(self, server: LoadedServer) -> str | None:
        """Take over a server; returns the id of the only user whose view that changes, None: every view."""
        known = self.servers.get(server.record.id)
        audience = audience_of_change(None if known is None else known.record, server.record)
        self.servers[server.record.id] = server
        self._forget_views(audience)
        self._on_load(server)
        return audience

    def _forget_views(self, audience: str | None) -> None:
        if audience is None:
            self._views.clear()
        else:
            self._views.pop(audience, None)

    async def _is_current(self, view: UserView) -> bool:
        """Return whether a view still is what its user has chosen."""
        doubts = self._doubts
        if view.doubts == doubts:
            return True
        is_same = await is_as_stored(view, self._store)
        if is_same is not None:
            view.doubts = doubts if is_same else view.doubts
        return is_same is not False

    async def _build_view(self, user_id: str) -> UserView:
        doubts = self._doubts
        shared = [server for server in self.servers.values() if is_offered(server.record, self._withheld)]
        personal = [server for server in self.servers.values() if server.record.audience == user_id]
        names = await self._names.names_of_user(user_id, shared, personal)
        # What others share is last: whoever takes the first that fits must not find what was named to fit.
        servers = sorted((*shared, *personal), key=lambda server: is_of_other(server.record, user_id))
        catalog = await build_catalog(servers, names)
        chosen = await self._store.load_selection(user_id)
        return UserView(
            user_id,
            tuple(servers),
            catalog,
            await self._store.list_acceptances(user_id),
            is_operator=user_id == self.operator_id,
            chosen=chosen,
            selection=chosen.within_bounds(self._bounds),
            build_id=secrets.token_hex(8),
            doubts=doubts,
        )
