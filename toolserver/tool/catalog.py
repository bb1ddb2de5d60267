"""The tools of one user, in order, under their final names.

Receives tools of several servers, already named; gives lookups. Knows nothing of who the user is, nor of
what is accepted or connected.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from toolserver.tool.compile import CompiledOperation


@dataclass(frozen=True, slots=True)
class Tool:
    """One operation of one server under the name that callers use."""

    name: str
    """Final and unique in a catalog: letters, digits, `_` and `-`, at most 64."""
    server_id: str
    operation: CompiledOperation


class Catalog:
    """Tools in order. Immutable; a change of the tools is a new catalog."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        """Takes the tools in the order in which they are listed.

        Raises:
            ValueError: two tools have one name; whoever assigned the names has a fault.
        """
        self.tools = tuple(tools)
        self._by_name = {tool.name: tool for tool in self.tools}
        if len(self._by_name) != len(self.tools):
            raise ValueError("Two tools of a catalog have the same name.")
        self.servers = tuple(dict.fromkeys(tool.server_id for tool in self.tools))
        """Ids of the servers that have a tool here, in order of appearance."""

    def __len__(self) -> int:
        return len(self.tools)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self.tools)

    def by_name(self, name: str) -> Tool | None:
        """The tool of that exact name."""
        return self._by_name.get(name)

    def of_server(self, server_id: str) -> tuple[Tool, ...]:
        """The tools of one server, in order."""
        return tuple(tool for tool in self.tools if tool.server_id == server_id)
