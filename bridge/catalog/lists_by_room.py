"""Keeps the lists of a view, by server and by the room that their reader has for names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from msgspec import structs

from toolserver.tool.catalog import Catalog, Tool

MAX_ROOMS = 2
"""Rooms for names for which the list of one server, or of all, is kept; then the oldest is made anew."""

_List = TypeVar("_List")


@dataclass(slots=True)
class ListsByRoom(Generic[_List]):
    """Lists of all servers (None), or of one."""

    _as_given: dict[str | None, _List] = field(default_factory=dict[str | None, _List])
    _short: dict[str | None, dict[int, _List]] = field(default_factory=dict[str | None, dict[int, _List]])

    def find(self, server_id: str | None, room: int | None) -> _List | None:
        """Return the list for that room, if it is kept; None: names as they were given."""
        if room is None:
            return self._as_given.get(server_id)
        return self._short.get(server_id, {}).get(room)

    def keep(self, server_id: str | None, room: int | None, made: _List) -> _List:
        """Keep a list unless there is one, and return the one that is kept."""
        if room is None:
            return self._as_given.setdefault(server_id, made)
        rooms = self._short.setdefault(server_id, {})
        kept = rooms.setdefault(room, made)
        if len(rooms) > MAX_ROOMS:
            del rooms[next(iter(rooms))]
        return kept


def has_room(tools: Iterable[Tool], room: int) -> bool:
    """Whether every name fits as it was given."""
    return all(len(tool.name) <= room for tool in tools)


def fit_names(tools: Iterable[Tool], room: int | None, catalog: Catalog) -> tuple[Tool, ...]:
    """Return the tools under the names that they are shown by."""
    if room is None:
        return tuple(tools)
    return tuple(
        tool if len(tool.name) <= room else structs.replace(tool, name=catalog.show_name(tool, room))
        for tool in tools
    )
