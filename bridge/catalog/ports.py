"""The ports of the registry of servers: a store, and a compiler of documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Protocol

from bridge.catalog.server_view import ServerRecord, UserSelection
from toolserver.tool.argument_schemas import ToolSchema
from toolserver.tool.compile import CompiledDocument
from toolserver.tool.listing import Listing
from toolserver.tool.naming import OperationKey


class ServerStore(Protocol):
    """What the registry stores. Every method commits before it returns."""

    async def list_servers(self) -> Sequence[ServerRecord]:
        """Return all servers of all users, oldest first."""
        ...

    async def server_ids(self) -> Set[str]:
        """Return the ids of all servers of all users."""
        ...

    async def add_server(self, record: ServerRecord) -> bool:
        """Add a server; False, and nothing is changed: its id is taken, or what a command line calls it.

        Of several replicas that add the same at once, one does.
        """
        ...

    async def save_server(self, record: ServerRecord, *, seen: ServerRecord) -> bool:
        """Replace the record with the same id.

        False, and nothing is stored: another replica has changed or deleted it since it was `seen`.
        """
        ...

    async def delete_server(self, server_id: str) -> None:
        """Delete a server and every acceptance of it."""
        ...

    async def load_names(self, scope: str) -> Mapping[OperationKey, str]:
        """Return the names given in a scope."""
        ...

    async def add_names(
        self, scope: str, names: Mapping[OperationKey, str], *, seen: Mapping[OperationKey, str]
    ) -> bool:
        """Store names permanently; each replaces the name stored for the same operation.

        False, and nothing is stored: another replica has changed the names of the scope since they were
        `seen`.
        """
        ...

    async def list_acceptances(self, user_id: str) -> Mapping[OperationKey, str]:
        """Return what a user accepted: operation to digest."""
        ...

    async def replace_acceptances(self, user_id: str, server_id: str, digests: Mapping[str, str]) -> None:
        """Replace what a user accepts of one server: operation key to digest."""
        ...

    async def load_selection(self, user_id: str) -> UserSelection:
        """Return what a user chose to show to models; an empty selection when there is none."""
        ...

    async def save_selection(self, user_id: str, selection: UserSelection) -> None:
        """Store a user's selection, replacing the previous one."""
        ...


class ListingStore(Protocol):
    """Where decisions about what is listed are kept. Every method commits before it returns."""

    async def load_listing(self, user_id: str) -> Listing | None:
        """Return what was decided last for a user; None: nothing yet."""
        ...

    async def save_listing(self, user_id: str, listing: Listing, *, seen: Listing | None) -> bool:
        """Store a decision; False, and nothing is stored: another one was made since that was `seen`."""
        ...

    async def used_servers(self, user_id: str, since: float) -> Set[str]:
        """Return the ids of servers that a user's calls went to since a time, in UTC seconds since 1970."""
        ...


class Compiler(Protocol):
    """Compiles document text to operations, off the event loop."""

    async def compile_document(
        self, text: str, *, source_url: str | None, base_url: str | None, overlays: Sequence[str] = ()
    ) -> CompiledDocument:
        """Compile one text, as its overlays leave it.

        Raises:
            BridgeError: `invalid_document`.
        """
        ...

    async def compile_schemas(
        self, text: str, digest: str, keys: Sequence[str], *, bare: str = "", overlays: Sequence[str] = ()
    ) -> Mapping[str, ToolSchema]:
        """Return the argument schemas of a compiled text's operations, by key.

        `bare`: why only the types of their arguments are told; "": everything is.

        Raises:
            BridgeError: `invalid_document`: they could not be made in time or memory.
        """
        ...
