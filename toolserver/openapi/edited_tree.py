"""A document while it is edited: what changes is copied first, so that nothing else changes with it.

Receives the root of a document, which may share nodes (YAML aliases), and locations in it; gives the edited
root. What it copied once it changes in place. How scalars are written goes along with them. Knows nothing of
overlays and JSONPath.
"""

from collections.abc import Sequence
from typing import TypeAlias, cast

from toolserver.errors import OverlayError
from toolserver.json_types import (
    JsonObject,
    JsonValue,
    WrittenArray,
    WrittenObject,
    select_items,
    values_within,
    written_items,
    written_member,
)
from toolserver.openapi.document import DocumentLimits

Location: TypeAlias = tuple[int | str, ...]
"""Keys and indexes from the root."""

_Container: TypeAlias = WrittenObject | WrittenArray


class Incompatible(Exception):
    """Two values that cannot be merged; its text says which."""


def kind_of(value: JsonValue) -> str:
    """What a value is merged with: one of its own kind."""
    if isinstance(value, dict):
        return "an object"
    return "an array" if isinstance(value, list) else "a plain value"


class EditedTree:
    """One document that is edited."""

    def __init__(self, root: JsonValue, limits: DocumentLimits) -> None:
        self._holder = WrittenArray([root])
        self._own: dict[int, _Container] = {}
        """The containers that only this tree holds, once, by identity."""
        self._limits = limits
        self._grown = 0

    @property
    def root(self) -> JsonValue:
        """The root as edited so far: treat as read-only."""
        return self._holder[0]

    def read_node(self, location: Location) -> tuple[JsonValue, str | None]:
        """The node at a location and, where JSON would write it in another way, its text.

        Raises:
            OverlayError: too_deep.
        """
        holder, key = self._holder_of(location)
        return _member(holder, key), _text_at(holder, key)

    def share_all(self) -> None:
        """Take it that any container may now be at several places."""
        self._own.clear()

    def count_merge(self, value: JsonValue, times: int) -> None:
        """Count what merging a value at so many places adds at most.

        Raises:
            OverlayError: too_deep, too_large.
        """
        self._grown += times * self._size_of(value)
        if self._grown > self._limits.max_nodes:
            raise self._too_large()

    def merge_node(self, location: Location, value: JsonValue, text: str | None) -> None:
        """Merge a value into the node at a location: objects recursively, arrays joined, others replaced.

        Raises:
            Incompatible: they, or two of their members, are of different kinds.
        """
        holder = self._own_container(location)
        key: int | str = location[-1] if location else 0
        present = _member(holder, key)
        if isinstance(present, list) and not isinstance(value, list):
            _append(cast(WrittenArray, self._own_member(holder, key)), value, text)
        else:
            self._merge(holder, key, value, text)

    def remove_nodes(self, locations: Sequence[Location]) -> None:
        """Remove these nodes; the root is none of them. What lies inside another one goes with it."""
        by_holder: dict[Location, set[int | str]] = {}
        for location in locations:
            by_holder.setdefault(location[:-1], set()).add(location[-1])
        for place in sorted(by_holder, key=len, reverse=True):  # so that no index changes before its turn
            holder, key = self._own_container((*place, "")), by_holder[place]
            if isinstance(holder, WrittenObject):
                for name in cast("set[str]", key):
                    del holder[name]
                    holder.texts.pop(name, None)
            else:
                kept = [index for index in range(len(holder)) if index not in key]
                left = select_items(holder, kept)
                holder[:] = left
                holder.texts = written_items(left)

    def check_size(self) -> None:
        """Check the document against its limits.

        Raises:
            OverlayError: too_deep, too_large.
        """
        self._size_of(self.root)

    def _holder_of(self, location: Location) -> tuple[JsonObject | list[JsonValue], int | str]:
        holder: JsonValue = self._holder
        for key in (0, *location)[:-1]:
            holder = _member(cast("JsonObject | list[JsonValue]", holder), key)
        return cast("JsonObject | list[JsonValue]", holder), (0, *location)[-1]

    def _own_container(self, location: Location) -> _Container:
        """The container that holds the node at a location, made our own with all above it."""
        container: _Container = self._holder
        for key in (0, *location)[:-1]:
            container = self._own_member(container, key)
        return container

    def _own_member(self, holder: _Container, key: int | str) -> _Container:
        member = _member(holder, key)
        if id(member) in self._own:
            return self._own[id(member)]
        if isinstance(member, dict):
            texts = dict(member.texts) if isinstance(member, WrittenObject) else {}
            own: _Container = WrittenObject(member, texts)
        else:
            items = cast("list[JsonValue]", member)
            own = WrittenArray(items, dict(written_items(items)))
        self._own[id(own)] = own
        cast("dict[int | str, JsonValue]", holder)[key] = own
        return own

    def _merge(self, holder: _Container, key: int | str, value: JsonValue, text: str | None) -> None:
        present = _member(holder, key)
        if kind_of(present) != kind_of(value):
            raise Incompatible(f"{kind_of(value)} cannot be merged with {kind_of(present)} at {key!r:.100}.")
        if isinstance(value, dict):
            own = cast(WrittenObject, self._own_member(holder, key))
            for name, member in value.items():
                if name in own:
                    self._merge(own, name, member, written_member(value, name))
                else:
                    _put(own, name, member, written_member(value, name))
        elif isinstance(value, list):
            items = cast(WrittenArray, self._own_member(holder, key))
            texts = written_items(value)
            for index, item in enumerate(value):
                _append(items, item, texts.get(index))
        else:
            _put(holder, key, value, text)

    def _size_of(self, root: JsonValue) -> int:
        """The number of values, shared ones each time they appear."""
        nodes = depth = 0
        level = [root]
        while level:
            depth += 1
            nodes += len(level)
            if nodes > self._limits.max_nodes:
                raise self._too_large()
            if depth > self._limits.max_depth + 1:
                message = f"The edited document is nested more than {self._limits.max_depth} levels deep."
                raise OverlayError("too_deep", message)
            level = values_within(level)
        return nodes

    def _too_large(self) -> OverlayError:
        message = f"The edited document holds more than {self._limits.max_nodes:,} values."
        return OverlayError("too_large", message)


def _member(holder: JsonObject | list[JsonValue], key: int | str) -> JsonValue:
    return cast("dict[int | str, JsonValue]", holder)[key]


def _text_at(holder: JsonObject | list[JsonValue], key: int | str) -> str | None:
    if isinstance(holder, dict):
        return written_member(holder, cast(str, key))
    return written_items(holder).get(cast(int, key))


def _put(holder: _Container, key: int | str, value: JsonValue, text: str | None) -> None:
    cast("dict[int | str, JsonValue]", holder)[key] = value
    texts = cast("dict[int | str, str]", holder.texts)
    texts.pop(key, None)
    if text is not None:
        texts[key] = text


def _append(items: WrittenArray, value: JsonValue, text: str | None) -> None:
    if text is not None:
        items.texts[len(items)] = text
    items.append(value)
