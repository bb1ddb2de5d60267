"""`/api/selection`: the tools that models are offered when the catalog is too large."""

from __future__ import annotations

from typing import Annotated, Literal

from aiohttp import web
from pydantic import Field

from bridge.audit import AuditKind
from bridge.catalog.registry import Registry
from bridge.catalog.server_view import UserSelection, UserView
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.audit import set_audit_detail
from bridge.http.body import read_body
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import ApiModel, compressed, json_answer
from toolserver.tool.naming import MAX_NAME_CHARS
from toolserver.tool.selection_bounds import MAX_LIMIT, MAX_TOKENS, MIN_LIMIT, MIN_TOKENS

MAX_CHOSEN = 1_000
"""Maximum servers, tags or pinned tools in one selection."""

MAX_PATTERNS = 100
"""Maximum names and patterns in one selection: each is matched against every tool."""

MAX_TAG_CHARS = 200

MAX_DIGITS = 9
"""Maximum digits of a number of operations that is asked about."""

Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS)]
Tag = Annotated[str, Field(min_length=1, max_length=MAX_TAG_CHARS)]


class SelectionChoice(ApiModel):
    """The tools to offer to models. An empty list means all; `null` means the bridge's number."""

    servers: list[Name] = Field(default_factory=list[Name], max_length=MAX_CHOSEN)
    """Ids."""
    tags: list[Tag] = Field(default_factory=list[Tag], max_length=MAX_CHOSEN)
    names: list[Name] = Field(default_factory=list[Name], max_length=MAX_PATTERNS)
    """Names of tools, or patterns such as `list*`."""
    pinned: list[Name] = Field(default_factory=list[Name], max_length=MAX_CHOSEN)
    """Names of tools that are always offered, even when the others are too many."""
    listed: list[Name] = Field(default_factory=list[Name], max_length=MAX_CHOSEN)
    """Ids of servers whose tools are listed before those of any other."""
    searched: list[Name] = Field(default_factory=list[Name], max_length=MAX_CHOSEN)
    """Ids of servers whose tools are found by `find_operations`, however few they are. Wins over `listed`."""
    max_tools: int | None = Field(default=None, ge=MIN_LIMIT, le=MAX_LIMIT)
    max_tokens: int | None = Field(default=None, ge=MIN_TOKENS, le=MAX_TOKENS)


class SelectionBounds(ApiModel):
    """The default numbers."""

    max_tools: int
    max_tokens: int | None


class MissingChoices(ApiModel):
    """Entries of a selection that match nothing now; they are stored, because they may match again."""

    servers: list[str]
    tags: list[str]
    pinned: list[str]


class ServerListing(ApiModel):
    """Whether models get a server's tools by name."""

    server: str
    """Id."""
    tools: int
    """Accepted tools that the selection matches, without pinned ones."""
    listed: bool
    """Models are shown all of them. Otherwise `find_operations` finds them."""


class ListingForecast(ApiModel):
    """What would be listed if so many operations of a server were accepted."""

    listed: bool
    giving_way: list[str]
    """Ids of servers that are listed now and would be searched."""
    others_listed: int
    """Accepted tools of all other servers that would be listed."""


class SelectionFacts(SelectionChoice):
    """A user's selection, and its effect at the address of all servers."""

    defaults: SelectionBounds
    missing: MissingChoices
    total: int
    """Tools of the user, without those that the user has declined."""
    selected: int
    """Number of tools that the selection matches: offered, or found by `find_operations`."""
    shown: int
    """Number of tools that models are offered."""
    over: Literal["", "over_limit", "over_tokens"]
    """Why not all selected tools are offered."""
    accepted: int
    """Accepted tools among the selected: what a model of the bridge may call."""
    accepted_shown: int
    """Accepted tools that are offered: to each model of the bridge, and to every other client."""
    pins_left: int
    """Pinned tools for which there is no room."""
    listing: list[ServerListing]
    """Servers with accepted tools, by id."""
    meta_tools: list[str]
    """The bridge's own tools that are offered with them."""
    revision: str
    """As in the list of servers."""


class SelectionRoutes(DeclaredApiRoutes):
    """Handlers of the selection."""

    def __init__(self, registry: Registry, defaults: SelectionBounds) -> None:
        self._registry = registry
        self._defaults = defaults

    @api_route("GET /api/selection", ok("The selection and its effect.", SelectionFacts))
    async def show_selection(self, request: web.Request) -> web.Response:
        """Show which tools models are offered."""
        return await self._answer(caller_of(request).user.id)

    @api_route(
        "PUT /api/selection",
        ok("The selection as it is now.", SelectionFacts),
        body=SelectionChoice,
        access="page",
        errors=(ErrorCode.INVALID_REQUEST, ErrorCode.TOO_LARGE),
        audited=AuditKind.SETTINGS,
    )
    async def replace_selection(self, request: web.Request) -> web.Response:
        """Choose which tools models are offered. Members omitted from the body are cleared."""
        caller = caller_of(request)
        choice = await read_body(request, SelectionChoice)
        selection = UserSelection(
            servers=_once(choice.servers),
            tags=_once(choice.tags),
            names=_once(choice.names),
            pinned=_once(choice.pinned),
            max_tools=choice.max_tools,
            max_tokens=choice.max_tokens,
            listed=_once(choice.listed),
            searched=_once(choice.searched),
        )
        await self._registry.save_selection(caller.user.id, selection)
        set_audit_detail(request, changed="selection")
        return await self._answer(caller.user.id)

    @api_route(
        "GET /api/selection/forecast",
        ok("What would be listed.", ListingForecast),
        errors=(ErrorCode.INVALID_REQUEST, ErrorCode.NOT_FOUND),
        query={
            "server": "Id of the server.",
            "accepted": "How many of its operations would be accepted.",
        },
    )
    async def forecast_listing(self, request: web.Request) -> web.Response:
        """Show what models would get by name if operations of a server were accepted."""
        view = await self._registry.view_of_user(caller_of(request).user.id)
        accepted = request.query.get("accepted", "")
        if not (accepted.isascii() and accepted.isdigit() and len(accepted) <= MAX_DIGITS):
            raise BridgeError(ErrorCode.INVALID_REQUEST, "`accepted` is a number of operations.")
        server_id = request.query.get("server", "")
        found = await self._registry.listings.forecast_listing(view, server_id, int(accepted))
        forecast = ListingForecast(
            listed=found.is_listed, giving_way=[*found.giving_way], others_listed=found.others_listed
        )
        return json_answer(forecast)

    async def _answer(self, user_id: str) -> web.Response:
        view = await self._registry.view_of_user(user_id)
        offered = await self._registry.lists.offer_tools(view, None)
        listing = await self._registry.listings.listing_of(view)
        chosen = view.chosen
        facts = SelectionFacts(
            servers=list(chosen.servers),
            tags=list(chosen.tags),
            names=list(chosen.names),
            pinned=[_name_now(view, name) for name in chosen.pinned],
            max_tools=chosen.max_tools,
            max_tokens=chosen.max_tokens,
            defaults=self._defaults,
            missing=_missing(view),
            total=len(view.offerable_tools(None)),
            selected=len(offered.reachable),
            shown=len(offered.tools),
            over=offered.over,
            listed=list(chosen.listed),
            searched=list(chosen.searched),
            accepted=sum(map(view.is_accepted, offered.reachable)),
            accepted_shown=sum(map(view.is_accepted, offered.tools)),
            pins_left=offered.pins_left,
            listing=[
                ServerListing(server=server, tools=tools, listed=server in offered.listed)
                for server, tools in sorted(listing.sizes.items())
            ],
            meta_tools=[meta.name for meta in offered.meta_tools],
            revision=view.revision,
        )
        return compressed(json_answer(facts))


def _once(values: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def _name_now(view: UserView, name: str) -> str:
    """The name of a tool that may have been renamed since; the same where no tool has it."""
    tool = view.catalog.by_name(name)
    return name if tool is None else tool.name


def _missing(view: UserView) -> MissingChoices:
    tags = {tag.lower() for tool in view.catalog for tag in tool.operation.tags}
    named = _once([*view.chosen.servers, *view.chosen.listed, *view.chosen.searched])
    return MissingChoices(
        servers=[server_id for server_id in named if not view.has_server(server_id)],
        tags=[tag for tag in view.chosen.tags if tag.lower() not in tags],
        pinned=[name for name in view.chosen.pinned if view.catalog.by_name(name) is None],
    )
