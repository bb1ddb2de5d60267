"""Servers as values: the stored record of one, its compiled form, and one user's view of all of them.

Pure: built by `registry`, read by every endpoint.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypedDict
from urllib.parse import urlsplit

from bridge.catalog.lists_by_room import ListsByRoom
from bridge.errors import BridgeError, ErrorCode
from bridge.settings.network import LOOPBACK_NAMES
from toolserver.arguments.arguments import ArgumentValidator
from toolserver.tool.advertised_document import advertise_tools
from toolserver.tool.catalog import Catalog, Tool
from toolserver.tool.compile import CompiledDocument, CompiledOperation
from toolserver.tool.listing import Listing
from toolserver.tool.naming import OperationKey
from toolserver.tool.selection import Offer, Reader, Selection, choose_tools

NOBODY = "nobody"
"""Stands for a user's id: the view of a client who may see only what is offered to everybody."""

DECLINED = ""
"""Stored in place of a digest: the user has looked at the operation and declined it."""


class ServerChanges(TypedDict, total=False):
    """Changes to a server's settings; None leaves a setting as it is."""

    base_url: str | None
    """Empty: use the document's `servers`."""
    inline_html: bool | None
    idempotency_key: bool | None
    trace_context: bool | None
    is_shared: bool | None
    overlays: tuple[str, ...] | None
    replaced_overlays: str | None
    """The version of those that `overlays` replace; None: whatever they are by then."""


@dataclass(frozen=True, slots=True)
class ServerRecord:
    """The stored record of one server."""

    id: str
    owner_id: str | None
    """None: the command line named it, for every user."""
    title: str
    named: str | None
    """The server's name on the command line; None: added in the page."""
    source_url: str | None
    """Where the text came from; a relative `servers` entry is resolved against it."""
    base_url: str | None
    """The user's choice, which overrides the document's `servers`; None: use the document's."""
    text: str
    inline_html: bool = False
    idempotency_key: bool = False
    """Whether requests that change something carry their call's id in the header `Idempotency-Key`."""
    trace_context: bool = False
    """Whether requests carry the trace context of their call, where calls are traced."""
    is_shared: bool = False
    """Whether its owner offers it to every user."""
    overlays: tuple[str, ...] = ()
    """Texts of OpenAPI Overlays by which its owner edits the document, in order."""

    @property
    def chars(self) -> int:
        """The number of characters that its document and overlays take."""
        return len(self.text) + sum(map(len, self.overlays))

    @property
    def audience(self) -> str | None:
        """The id of the only user who has the server; None: every user has it."""
        return None if self.is_shared else self.owner_id

    @property
    def overlays_version(self) -> str:
        """A name for its overlays, another one for others."""
        lengths = ",".join(str(len(text)) for text in self.overlays)
        written = "".join((lengths, ":", *self.overlays))
        return hashlib.sha256(written.encode("utf-8", "replace")).hexdigest()[:32]

    def with_changes(self, changes: ServerChanges) -> ServerRecord:
        """Return a copy with these settings instead of its own.

        Raises:
            BridgeError: `document_changed`: others than `replaced_overlays` would be replaced.
        """
        chosen: dict[str, Any] = {name: value for name, value in changes.items() if value is not None}
        replaced = chosen.pop("replaced_overlays", None)
        if replaced is not None and replaced != self.overlays_version:
            message = "The edits of this server have changed since you read them. Read them again."
            raise BridgeError(ErrorCode.DOCUMENT_CHANGED, message, detail={"server": self.id})
        if "base_url" in chosen:
            chosen["base_url"] = chosen["base_url"] or None
        return replace(self, **chosen)


@dataclass(frozen=True, slots=True)
class Validation:
    """What openapi-core says about a document: a report only, since 40 of 176 real documents fail it."""

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
    """Argument schemas compiled so far, by operation key (see `Registry.load_schemas`)."""
    schema_warnings: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Warnings that are only known once a schema is compiled, by operation key."""
    trouble: str = ""
    """Why the arguments of its tools cannot be described, so that only their types are told; "": they can."""
    is_unreadable: bool = False
    """Whether even their types cannot be told."""
    by_key: dict[str, CompiledOperation] = field(init=False)

    def __post_init__(self) -> None:
        self.by_key = {operation.key: operation for operation in self.compiled.operations}


@dataclass(frozen=True, slots=True)
class UserSelection:
    """What a user chose to show to models; an empty field does not restrict anything."""

    servers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """Names of tools, or patterns such as "list*"."""
    pinned: tuple[str, ...] = ()
    """Names of tools; one that no longer exists stays, because it may come back."""
    max_tools: int | None = None
    """None: the bridge's setting applies."""
    max_tokens: int | None = None
    """None: the bridge's setting applies."""
    listed: tuple[str, ...] = ()
    """Ids of servers that are to be listed before any other."""
    searched: tuple[str, ...] = ()
    """Ids of servers that are to be searched, however few tools they have."""

    def within_bounds(self, bounds: Selection) -> Selection:
        """Return the complete selection: what the user left to the bridge is taken from `bounds`."""
        return Selection(
            servers=frozenset(self.servers),
            tags=frozenset(self.tags),
            names=self.names,
            pinned=self.pinned,
            listed=frozenset(self.listed),
            searched=frozenset(self.searched),
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
    """Operation to the digest its user accepted, or to `DECLINED`; absent: undecided."""
    is_operator: bool
    """Whether this is the user who started the bridge."""
    chosen: UserSelection
    """What the user chose to show to models, as stored."""
    selection: Selection
    """The same, completed with the bridge's bounds."""
    build_id: str
    """Another one for every view."""
    doubts: int = 0
    """How often `Registry.doubt_views` was called before its acceptances and selection were read."""
    listing: Listing | None = None
    """Which servers are listed; filled by `Listings.listing_of`."""
    offers: dict[tuple[str | None, Reader], Offer] = field(
        default_factory=dict[tuple[str | None, Reader], Offer]
    )
    """What models are shown of all servers, or of one, by reader; filled by `OfferedLists.offer_tools`."""
    tool_lists: ListsByRoom[bytes] = field(default_factory=ListsByRoom[bytes])
    """What MCP clients list of all servers, or of one; filled by `OfferedLists.list_mcp_tools`."""
    documents: ListsByRoom[AdvertisedDocument] = field(default_factory=ListsByRoom[AdvertisedDocument])
    """The advertised documents; filled by `OfferedLists.advertise_document`."""
    _searched: frozenset[str] | None = None
    _operations_digest: str = ""
    _decisions: dict[str, dict[str, str]] = field(init=False)
    """`accepted` by server id, then operation key."""
    _others: frozenset[str] = field(init=False)
    """Ids of the servers that other users share."""
    _counts: dict[str, tuple[LoadedServer, tuple[int, int]]] = field(
        default_factory=dict[str, tuple[LoadedServer, tuple[int, int]]]
    )

    def __post_init__(self) -> None:
        self._decisions = {}
        for (server_id, key), digest in self.accepted.items():
            self._decisions.setdefault(server_id, {})[key] = digest
        records = [server.record for server in self.servers]
        self._others = frozenset(each.id for each in records if each.owner_id not in (None, self.user_id))

    @property
    def revision(self) -> str:
        """A name for what a page is shown of this view, another one after every change.

        A validation report arrives without a new view, once per document.
        """
        reported = sum(server.validation.state != "pending" for server in self.servers)
        return f"{self.build_id}.{reported}"

    def find_server(self, server_id: str) -> LoadedServer:
        """Return the user's server with that id; another user's server counts as missing.

        Raises:
            BridgeError: `not_found`.
        """
        for server in self.servers:
            if server.record.id == server_id:
                return server
        raise BridgeError(ErrorCode.NOT_FOUND, f"There is no server {server_id!r}.")

    def has_server(self, server_id: str) -> bool:
        """Whether the user has a server with that id."""
        return any(server.record.id == server_id for server in self.servers)

    def ids_of_servers(self, name: str) -> frozenset[str]:
        """Return the id of the server with that id, or else those of all with that title; empty: none."""
        if self.has_server(name):
            return frozenset({name})
        return frozenset(server.record.id for server in self.servers if server.record.title == name)

    def tools_of(self, server_id: str | None) -> tuple[Tool, ...]:
        """Return the tools of one server, or of all."""
        return self.catalog.tools if server_id is None else self.catalog.of_server(server_id)

    def offerable_tools(self, server_id: str | None) -> tuple[Tool, ...]:
        """Return the tools of one server, or of all, without those that the user has declined.

        A tool that nobody has decided about stays: its caller reads what the user has to do. Of what another
        user shares, only accepted tools stay: models read descriptions, and those are by an ordinary user.
        """
        return tuple(
            tool
            for tool in self.tools_of(server_id)
            if (self.is_accepted(tool) if tool.server_id in self._others else not self.is_declined(tool))
        )

    def searched_tools(self) -> frozenset[str]:
        """Return the names of the tools the user chose, but of all servers: a caller may choose others.

        Found once, in a few milliseconds for ten thousand tools: not on the event loop.
        """
        if self._searched is None:
            of_any = replace(self.selection, servers=frozenset())
            self._searched = frozenset(tool.name for tool in choose_tools(self.offerable_tools(None), of_any))
        return self._searched

    def operations_digest(self) -> str:
        """Return a name for the operations of the catalog in their order; users who have the same share it.

        Made once, in some 10 ms for ten thousand: not on the event loop.
        """
        if not self._operations_digest:
            digest = hashlib.sha256()
            for server in self.servers:
                digest.update(server.compiled.digest.encode())
            for tool in self.catalog.tools:
                operation = tool.operation
                told = (operation.digest, operation.suggested_name, *operation.tags, operation.answer)
                digest.update("\0".join(told).encode("utf-8", "replace"))
            self._operations_digest = digest.hexdigest()
        return self._operations_digest

    def is_of_shown_server(self, tool: Tool) -> bool:
        """Whether the user shows a tool to models, as far as its server is concerned."""
        shown = self.selection
        return not shown.servers or tool.server_id in shown.servers or tool.has_name_in(shown.pinned)

    def selection_of(self, server_id: str | None) -> Selection:
        """Return the selection for all servers, or for the address of one, which chooses the server."""
        if server_id is None:
            return self.selection
        return replace(self.selection, servers=frozenset(), listed=frozenset(), searched=frozenset())

    def shows_inline_html(self, server_id: str) -> bool:
        """Whether the user lets answers of a server be shown as pages; false for a server that is gone.

        What another user shares never is: its owner trusts it, and decides that for nobody else.
        """
        if server_id in self._others:
            return False
        return any(server.record.id == server_id and server.record.inline_html for server in self.servers)

    def is_accepted(self, tool: Tool) -> bool:
        """Whether the user accepted exactly this version of the operation."""
        return self.decision_about(tool) == tool.operation.digest

    def is_settled(self, tool: Tool) -> bool:
        """Whether the user has accepted the tool; in the view of `NOBODY`, where no user can, each is."""
        return self.user_id == NOBODY or self.is_accepted(tool)

    def is_declined(self, tool: Tool) -> bool:
        """Whether the user has looked at the operation and not accepted it."""
        return self.decision_about(tool) == DECLINED

    def decision_about(self, tool: Tool) -> str | None:
        """Return the digest that the user accepted of the operation, or `DECLINED`; None: undecided."""
        return self._decisions.get(tool.server_id, {}).get(tool.operation.key)

    def count_accepted(self, server: LoadedServer) -> tuple[int, int]:
        """Return how many of a server's operations are accepted, and how many changed since they were."""
        counted, counts = self._counts.get(server.record.id, (None, (0, 0)))
        if counted is not server:
            decided = self._decisions.get(server.record.id, {})
            pinned = [(decided.get(op.key), op.digest) for op in server.compiled.operations]
            accepted = sum([pin == now for pin, now in pinned])
            changed = sum([pin != now and pin is not None and pin != DECLINED for pin, now in pinned])
            counts = accepted, changed
            self._counts[server.record.id] = server, counts
        return counts

    def is_decided(self, server: LoadedServer) -> bool:
        """Whether the user has accepted or declined anything of a server."""
        return bool(self._decisions.get(server.record.id))

    def accepted_origins(self) -> tuple[str, ...]:
        """Return the origins that the user's page must be able to reach, in stable order."""
        origins = (tool.operation.origin for tool in self.catalog.tools if self.is_accepted(tool))
        return tuple(sorted({origin for origin in origins if origin}))

    def may_accept_on_open(self, server: LoadedServer) -> bool:
        """Whether opening the page by ticket accepts this server, which the command line named (ruling 20).

        For the operator only. What the operator has declined stays declined, and what changed since it was
        accepted is accepted again only where it stays on this machine (ruling 19).
        """
        if server.record.named is None or not self.is_operator:
            return False
        if not self.is_decided(server) or self.count_accepted(server)[1] == 0:
            return True
        return all(is_loopback(origin) for origin in server.compiled.origins)

    def build_document(self, server_id: str | None, offered: Offer) -> AdvertisedDocument:
        """Return the advertised OpenAPI document of all servers, or of one.

        The schemas of the tools in `offered` must be compiled (`OfferedLists.advertise_document` does that).

        Raises:
            BridgeError: `not_found`.
        """
        if server_id is None:
            title, description = "Direct Tool Bridge", "APIs that the user's own browser can reach, as tools."
            version = "1"
        else:
            compiled = self.find_server(server_id).compiled
            title, version = compiled.title, compiled.version_text
            # What an MCP server instructs models to do is pinned by no acceptance, so none is told.
            description = "" if compiled.kind == "mcp" else compiled.description
        body = advertise_tools(
            offered.tools,
            self.compiled_schema,
            meta_tools=offered.meta_tools,
            title=title,
            description=description,
            version=version,
        )
        return AdvertisedDocument(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')

    def compiled_schema(self, tool: Tool) -> bytes:
        """Return the argument schema of a tool, which has been compiled.

        Raises:
            KeyError: a mistake of ours: it has not.
        """
        return self.find_server(tool.server_id).schemas[tool.operation.key]


def is_loopback(origin: str) -> bool:
    """Whether an origin is this machine."""
    return urlsplit(origin).hostname in LOOPBACK_NAMES
