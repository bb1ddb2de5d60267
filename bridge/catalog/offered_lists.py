"""What models are offered of a user's tools, and the lists of it: as an OpenAPI document, and for MCP.

A server whose schemas are not ready in time is left out of the list of all servers until they are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

from bridge.catalog.listings import Listings
from bridge.catalog.lists_by_room import ListsByRoom, fit_names, has_room
from bridge.catalog.ports import ListingStore
from bridge.catalog.schema_loading import SchemaLoading
from bridge.catalog.server_view import AdvertisedDocument, UserView
from toolserver.schema.compact import compact_schema
from toolserver.tool.catalog import Tool
from toolserver.tool.mcp_tools import list_mcp_tools
from toolserver.tool.selection import Offer, Reader, find_candidates, offer_tools, tokens_for

_List = TypeVar("_List")


@dataclass(frozen=True, slots=True)
class _Making(Generic[_List]):
    """How lists of one form are made, and where they are kept."""

    lists: ListsByRoom[_List]
    reader: Reader
    build: Callable[[Offer], _List]


class OfferedLists:
    """Makes what is offered of a view, once for each view. See the registry's methods of the same names."""

    def __init__(self, loading: SchemaLoading, listings: ListingStore) -> None:
        self._loading = loading
        self.listings = Listings(listings, self.count_tokens)

    async def schemas_of(self, view: UserView, tools: Iterable[Tool]) -> dict[str, bytes]:
        """Return the argument schemas of some of a user's tools, by tool name; compiles no others."""
        found: dict[str, bytes] = {}
        for server_id, group in _by_server(tools).items():
            keys = [tool.operation.key for tool in group]
            schemas = await self._loading.load_schemas(view.find_server(server_id), keys)
            found |= {tool.name: schemas[tool.operation.key] for tool in group}
        return found

    async def ready_schemas(self, view: UserView, tools: Iterable[Tool]) -> dict[str, bytes]:
        """Return the same for a list, in bounded time: tools of a server that takes longer are left out.

        When it is ready the view changes.
        """
        groups = _by_server(tools)
        servers = {server_id: view.find_server(server_id) for server_id in groups}
        await self._loading.load_in_time(
            {
                server_id: (servers[server_id], [tool.operation.key for tool in group])
                for server_id, group in groups.items()
            }
        )
        return {
            tool.name: schema
            for server_id, group in groups.items()
            for tool in group
            if (schema := servers[server_id].schemas.get(tool.operation.key)) is not None
        }

    async def offer_tools(self, view: UserView, server_id: str | None, reader: Reader = "keywords") -> Offer:
        """Return what models are shown of all of a user's servers, or of one.

        A budget of tokens counts what `reader` is sent. A tool whose schema is not ready takes nothing of it,
        and is in no list yet.

        Raises:
            BridgeError: `not_found`.
        """
        if server_id is not None:
            view.find_server(server_id)
        selection = view.selection_of(server_id)
        if selection.max_tokens is None:
            reader = "keywords"  # what a tool costs decides nothing
        if (server_id, reader) not in view.offers:
            tools = view.offerable_tools(server_id)
            costs: dict[str, int] = {}
            if selection.max_tokens is not None:
                candidates = find_candidates(tools, selection, is_settled=view.is_settled)
                costs = await self.count_tokens(view, candidates, reader)
            listed = (await self.listings.listing_of(view)).listed if server_id is None else None
            offer = partial(offer_tools, tools, selection, listed=listed, is_settled=view.is_settled)
            view.offers[server_id, reader] = await asyncio.to_thread(
                offer,  # ten thousand tools against a hundred patterns
                tokens_of=lambda tool: costs.get(tool.name, 0),  # not ready: in no list, so it takes no room
                reader=reader,
            )
        return view.offers[server_id, reader]

    async def advertise_document(
        self, view: UserView, server_id: str | None, room: int | None = None
    ) -> AdvertisedDocument:
        """Return the advertised document of all of a user's servers, or of one; compiles schemas it needs.

        That of all is made without a server that takes long, which comes with the next view. `room`: maximum
        characters of a name. Raises `not_found`.
        """

        def build(offered: Offer) -> AdvertisedDocument:  # 80 ms for 10,000 tools
            return view.build_document(server_id, offered)

        return await self._list_for(view, server_id, room, _Making(view.documents, "words", build))

    async def list_mcp_tools(self, view: UserView, server_id: str | None, room: int | None = None) -> bytes:
        """Return the same tools as MCP clients list them, a JSON array; compiles schemas it needs.

        Raises:
            BridgeError: `not_found`.
        """

        def build(offered: Offer) -> bytes:  # half a second for 10,000 tools
            return list_mcp_tools(
                offered.tools,
                lambda tool: compact_schema(view.compiled_schema(tool)),
                meta_tools=offered.meta_tools,
            )

        return await self._list_for(view, server_id, room, _Making(view.tool_lists, "keywords", build))

    async def count_tokens(
        self, view: UserView, tools: Iterable[Tool], reader: Reader = "keywords"
    ) -> dict[str, int]:
        """Estimate the tokens that each of `tools` takes, by name, as far as its schema is ready."""
        listed = tuple(tools)
        schemas = await self.ready_schemas(view, listed)

        def count() -> dict[str, int]:
            return {
                tool.name: tokens_for(reader, tool.name, tool.operation.description, schemas[tool.name])
                for tool in listed
                if tool.name in schemas
            }

        return await asyncio.to_thread(count)

    async def _list_for(
        self, view: UserView, server_id: str | None, room: int | None, making: _Making[_List]
    ) -> _List:
        """Find the list for that room, or make it in a thread; where all names fit, that list is as given."""
        lists = making.lists
        if (kept := lists.find(server_id, room)) is not None:
            return kept
        offered = await self._described(view, server_id, making.reader)
        needed = None if room is None or has_room(offered.tools, room) else room

        def build() -> _List:
            return making.build(replace(offered, tools=fit_names(offered.tools, needed, view.catalog)))

        if (kept := lists.find(server_id, needed)) is None:
            kept = lists.keep(server_id, needed, await asyncio.to_thread(build))
        return lists.keep(server_id, room, kept)

    async def _described(self, view: UserView, server_id: str | None, reader: Reader = "keywords") -> Offer:
        """What is offered and has its schemas; of one server all of it, however long that takes."""
        offered = await self.offer_tools(view, server_id, reader)
        if server_id is not None:
            await self.schemas_of(view, offered.tools)
            return offered
        ready = await self.ready_schemas(view, offered.tools)
        return replace(offered, tools=tuple(tool for tool in offered.tools if tool.name in ready))


def _by_server(tools: Iterable[Tool]) -> dict[str, list[Tool]]:
    by_server: dict[str, list[Tool]] = {}
    for tool in tools:
        by_server.setdefault(tool.server_id, []).append(tool)
    return by_server
