"""Names of tools: each operation is given one once, and keeps it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from bridge.catalog.ports import ServerStore
from bridge.catalog.server_view import LoadedServer
from bridge.tasks import yield_to_loop
from toolserver.tool.catalog import Catalog, Tool
from toolserver.tool.compile import CompiledOperation
from toolserver.tool.naming import NameAssignment, OperationKey

_AT_A_TIME = 2_000
"""Operations of one server that are gone through before other tasks get the event loop."""

SHARED_SCOPE = ""
"""Scope of the names of shared servers; every other scope is a user's id."""


_RENAMED = "\n"
"""Stands in the key of a chosen name between the operation's own and what was chosen. So each choice is named
as an operation of its own, and no name is ever given to another one."""


@dataclass(frozen=True, slots=True)
class UserNames:
    """The names of a user's tools."""

    given: Mapping[OperationKey, str]
    """By server and operation; of a renamed one by the key of its choice."""
    former: Mapping[str, OperationKey]
    """Names that operations had before they were renamed; they are still called by them."""


class ToolNames:
    """The names that a store keeps. The caller sees to it that no two methods run at the same time here.

    Another replica may give names meanwhile: whoever comes second reads them, and chooses others.
    """

    def __init__(self, store: ServerStore) -> None:
        self._store = store

    async def names_of_user(
        self, user_id: str, shared: list[LoadedServer], personal: list[LoadedServer]
    ) -> UserNames:
        """Shared tools have one name for everybody, except for a user who had a tool of that name before."""
        shared_entries = await _entries(shared)
        shared_names, of_all = await self._assign_names(SHARED_SCOPE, shared_entries, taken=())
        stored = await self._store.load_names(user_id)
        held = set(stored.values())
        await yield_to_loop()
        clashing = [entry for entry in shared_entries if entry[0] in stored or shared_names[entry[0]] in held]
        await yield_to_loop()
        own_entries = [*clashing, *await _entries(personal)]
        own_names, _ = await self._assign_names(user_id, own_entries, taken=set(shared_names.values()))
        names = shared_names | own_names
        await yield_to_loop()
        return UserNames(names, _find_former(names, (of_all, {**stored, **own_names})))

    async def _assign_names(
        self, scope: str, entries: Sequence[tuple[OperationKey, str]], *, taken: Collection[str]
    ) -> tuple[dict[OperationKey, str], Mapping[OperationKey, str]]:
        """Return the names of these operations, and those that the scope had before."""
        while entries:
            stored = await self._store.load_names(scope)
            assignment = NameAssignment(stored=stored, taken=taken)
            await yield_to_loop()
            assigned: dict[OperationKey, str] = {}
            fresh: dict[OperationKey, str] = {}
            for server_id, group in groupby(entries, key=lambda entry: entry[0][0]):
                while some := list(islice(group, _AT_A_TIME)):
                    named = assignment.assign_names(some, prefix=server_id)
                    assigned |= named
                    fresh |= {key: name for key, name in named.items() if stored.get(key) != name}
                    await yield_to_loop()
            if not fresh or await self._store.add_names(scope, fresh, seen=stored):
                return assigned, stored
        return {}, {}


async def build_catalog(servers: Iterable[LoadedServer], names: UserNames) -> Catalog:
    """Return the tools of these servers under their names; other tasks run in between."""
    tools: list[Tool] = []
    for server in servers:
        server_id, operations = server.record.id, iter(server.compiled.operations)
        while some := list(islice(operations, _AT_A_TIME)):
            tools += [Tool(names.given[server_id, _key_of(each)], server_id, each) for each in some]
            await yield_to_loop()
    catalog = Catalog(tools, names.former)
    await yield_to_loop()
    return catalog


def is_same_operation(tool: Tool, other: Tool | None) -> bool:
    """Whether two tools, perhaps of different names, are one operation of one server."""
    return (
        other is not None and other.server_id == tool.server_id and other.operation.key == tool.operation.key
    )


async def _entries(servers: Iterable[LoadedServer]) -> list[tuple[OperationKey, str]]:
    """Return the operations and their suggested names; other tasks run between two servers."""
    entries: list[tuple[OperationKey, str]] = []
    for server in servers:
        server_id = server.record.id
        entries += [
            ((server_id, _key_of(operation)), operation.suggested_name)
            for operation in server.compiled.operations
        ]
        await yield_to_loop()
    return entries


def _key_of(operation: CompiledOperation) -> str:
    """The key under which an operation's name is stored."""
    return f"{operation.key}{_RENAMED}{operation.suggested_name}" if operation.is_renamed else operation.key


def _find_former(
    names: Mapping[OperationKey, str], stored: Sequence[Mapping[OperationKey, str]]
) -> dict[str, OperationKey]:
    """The names of renamed operations that are not what they are called now; of none, where none was.

    `stored`: by scope, a user's own last: what a name means there, it means whatever others call by it.
    """
    keys = [key for scope in stored for key in scope]
    renamed = {(server_id, key.partition(_RENAMED)[0]) for server_id, key in keys if _RENAMED in key}
    if not renamed:
        return {}
    current = set(names.values())
    meant: dict[str, OperationKey] = {}
    for scope in stored:
        meant |= {name: (server_id, key.partition(_RENAMED)[0]) for (server_id, key), name in scope.items()}
    return {name: key for name, key in meant.items() if key in renamed and name not in current}
