"""Selects the tools of a catalog that a model sees, when it cannot see them all.

Receives a catalog and a user's choice; gives the tools to offer, in the catalog's order, and the bridge's own
tools that go with them. Pure; costs come in as a function. Which servers are listed at all is decided
elsewhere, once for many lists (`listing.py`).
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import translate
from typing import Literal, TypeAlias

from toolserver.schema.compact import compact_schema
from toolserver.tool.catalog import Tool
from toolserver.tool.meta_tools import META_TOOLS, READ_RESULT, MetaTool
from toolserver.tool.selection_bounds import MODEL_LIMIT

CHARS_PER_TOKEN = 4
"""Common estimate for English and JSON."""

Reader: TypeAlias = Literal["keywords", "words"]
"""What a reader takes of a schema, and so what it is sent: each fact once, or in keywords and in words."""

TokensOf: TypeAlias = Callable[[Tool], int]
IsSettled: TypeAlias = Callable[[Tool], bool]
"""Whether its user has decided for a tool: what is not settled displaces nothing that is."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What a user chose to offer. Empty fields restrict nothing: all tools are meant."""

    servers: frozenset[str] = frozenset()
    """Server ids."""
    tags: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    """Names or patterns such as "list*"."""
    pinned: tuple[str, ...] = ()
    """Names that are offered even when there are too many others, the most important first."""
    listed: frozenset[str] = frozenset()
    """Ids of servers that are listed before any other."""
    searched: frozenset[str] = frozenset()
    """Ids of servers of which only pinned tools are listed."""
    limit: int = MODEL_LIMIT
    """Maximum number of tools offered, meta-tools included."""
    max_tokens: int | None = None
    """Maximum tokens of all definitions together; None for no budget."""


Absence: TypeAlias = Literal["not_selected", "over_limit", "over_tokens", "searched"]
"""Why a tool itself is not shown; `searched`: it would fit now, but its server is searched."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a model sees."""

    tools: tuple[Tool, ...]
    meta_tools: tuple[MetaTool, ...]
    reachable: tuple[Tool, ...]
    """Tools that `find_operations` finds: everything that was chosen."""
    over: Literal["", "over_limit", "over_tokens"]
    """The bound that the chosen tools exceed."""
    listed: tuple[str, ...] = ()
    """Ids of the servers whose settled tools are all shown, in the order in which they got their place."""
    pins_left: int = 0
    """Number of pinned tools for which there is no room."""

    @property
    def left_out(self) -> int:
        """Number of chosen tools that are not shown themselves."""
        return len(self.reachable) - len(self.tools)

    def explain_absences(self, tools: Iterable[Tool]) -> Mapping[str, Absence]:
        """The `tools` that are not shown, by name, and why."""
        offered = {tool.name for tool in self.tools}
        chosen = {tool.name for tool in self.reachable}
        return {
            tool.name: (self.over or "searched") if tool.name in chosen else "not_selected"
            for tool in tools
            if tool.name not in offered
        }


def estimated_tokens(name: str, description: str, schema_json: bytes) -> int:
    """The approximate number of tokens that a definition costs in every request."""
    return (len(name) + len(description) + len(schema_json)) // CHARS_PER_TOKEN + 1


def tokens_for(reader: Reader, name: str, description: str, schema_json: bytes) -> int:
    """The same of a definition as a reader gets it; a tenth of a millisecond for one who reads keywords."""
    written = compact_schema(schema_json) if reader == "keywords" else schema_json
    return estimated_tokens(name, description, written)


def choose_tools(tools: Iterable[Tool], selection: Selection) -> tuple[Tool, ...]:
    """The tools that a selection chooses, however many."""
    tags = {tag.lower() for tag in selection.tags}
    pinned = frozenset(selection.pinned)
    fits = re.compile("|".join(map(translate, selection.names))).match
    return tuple(
        tool
        for tool in tools
        if tool.has_name_in(pinned)
        or (
            (not selection.servers or tool.server_id in selection.servers)
            and (not tags or not tags.isdisjoint(tag.lower() for tag in tool.operation.tags))
            and (not selection.names or any(map(fits, (tool.name, *tool.former))))
        )
    )


def _none(_tool: Tool) -> bool:
    return False


def find_candidates(
    tools: Iterable[Tool], selection: Selection, *, is_settled: IsSettled = _none
) -> tuple[Tool, ...]:
    """The tools whose cost decides about an offer: all chosen ones if their number fits.

    Else the pinned ones, and those of each server of which there is room for all.
    """
    chosen = choose_tools(tools, selection)
    if len(chosen) <= selection.limit:
        return chosen
    parts = _Parts.of(chosen, selection, is_settled)
    small = [part for part in (*parts.settled.values(), *parts.new.values()) if len(part) <= parts.room]
    found = {tool.name for part in (parts.pinned, *small) for tool in part}
    return tuple(tool for tool in chosen if tool.name in found)


def offer_tools(
    tools: Iterable[Tool],
    selection: Selection,
    *,
    listed: Sequence[str] | None = None,
    tokens_of: TokensOf | None = None,
    reader: Reader = "keywords",
    is_settled: IsSettled = _none,
) -> Offer:
    """All chosen tools when they fit, otherwise as many servers as fit, with the tools that reach the others.

    Room is given to the pinned tools first, in their order. Then come the settled tools of each server in
    `listed`, if all of them fit, and last what its user has not decided about, likewise. `listed` has ids of
    servers, the first to get a place first; None: all, the smallest first. `read_result`, to which a cut
    answer points, is added to all tools where there is room for it. `tokens_of` is called only when the
    selection has a budget, and only for `find_candidates`; `reader` decides what the bridge's own tools cost.
    """
    chosen = choose_tools(tools, selection)
    parts = _Parts.of(chosen, selection, is_settled)
    room = _Room(selection.limit, selection.max_tokens, tokens_of, reader)
    order = smallest_first(parts.sizes) if listed is None else listed
    order = [server for server in order if server in parts.settled and server not in selection.searched]
    over = room.exceeded_by(chosen)
    if len(order) == len(parts.settled):
        if not over and selection.searched.isdisjoint(parts.new):
            return Offer(chosen, _tools_for_large_results(chosen, room), chosen, "", tuple(order))
        core = [*parts.pinned, *(tool for server in order for tool in parts.settled[server])]
        if parts.settled and not room.exceeded_by(core) and room.exceeded_by(core, META_TOOLS):
            own = _tools_for_large_results(core, room)
            return Offer(_in_order(chosen, core), own, chosen, over, tuple(order))
    return replace(_fill(room.beside(META_TOOLS), chosen, parts, order, selection), over=over)


def smallest_first(sizes: Mapping[str, int]) -> list[str]:
    """Servers by their number of tools, then by id."""
    return sorted(sizes, key=lambda server: (sizes[server], server))


@dataclass(frozen=True, slots=True)
class _Parts:
    """The chosen tools, by what they have to be shown together with."""

    pinned: list[Tool]
    """In the order in which they were pinned."""
    settled: dict[str, list[Tool]]
    """By server; without the pinned ones."""
    new: dict[str, list[Tool]]
    """The others, by server."""
    room: int
    """Number of tools that may be shown beside the pinned ones."""

    @property
    def sizes(self) -> dict[str, int]:
        """Number of settled tools, by server."""
        return _sizes(self.settled)

    @classmethod
    def of(cls, chosen: Sequence[Tool], selection: Selection, is_settled: IsSettled) -> "_Parts":
        settled: dict[str, list[Tool]] = {}
        new: dict[str, list[Tool]] = {}
        places = {name: place for place, name in enumerate(selection.pinned)}
        for tool in chosen:
            if not tool.has_name_in(places):
                (settled if is_settled(tool) else new).setdefault(tool.server_id, []).append(tool)
        pinned = [tool for tool in chosen if tool.has_name_in(places)]
        pinned.sort(
            key=lambda tool: min(places[each] for each in (tool.name, *tool.former) if each in places)
        )
        return cls(pinned, settled, new, selection.limit - len(pinned))


def _sizes(parts: Mapping[str, Sequence[Tool]]) -> dict[str, int]:
    return {server: len(tools) for server, tools in parts.items()}


def count_settled(tools: Iterable[Tool], selection: Selection, *, is_settled: IsSettled) -> dict[str, int]:
    """Number of tools that get their place with their server, by server: settled and not pinned."""
    return _Parts.of(choose_tools(tools, selection), selection, is_settled).sizes


@dataclass(frozen=True, slots=True)
class _Room:
    """How many tools, and tokens, may be shown."""

    tools: int
    tokens: int | None
    _tokens_of: TokensOf | None
    _reader: Reader

    def exceeded_by(
        self, tools: Sequence[Tool], meta_tools: Sequence[MetaTool] = ()
    ) -> Literal["", "over_limit", "over_tokens"]:
        """The bound that these exceed together; "" if they fit."""
        if len(tools) + len(meta_tools) > self.tools:
            return "over_limit"
        is_over = self.tokens is not None and self._cost(tools) + self._cost_of_own(meta_tools) > self.tokens
        return "over_tokens" if is_over else ""

    def beside(self, meta_tools: Sequence[MetaTool]) -> "_Room":
        """The room left beside tools of the bridge's own."""
        tokens = None if self.tokens is None else self.tokens - self._cost_of_own(meta_tools)
        return replace(self, tools=self.tools - len(meta_tools), tokens=tokens)

    def without(self, tools: Sequence[Tool]) -> "_Room":
        """The room left beside these."""
        tokens = None if self.tokens is None else self.tokens - self._cost(tools)
        return replace(self, tools=self.tools - len(tools), tokens=tokens)

    def _cost(self, tools: Sequence[Tool]) -> int:
        return 0 if self.tokens is None or self._tokens_of is None else sum(map(self._tokens_of, tools))

    def _cost_of_own(self, meta_tools: Sequence[MetaTool]) -> int:
        return sum(
            tokens_for(self._reader, meta.name, meta.description, meta.schema_json) for meta in meta_tools
        )


def _fill(
    room: _Room, chosen: Sequence[Tool], parts: _Parts, order: Sequence[str], selection: Selection
) -> Offer:
    """What there is room for besides the bridge's own tools, by which the others are found."""
    shown: list[Tool] = []
    for tool in parts.pinned:
        if room.exceeded_by([tool]):
            break
        shown.append(tool)
        room = room.without([tool])
    pins_left = len(parts.pinned) - len(shown)
    if pins_left:
        return Offer(_in_order(chosen, shown), META_TOOLS, tuple(chosen), "", pins_left=pins_left)
    new = [server for server in smallest_first(_sizes(parts.new)) if server not in selection.searched]
    listed, room = _fitting(order, parts.settled, room)
    also, _ = _fitting(new, parts.new, room)
    shown += [tool for server in listed for tool in parts.settled[server]]
    shown += [tool for server in also for tool in parts.new[server]]
    return Offer(_in_order(chosen, shown), META_TOOLS, tuple(chosen), "", tuple(listed))


def _fitting(
    order: Sequence[str], parts: Mapping[str, Sequence[Tool]], room: _Room
) -> tuple[list[str], _Room]:
    """Return the servers of which all tools fit, one after the other, and the room that is left."""
    fitting: list[str] = []
    for server in order:
        if not room.exceeded_by(parts[server]):
            fitting.append(server)
            room = room.without(parts[server])
    return fitting, room


def _in_order(chosen: Sequence[Tool], shown: Sequence[Tool]) -> tuple[Tool, ...]:
    names = {tool.name for tool in shown}
    return tuple(tool for tool in chosen if tool.name in names)


def _tools_for_large_results(shown: Sequence[Tool], room: _Room) -> tuple[MetaTool, ...]:
    return (READ_RESULT,) if shown and not room.exceeded_by(shown, (READ_RESULT,)) else ()
