"""Selects the tools of a catalog that a model sees, when it cannot see them all.

Receives a catalog and a user's choice; gives the tools to offer, in the catalog's order, and the bridge's own
tools that go with them. Pure; costs come in as a function.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import translate
from typing import Literal, TypeAlias

from toolserver.tool.catalog import Tool
from toolserver.tool.meta_tools import META_TOOLS, READ_RESULT, MetaTool
from toolserver.tool.selection_bounds import MODEL_LIMIT

CHARS_PER_TOKEN = 4
"""Common estimate for English and JSON."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What a user chose to offer. Empty fields restrict nothing: all tools are meant."""

    servers: frozenset[str] = frozenset()
    """Server ids."""
    tags: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    """Names or patterns such as "list*"."""
    pinned: frozenset[str] = frozenset()
    """Names that are offered even when there are too many others."""
    limit: int = MODEL_LIMIT
    """Maximum number of tools offered, meta-tools included."""
    max_tokens: int | None = None
    """Maximum tokens of all definitions together; None for no budget."""


Absence: TypeAlias = Literal["not_selected", "over_limit", "over_tokens"]
"""Why a tool itself is not shown."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a model sees."""

    tools: tuple[Tool, ...]
    meta_tools: tuple[MetaTool, ...]
    reachable: tuple[Tool, ...]
    """Tools that `find_operations` finds: everything that was chosen."""
    over: Literal["", "over_limit", "over_tokens"]
    """The bound that the chosen tools exceed."""

    @property
    def left_out(self) -> int:
        """Number of chosen tools that are not shown themselves."""
        return len(self.reachable) - len(self.tools)

    def explain_absences(self, tools: Iterable[Tool]) -> Mapping[str, Absence]:
        """The `tools` that are not shown, by name, and why."""
        offered = {tool.name for tool in self.tools}
        chosen = {tool.name for tool in self.reachable}
        return {
            tool.name: (self.over or "over_limit") if tool.name in chosen else "not_selected"
            for tool in tools
            if tool.name not in offered
        }


def estimated_tokens(name: str, description: str, schema_json: bytes) -> int:
    """The approximate number of tokens that a definition costs in every request."""
    return (len(name) + len(description) + len(schema_json)) // CHARS_PER_TOKEN + 1


def choose_tools(tools: Iterable[Tool], selection: Selection) -> tuple[Tool, ...]:
    """The tools that a selection chooses, however many."""
    tags = {tag.lower() for tag in selection.tags}
    fits = re.compile("|".join(map(translate, selection.names))).match
    return tuple(
        tool
        for tool in tools
        if tool.name in selection.pinned
        or (
            (not selection.servers or tool.server_id in selection.servers)
            and (not tags or not tags.isdisjoint(tag.lower() for tag in tool.operation.tags))
            and (not selection.names or fits(tool.name) is not None)
        )
    )


def _none(_tool: Tool) -> bool:
    return False


def find_candidates(
    tools: Iterable[Tool], selection: Selection, *, is_settled: Callable[[Tool], bool] = _none
) -> tuple[Tool, ...]:
    """The tools whose cost decides about an offer: all chosen ones if their number fits, else the first."""
    chosen = choose_tools(tools, selection)
    if len(chosen) <= selection.limit:
        return chosen
    return _settled(chosen, selection, is_settled) or _pinned(chosen, selection)


def offer_tools(
    tools: Iterable[Tool],
    selection: Selection,
    *,
    tokens_of: Callable[[Tool], int] | None = None,
    is_settled: Callable[[Tool], bool] = _none,
) -> Offer:
    """All chosen tools when they fit; else the first of them, with the tools that reach the others.

    The first are those that `is_settled`, and the pinned ones, if all of these fit: what nobody has decided
    about displaces none of them. Else they are the pinned ones that fit. `read_result`, to which a cut answer
    points, is added to all tools where there is room for it. `tokens_of` is called only when the selection
    has a budget, and only for `find_candidates`.
    """
    chosen = choose_tools(tools, selection)
    if len(chosen) > selection.limit:
        over = "over_limit"
    elif _affordable(chosen, (), selection, tokens_of) < len(chosen):
        over = "over_tokens"
    else:
        return Offer(chosen, _tools_for_large_results(chosen, selection, tokens_of), chosen, "")
    settled = _settled(chosen, selection, is_settled)
    if settled and _affordable(settled, META_TOOLS, selection, tokens_of) == len(settled):
        return Offer(settled, META_TOOLS, chosen, over)
    pinned = _pinned(chosen, selection)
    offered = pinned[: _affordable(pinned, META_TOOLS, selection, tokens_of)]
    return Offer(offered, META_TOOLS, chosen, over)


def _settled(
    chosen: tuple[Tool, ...], selection: Selection, is_settled: Callable[[Tool], bool]
) -> tuple[Tool, ...]:
    """The settled and the pinned ones; empty if there are too many of them, or nothing gives way to them."""
    found = tuple(tool for tool in chosen if is_settled(tool) or tool.name in selection.pinned)
    fits = len(found) <= selection.limit - len(META_TOOLS) and len(found) < len(chosen)
    return found if fits else ()


def _pinned(chosen: tuple[Tool, ...], selection: Selection) -> tuple[Tool, ...]:
    free_places = max(0, selection.limit - len(META_TOOLS))
    return tuple(tool for tool in chosen if tool.name in selection.pinned)[:free_places]


def _tools_for_large_results(
    chosen: tuple[Tool, ...], selection: Selection, tokens_of: Callable[[Tool], int] | None
) -> tuple[MetaTool, ...]:
    fits = len(chosen) < selection.limit
    fits = fits and _affordable(chosen, (READ_RESULT,), selection, tokens_of) == len(chosen)
    return (READ_RESULT,) if chosen and fits else ()


def _affordable(
    tools: tuple[Tool, ...],
    meta_tools: tuple[MetaTool, ...],
    selection: Selection,
    tokens_of: Callable[[Tool], int] | None,
) -> int:
    """How many of the first tools the token budget allows besides `meta_tools`."""
    if selection.max_tokens is None or tokens_of is None:
        return len(tools)
    remaining = selection.max_tokens
    remaining -= sum(estimated_tokens(meta.name, meta.description, meta.schema_json) for meta in meta_tools)
    for count, tool in enumerate(tools):
        remaining -= tokens_of(tool)
        if remaining < 0:
            return count
    return len(tools)
