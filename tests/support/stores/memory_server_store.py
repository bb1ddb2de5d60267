"""The registry's store without a database: a second implementation of the port."""

import asyncio
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from bridge.catalog.server_view import ServerRecord, UserSelection
from bridge.errors import BridgeError, ErrorCode
from tests.support.documents.compiled import compiled, tools_of
from toolserver.errors import DocumentError
from toolserver.tool.argument_schemas import ToolSchema
from toolserver.tool.compile import CompiledDocument
from toolserver.tool.listing import Listing
from toolserver.tool.naming import OperationKey


@dataclass
class MemoryServerStore:
    """What a database would hold; survives as long as the object."""

    records: dict[str, ServerRecord] = field(default_factory=dict[str, ServerRecord])
    names: dict[str, dict[OperationKey, str]] = field(default_factory=dict[str, dict[OperationKey, str]])
    accepted: dict[str, dict[OperationKey, str]] = field(default_factory=dict[str, dict[OperationKey, str]])

    selections: dict[str, UserSelection] = field(default_factory=dict[str, UserSelection])

    async def list_servers(self) -> Sequence[ServerRecord]:
        return list(self.records.values())

    async def server_ids(self) -> Set[str]:
        return set(self.records)

    async def add_server(self, record: ServerRecord) -> bool:
        named = {known.named for known in self.records.values()} - {None}
        if record.id in self.records or record.named in named:
            return False
        self.records[record.id] = record
        return True

    async def save_server(self, record: ServerRecord, *, seen: ServerRecord) -> bool:
        if self.records.get(record.id) != seen:
            return False
        self.records[record.id] = record
        return True

    async def delete_server(self, server_id: str) -> None:
        del self.records[server_id]
        for digests in self.accepted.values():
            for key in [key for key in digests if key[0] == server_id]:
                del digests[key]

    async def load_names(self, scope: str) -> Mapping[OperationKey, str]:
        return dict(self.names.get(scope, {}))

    async def add_names(
        self, scope: str, names: Mapping[OperationKey, str], *, seen: Mapping[OperationKey, str]
    ) -> bool:
        known = self.names.setdefault(scope, {})
        if known != seen:
            return False
        known.update(names)
        return True

    async def list_acceptances(self, user_id: str) -> Mapping[OperationKey, str]:
        return dict(self.accepted.get(user_id, {}))

    async def replace_acceptances(self, user_id: str, server_id: str, digests: Mapping[str, str]) -> None:
        mine = self.accepted.setdefault(user_id, {})
        for key in [key for key in mine if key[0] == server_id]:
            del mine[key]
        mine.update({(server_id, key): digest for key, digest in digests.items()})

    async def load_selection(self, user_id: str) -> UserSelection:
        return self.selections.get(user_id, UserSelection())

    async def save_selection(self, user_id: str, selection: UserSelection) -> None:
        self.selections[user_id] = selection


@dataclass
class MemoryListingStore:
    """What a database would hold of decisions about lists."""

    listings: dict[str, Listing] = field(default_factory=dict[str, Listing])
    used: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Ids of servers that were called, by user."""

    async def load_listing(self, user_id: str) -> Listing | None:
        return self.listings.get(user_id)

    async def save_listing(self, user_id: str, listing: Listing, *, seen: Listing | None) -> bool:
        if self.listings.get(user_id) != seen:
            return False
        self.listings[user_id] = listing
        return True

    async def used_servers(self, user_id: str, since: float) -> Set[str]:
        return self.used.get(user_id, set())


class InlineCompiler:
    """Compiles in this process."""

    async def compile_document(
        self, text: str, *, source_url: str | None, base_url: str | None, overlays: Sequence[str] = ()
    ) -> CompiledDocument:
        try:
            return compiled(text, source_url=source_url, base_url=base_url, overlays=overlays)
        except DocumentError as error:
            raise BridgeError(ErrorCode.INVALID_DOCUMENT, error.message) from None

    async def compile_schemas(
        self, text: str, digest: str, keys: Sequence[str], *, bare: str = "", overlays: Sequence[str] = ()
    ) -> Mapping[str, ToolSchema]:
        try:
            tools = tools_of(text, overlays=overlays)
        except DocumentError as error:
            raise BridgeError(ErrorCode.INVALID_DOCUMENT, error.message) from None
        assert tools.compiled.digest == digest
        return {key: tools.schema_of(key, bare=bare) for key in keys}


@dataclass
class HeldCompiler(InlineCompiler):
    """Compiles no document that holds a word before it is told to."""

    word: str
    may_end: asyncio.Event = field(default_factory=asyncio.Event)

    async def compile_document(
        self, text: str, *, source_url: str | None, base_url: str | None, overlays: Sequence[str] = ()
    ) -> CompiledDocument:
        if self.word in text:
            await self.may_end.wait()
        return await super().compile_document(
            text, source_url=source_url, base_url=base_url, overlays=overlays
        )
