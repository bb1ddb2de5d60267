"""Servers as values: what is kept of one, what is ready of it, and one user's view of all of them.

Pure: made by `registry`, read by every door.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypedDict
from urllib.parse import urlsplit

from bridge.errors import BridgeError, ErrorCode
from toolserver.call.arguments import ArgumentValidator
from toolserver.tool.advertised_document import advertise_tools
from toolserver.tool.catalog import Catalog, Tool
from toolserver.tool.compile import CompiledDocument, CompiledOperation
from toolserver.tool.naming import OperationKey
from toolserver.tool.search import ToolSearch
from toolserver.tool.selection import Offer, Selection, choose_tools

DECLINED = ""
"""In place of a digest: the user has looked at the operation and left it out."""

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class ServerChanges(TypedDict, total=False):
    """Settings of a server to change; None leaves one as it is."""

    base_url: str | None
    """Empty: as the document says."""
    inline_html: bool | None
    idempotency_key: bool | None


@dataclass(frozen=True, slots=True)
class ServerRecord:
    """What is kept of one server."""

    id: str
    owner_id: str | None
    """None: shared, offered to every user."""
    title: str
    named: str | None
    """What the command line called it; None: added in the page."""
    source_url: str | None
    """Where the text came from; a relative `servers` entry is resolved against it."""
    base_url: str | None
    """The user's choice over the document's `servers`; None: as the document says."""
    text: str
    inline_html: bool = False
    idempotency_key: bool = False
    """Requests that change something carry their call's id in the header `Idempotency-Key`."""

    def with_changes(self, changes: ServerChanges) -> ServerRecord:
        """With these settings in place of its own."""
        chosen: dict[str, Any] = {name: value for name, value in changes.items() if value is not None}
        if "base_url" in chosen:
            chosen["base_url"] = chosen["base_url"] or None
        return replace(self, **chosen)


@dataclass(frozen=True, slots=True)
class Validation:
    """What openapi-core says about a document: a report, never a gate (40 of 176 real documents fail it)."""

    state: Literal["pending", "valid", "invalid", "failed"]
    problems: tuple[str, ...] = ()


@dataclass(slots=True)
class LoadedServer:
    """A server whose document is compiled and ready."""

    record: ServerRecord
    compiled: CompiledDocument
    validation: Validation = Validation("pending")
    validators: dict[str, ArgumentValidator] = field(default_factory=dict[str, ArgumentValidator])
    schemas: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """Argument schemas that were asked for, by operation key (see `Registry.load_schemas`)."""
    schema_warnings: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """What is only known once a schema is made, of the same operations."""
    by_key: dict[str, CompiledOperation] = field(init=False)

    def __post_init__(self) -> None:
        self.by_key = {operation.key: operation for operation in self.compiled.operations}


@dataclass(frozen=True, slots=True)
class UserSelection:
    """What a user chose to show to models; empty fields choose nothing out."""

    servers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """Names of tools, or patterns such as "list*"."""
    pinned: tuple[str, ...] = ()
    """Names of tools; one that is no longer there is kept, because it may come back."""
    max_tools: int | None = None
    """None: as the bridge was told."""
    max_tokens: int | None = None
    """None: as the bridge was told."""

    def within_bounds(self, bounds: Selection) -> Selection:
        """The selection with what it leaves to the bridge taken from `bounds`."""
        return Selection(
            servers=frozenset(self.servers),
            tags=frozenset(self.tags),
            names=self.names,
            pinned=frozenset(self.pinned),
            limit=self.max_tools or bounds.limit,
            max_tokens=self.max_tokens or bounds.max_tokens,
        )


@dataclass(frozen=True, slots=True)
class AdvertisedDocument:
    """An advertised OpenAPI document as bytes, with its entity tag."""

    body: bytes
    etag: str


@dataclass(slots=True)
class UserView:
    """One user's servers, names and acceptances, as of the last change. Cached until something changes."""

    user_id: str
    servers: tuple[LoadedServer, ...]
    catalog: Catalog
    accepted: Mapping[OperationKey, str]
    """Operation to the digest its user accepted, or to `DECLINED`; absent: nobody has decided."""
    is_operator: bool
    """The user who started the bridge."""
    chosen: UserSelection
    """What the user chose to show to models, as it is kept."""
    selection: Selection
    """The same, complete."""
    offers: dict[str | None, Offer] = field(default_factory=dict[str | None, Offer])
    """What models are shown of all servers, or of one; made by `Registry.offer_tools`."""
    _documents: dict[str | None, AdvertisedDocument] = field(
        default_factory=dict[str | None, AdvertisedDocument]
    )
    _search: ToolSearch | None = None

    def find_server(self, server_id: str) -> LoadedServer:
        """The user's server of that id; an id of somebody else's server does not exist here."""
        for server in self.servers:
            if server.record.id == server_id:
                return server
        raise BridgeError(ErrorCode.NOT_FOUND, f"There is no server {server_id!r}.")

    def has_server(self, server_id: str) -> bool:
        """Whether the user has a server of that id."""
        return any(server.record.id == server_id for server in self.servers)

    def tools_of(self, server_id: str | None) -> tuple[Tool, ...]:
        """The tools of one server, or of all."""
        return self.catalog.tools if server_id is None else self.catalog.of_server(server_id)

    def build_search(self) -> ToolSearch:
        """The index over the tools that the user chose; made once, in some 0.1 s for a thousand tools."""
        if self._search is None:
            self._search = ToolSearch(choose_tools(self.catalog.tools, self.selection))
        return self._search

    def selection_of(self, server_id: str | None) -> Selection:
        """What is shown at the address of all servers, or of one: that address chooses the server itself."""
        return self.selection if server_id is None else replace(self.selection, servers=frozenset())

    def sends_idempotency_key(self, server_id: str) -> bool:
        """Whether requests of a server that change something carry their call's id."""
        return any(server.record.id == server_id and server.record.idempotency_key for server in self.servers)

    def shows_inline_html(self, server_id: str) -> bool:
        """Whether the user lets answers of a server be shown as pages; no for a server that is gone."""
        return any(server.record.id == server_id and server.record.inline_html for server in self.servers)

    def is_accepted(self, tool: Tool) -> bool:
        """Whether the user accepted exactly this operation, as it stands now."""
        return self.accepted.get(OperationKey(tool.server_id, tool.operation.key)) == tool.operation.digest

    def count_accepted(self, server: LoadedServer) -> tuple[int, int]:
        """How many of a server's operations are accepted, and how many changed since they were."""
        pinned = [
            (self.accepted.get(OperationKey(server.record.id, op.key)), op.digest)
            for op in server.compiled.operations
        ]
        changed = sum(pin not in (None, DECLINED, now) for pin, now in pinned)
        return sum(pin == now for pin, now in pinned), changed

    def is_decided(self, server: LoadedServer) -> bool:
        """Whether the user has accepted or declined anything of a server."""
        return any(key.server_id == server.record.id for key in self.accepted)

    def accepted_origins(self) -> tuple[str, ...]:
        """Origins that the user's page must be able to reach, in stable order."""
        origins = (tool.operation.origin for tool in self.catalog.tools if self.is_accepted(tool))
        return tuple(sorted({origin for origin in origins if origin}))

    def may_accept_on_open(self, server: LoadedServer) -> bool:
        """Opening the page by ticket accepts what the command line named, for the operator (ruling 20).

        What the operator has declined stays declined, and what changed since it was accepted is accepted
        again only where it stays on this machine (ruling 19).
        """
        if server.record.named is None or not self.is_operator:
            return False
        if not self.is_decided(server) or self.count_accepted(server)[1] == 0:
            return True
        return all(is_loopback(origin) for origin in server.compiled.origins)

    def build_document(self, server_id: str | None, offered: Offer) -> AdvertisedDocument:
        """The advertised OpenAPI document of all servers, or of one. Built once per view.

        The schemas of the tools in `offered` must be there (`Registry.advertise_document` sees to it).

        Raises:
            BridgeError: `not_found`.
        """
        if server_id not in self._documents:
            self._documents[server_id] = self._build_document(server_id, offered)
        return self._documents[server_id]

    def _build_document(self, server_id: str | None, offered: Offer) -> AdvertisedDocument:
        if server_id is None:
            title, description = "Direct Tool Bridge", "APIs that the user's own browser can reach, as tools."
            version = "1"
        else:
            compiled = self.find_server(server_id).compiled
            title, description, version = compiled.title, compiled.description, compiled.version_text
        by_id = {server.record.id: server.schemas for server in self.servers}
        body = advertise_tools(
            offered.tools,
            lambda tool: by_id[tool.server_id][tool.operation.key],
            meta_tools=offered.meta_tools,
            title=title,
            description=description,
            version=version,
        )
        return AdvertisedDocument(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def is_loopback(origin: str) -> bool:
    """Whether an origin is this machine."""
    return urlsplit(origin).hostname in LOOPBACK
