"""Which tools of a catalog a model sees, when it cannot see them all.

Receives a catalog and a user's choice; gives the tools to offer, in the catalog's order, and whether the
tools for finding and running the others go with them. Pure; costs come in as a function.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from toolserver.catalog import Tool
from toolserver.meta_tools import META_TOOLS, MetaTool

MODEL_LIMIT = 128
"""Tools that a model takes at most (OpenAI; other providers take more)."""

CHARS_PER_TOKEN = 4
"""A usual estimate for English and JSON."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What a user chose to offer. Empty fields choose nothing out: all tools are meant."""

    servers: frozenset[str] = frozenset()
    """Ids."""
    tags: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    """Names or patterns such as "list*"."""
    pinned: frozenset[str] = frozenset()
    """Names that are offered even when the others are too many."""
    limit: int = MODEL_LIMIT
    """Tools offered at most, meta-tools included."""
    max_tokens: int | None = None
    """Of all definitions together; None for no budget."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a model sees."""

    tools: tuple[Tool, ...]
    meta_tools: tuple[MetaTool, ...]
    reachable: tuple[Tool, ...]
    """What `find_operations` and `run_operation` cover: everything that was chosen."""

    @property
    def left_out(self) -> int:
        """How many chosen tools are not shown themselves."""
        return len(self.reachable) - len(self.tools)


def estimated_tokens(tool: Tool, schema_json: bytes) -> int:
    """About what a tool's definition costs in every request."""
    chars = len(tool.name) + len(tool.operation.description) + len(schema_json)
    return chars // CHARS_PER_TOKEN + 1


def choose(tools: Iterable[Tool], selection: Selection) -> tuple[Tool, ...]:
    """The tools that a selection means, whatever their number."""
    tags = {tag.lower() for tag in selection.tags}
    return tuple(
        tool
        for tool in tools
        if tool.name in selection.pinned
        or (
            (not selection.servers or tool.server_id in selection.servers)
            and (not tags or not tags.isdisjoint(tag.lower() for tag in tool.operation.tags))
            and (not selection.names or any(fnmatchcase(tool.name, name) for name in selection.names))
        )
    )


def offer(
    tools: Iterable[Tool], selection: Selection, *, tokens_of: Callable[[Tool], int] | None = None
) -> Offer:
    """All chosen tools when they fit; else the pinned ones that fit, with the meta-tools for the others.

    `tokens_of` is asked only when the selection has a budget, and for no more tools than fit.
    """
    chosen = choose(tools, selection)
    if len(chosen) <= selection.limit and _affordable(chosen, selection, tokens_of) == len(chosen):
        return Offer(chosen, (), chosen)
    room = max(0, selection.limit - len(META_TOOLS))
    pinned = tuple(tool for tool in chosen if tool.name in selection.pinned)[:room]
    shown = pinned[: _affordable(pinned, selection, tokens_of)]
    return Offer(shown, META_TOOLS, chosen)


def _affordable(
    tools: tuple[Tool, ...], selection: Selection, tokens_of: Callable[[Tool], int] | None
) -> int:
    """How many of the first tools the token budget allows."""
    if selection.max_tokens is None or tokens_of is None:
        return len(tools)
    left = selection.max_tokens
    for count, tool in enumerate(tools):
        left -= tokens_of(tool)
        if left < 0:
            return count
    return len(tools)
