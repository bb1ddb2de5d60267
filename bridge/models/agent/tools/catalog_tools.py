"""Tools of a user's catalog that a model is offered: accepted operations as definitions, ready to send.

Receives the registry's view of a user; returns tools in their order, shared servers first. Built once per
view: while nothing has changed, a turn costs a look-up. Knows nothing of pages and calls.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias, cast

import orjson

from bridge.calls.request import ALL_TOOLS, ToolScope
from bridge.catalog.registry import Registry
from bridge.catalog.server_view import UserView
from bridge.models.agent.toolbox import BridgeTool
from bridge.settings.chat.provider_rules import Strictness
from toolserver.arguments.arguments import ArgumentValidator, fits_as_written
from toolserver.errors import ArgumentError
from toolserver.json_types import JsonObject, object_at
from toolserver.schema.compact import compact_schema
from toolserver.schema.hints import clean_text
from toolserver.schema.strict import strict_schema
from toolserver.tool.catalog import Tool
from toolserver.tool.naming import sanitize_name
from toolserver.tool.selection import Offer, count_settled, find_candidates, offer_tools
from toolserver.tool.selection_bounds import MIN_LIMIT

KEPT_OFFERS = 1024
"""Maximum number of offers cached over all users; each refers to its tools."""

KEPT_TOOLS = 4096
"""Maximum number of tools cached over all users, some 10 KB each; a shared server's serve everybody."""

MAX_ABOUT_CHARS = 100
"""Maximum characters of what a search says about a server. Chosen."""

MAX_PREFIX_CHARS = 24
OWN_PREFIX = "bridge"


FindTool: TypeAlias = Callable[[str], BridgeTool | None]


@dataclass(frozen=True, slots=True)
class SearchedServer:
    """A server of which not all tools are listed."""

    id: str
    about: str
    """What it is, in a few words."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """A cached offer, and the view that it was made from."""

    view: UserView
    tools: tuple[BridgeTool, ...]
    searched: tuple[SearchedServer, ...] = ()


class CatalogTools:
    """The bridge's tools of every user, cached."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._ready: OrderedDict[tuple[str, int, Strictness, ToolScope], _Ready] = OrderedDict()

    async def tools_of_user(
        self, user_id: str, *, taken: int, strictness: Strictness, scope: ToolScope = ALL_TOOLS
    ) -> tuple[BridgeTool, ...]:
        """Return the tools that a model is offered beside `taken` others; empty where there is no room.

        Raises:
            BridgeError: `invalid_document`: the schemas of a document cannot be built.
        """
        return (await self._ready_for(user_id, taken, strictness, scope)).tools

    async def searched_servers(
        self, user_id: str, *, taken: int, strictness: Strictness, scope: ToolScope = ALL_TOOLS
    ) -> tuple[SearchedServer, ...]:
        """Return the servers whose tools `tools_of_user` leaves to a search.

        Raises:
            BridgeError: as `tools_of_user`.
        """
        return (await self._ready_for(user_id, taken, strictness, scope)).searched

    async def load_tools(
        self, user_id: str, names: Sequence[str], *, strictness: Strictness, scope: ToolScope
    ) -> tuple[BridgeTool, ...]:
        """Return those of the tools that are accepted and have their schemas, with their definitions.

        Raises:
            BridgeError: `invalid_document`: the schemas of a document cannot be built.
        """
        view = await self._registry.view_of_user(user_id)
        known = [tool for name in names if (tool := view.catalog.by_name(name)) is not None]
        chosen = [tool for tool in known if view.is_accepted(tool) and scope.includes(tool)]
        schemas = await self._registry.lists.ready_schemas(view, chosen)
        return tuple(
            _described(tool, schemas[tool.name], strictness) for tool in chosen if tool.name in schemas
        )

    async def _ready_for(self, user_id: str, taken: int, strictness: Strictness, scope: ToolScope) -> _Ready:
        view = await self._registry.view_of_user(user_id)
        key = (user_id, taken, strictness, scope)
        ready = self._ready.get(key)
        if ready is None or ready.view is not view:
            ready = await self._made(view, taken, strictness, scope)
            self._ready[key] = ready
        self._ready.move_to_end(key)
        while len(self._ready) > KEPT_OFFERS:
            self._ready.popitem(last=False)
        return ready

    async def find_unlisted(self, user_id: str, scope: ToolScope) -> FindTool:
        """Return what finds an accepted tool that is in no list of the request, by its name.

        It has no schema: who validates its arguments knows that.
        """
        view = await self._registry.view_of_user(user_id)

        def find_tool(name: str) -> BridgeTool | None:
            tool = view.catalog.by_name(name)
            if tool is None or not view.is_accepted(tool) or not scope.includes(tool):
                return None
            return BridgeTool(
                name, name, format_title(name), {}, {}, tool.server_id, is_safe=tool.operation.safe
            )

        return find_tool

    async def _made(self, view: UserView, taken: int, strictness: Strictness, scope: ToolScope) -> _Ready:
        room = view.selection.limit - taken
        if room < MIN_LIMIT:
            return _Ready(view, ())
        offered = await self._offer(view, room, scope)
        schemas = await self._registry.lists.ready_schemas(view, offered.tools)
        tools = (
            _described(tool, schemas[tool.name], strictness) for tool in offered.tools if tool.name in schemas
        )
        names = scope.names
        wanted = [
            tool for tool in offered.meta_tools if names is None or offered.left_out or tool.name in names
        ]
        meta = (
            _own_tool(tool.name, tool.description, tool.schema_json, strictness, is_safe=tool.safe)
            for tool in wanted
        )
        return _Ready(view, (*tools, *meta), _searched_servers(view, offered))

    async def _offer(self, view: UserView, room: int, scope: ToolScope) -> Offer:
        accepted = tuple(tool for tool in view.catalog if view.is_accepted(tool) and scope.includes(tool))
        selection = replace(view.selection, limit=room)
        if scope.servers is not None:
            selection = replace(selection, servers=frozenset())
        if scope.names is not None:
            selection = replace(selection, servers=frozenset(), tags=frozenset(), names=())
        costs: dict[str, int] = {}
        if selection.max_tokens is not None:
            candidates = find_candidates(accepted, selection, is_settled=view.is_settled)
            costs = await self._registry.lists.count_tokens(view, candidates)
        listing = await self._registry.listings.listing_of(view)

        def make_offer() -> Offer:
            listed: Sequence[str] = listing.listed
            if scope != ALL_TOOLS:
                listed = listing.order_of(count_settled(accepted, selection, is_settled=view.is_settled))
            return offer_tools(
                accepted,
                selection,
                listed=listed,
                tokens_of=lambda tool: costs.get(tool.name, 0),
                is_settled=view.is_settled,
            )

        # In a thread: ten thousand tools against a hundred patterns take a second.
        return await asyncio.to_thread(make_offer)


def offered_beside(tools: Collection[BridgeTool], callers: Collection[str]) -> tuple[BridgeTool, ...]:
    """Return the tools, renamed where the caller has a tool of the same name.

    A clashing name gets its server's id as a prefix, regardless of what else is offered, so that it is
    stable.
    """
    if not callers:
        return tuple(tools)
    names = {tool.offered_name for tool in tools} | set(callers)
    return tuple(_renamed(tool, names) if tool.offered_name in callers else tool for tool in tools)


def _renamed(tool: BridgeTool, taken: Collection[str]) -> BridgeTool:
    prefix = sanitize_name(tool.server_id or OWN_PREFIX)[:MAX_PREFIX_CHARS].rstrip("_-")
    name = sanitize_name(f"{prefix}__{tool.name}")
    while name in taken:
        name = sanitize_name(f"{prefix}__{name}")
    return replace(tool, offered_name=name, definition={**tool.definition, "name": name})


def _searched_servers(view: UserView, offered: Offer) -> tuple[SearchedServer, ...]:
    """Return the servers with tools that are found and not listed, in the order of their ids."""
    listed = {tool.name for tool in offered.tools}
    ids = sorted({tool.server_id for tool in offered.reachable if tool.name not in listed})
    return tuple(SearchedServer(each, _about(view, each)) for each in ids)


def _about(view: UserView, server_id: str) -> str:
    """Return a server's title; what another user shares goes by its id, as no acceptance covers its title."""
    record = view.find_server(server_id).record
    is_others = record.owner_id not in (None, view.user_id)
    return server_id if is_others else clean_text(record.title, MAX_ABOUT_CHARS) or server_id


def _described(tool: Tool, schema_json: bytes, strictness: Strictness) -> BridgeTool:
    operation = tool.operation
    return _own_tool(
        tool.name,
        _words_of(tool),
        schema_json,
        strictness,
        tool.server_id,
        is_safe=operation.safe,
        examples=operation.examples,
    )


def _words_of(tool: Tool) -> str:
    """Return what the document says of an operation; "" where it says nothing, and its key stands in."""
    operation = tool.operation
    return "" if operation.description == operation.key else operation.description


@lru_cache(maxsize=KEPT_TOOLS)
def _own_tool(
    name: str,
    description: str,
    schema_json: bytes,
    strictness: Strictness,
    server_id: str | None = None,
    *,
    is_safe: bool,
    examples: tuple[bytes, ...] = (),
) -> BridgeTool:
    definition = define_function(name, description or name, schema_json, strictness)
    parameters = cast(JsonObject, orjson.loads(schema_json))
    fitting = tuple(_fitting_examples(schema_json, definition, examples)) if examples else ()
    return BridgeTool(name, name, format_title(name), definition, parameters, server_id, is_safe, fitting)


def _fitting_examples(
    schema_json: bytes, definition: JsonObject, examples: Sequence[bytes]
) -> Iterator[JsonObject]:
    """Leave out examples that the bridge or the provider would refuse: it would refuse the whole request.

    A provider judges by the definition, of which a strict one demands every argument.
    """
    validator = ArgumentValidator(schema_json, takes_more=False)
    for example in examples:
        with suppress(ArgumentError):
            arguments = validator.validate_arguments(cast(JsonObject, orjson.loads(example)))
            if fits_as_written(object_at(definition, "parameters"), arguments):
                yield arguments


def define_function(name: str, description: str, schema_json: bytes, strictness: Strictness) -> JsonObject:
    """Return a tool in the Responses form, with its strict schema where it is strict."""
    definition: JsonObject = {"type": "function", "name": name, "description": description}
    if strictness == "possible" and (made := strict_schema(schema_json)).is_strict:
        return {**definition, "parameters": orjson.loads(compact_schema(made.schema_json)), "strict": True}
    definition["parameters"] = orjson.loads(compact_schema(schema_json))
    return definition if strictness == "unsaid" else {**definition, "strict": False}


def format_title(name: str) -> str:
    """A tool's name as words for people: "list_pets" and "listPets" are "List pets"."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_-]+", " ", name).split()
    plain = [word if word.isupper() else word.lower() for word in words]
    text = " ".join(plain) or name
    return text[:1].upper() + text[1:]
