"""The tools of one user, in order, under their final names.

Receives tools of several servers, already named; gives lookups. Knows nothing of the user, of acceptances and
of connections.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct, structs

from toolserver.tool.compile import CompiledOperation
from toolserver.tool.naming import OperationKey
from toolserver.tool.short_names import ShortNames, short_name

_NONE: Mapping[str, OperationKey] = MappingProxyType({})


class Tool(Struct, frozen=True, gc=False):
    """One operation of one server under the name that callers use."""

    name: str
    """Final and unique in a catalog: letters, digits, `_` and `-`, at most 64."""
    server_id: str
    operation: CompiledOperation
    former: tuple[str, ...] = ()
    """Names that it had before it was renamed, by which pins and patterns still choose it."""

    def has_name_in(self, names: Collection[str]) -> bool:
        """Whether one of these is its name, or was."""
        return self.name in names or any(name in names for name in self.former)


class Catalog:
    """Tools in order. Immutable; a change of the tools makes a new catalog."""

    def __init__(self, tools: Iterable[Tool], former_names: Mapping[str, OperationKey] = _NONE) -> None:
        """Stores the tools in the given order.

        `former_names`: those that tools had before they were renamed.

        Raises:
            ValueError: two tools have one name; that is a bug in whatever assigned the names.
        """
        self.tools = tuple(_with_former(tools, former_names) if former_names else tools)
        self._by_name = {tool.name: tool for tool in self.tools}
        if len(self._by_name) != len(self.tools):
            raise ValueError("Two tools of a catalog have the same name.")
        self._by_former = self._find_former(former_names)
        self._short: ShortNames[Tool] | None = None
        self.servers = tuple(dict.fromkeys(tool.server_id for tool in self.tools))
        """Ids of the servers that have a tool here, in order of appearance."""

    def __len__(self) -> int:
        return len(self.tools)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self.tools)

    def by_name(self, name: str) -> Tool | None:
        """The tool with exactly that name, or that had it before it was renamed; None when there is none."""
        return self._by_name.get(name) or self._by_former.get(name)

    def find_called(self, name: str) -> Tool | None:
        """The tool that a caller means: as `by_name`, or else the only one that `show_name` ever calls so.

        The first short name costs some 15 ms for ten thousand tools.
        """
        if (tool := self.by_name(name)) is not None:
            return tool
        if self._short is None:
            self._short = ShortNames(
                (each, tool.operation.key, tool) for tool in self.tools for each in (tool.name, *tool.former)
            )
        meant = {tool.name: tool for tool in self._short.find_all(name)}
        return next(iter(meant.values())) if len(meant) == 1 else None

    def show_name(self, tool: Tool, room: int) -> str:
        """What a tool is called within `room` characters: as given where it fits.

        A name that would mean another tool too, or was given to one, is not shortened to: then the tool's own
        stands, however long.
        """
        short = short_name(tool.name, tool.operation.key, room)
        found = tool if short == tool.name else self.find_called(short)
        return short if found is not None and found.name == tool.name else tool.name

    def _find_former(self, names: Mapping[str, OperationKey]) -> dict[str, Tool]:
        if not names:
            return {}
        tools = {(tool.server_id, tool.operation.key): tool for tool in self.tools}
        return {name: tools[key] for name, key in names.items() if key in tools}

    def of_server(self, server_id: str) -> tuple[Tool, ...]:
        """The tools of one server, in order."""
        return tuple(tool for tool in self.tools if tool.server_id == server_id)


def _with_former(tools: Iterable[Tool], names: Mapping[str, OperationKey]) -> Iterator[Tool]:
    former: dict[OperationKey, tuple[str, ...]] = {}
    for name, key in names.items():
        former[key] = (*former.get(key, ()), name)
    for tool in tools:
        found = former.get((tool.server_id, tool.operation.key))
        yield tool if found is None else structs.replace(tool, former=found)
