"""Indexes over operations, one per set of operations, shared by all users that have it; the newest are kept.

Building and asking take processor time: callers do both in a thread. Any number of threads may.
"""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bridge.catalog.search.full_text import FullText, NoFullText, open_in_memory
from bridge.catalog.server_view import UserView
from toolserver.tool.catalog import Tool
from toolserver.tool.compile import CompiledOperation
from toolserver.tool.search import FEW_COMMON, WordIndex, fuse_rankings, telling_words
from toolserver.tool.searched_texts import SearchedTexts

KEPT_OPERATIONS = 50_000
"""Maximum number of operations in all indexes that are kept, some 60 MB; the index used last always is."""


class OperationIndex(Protocol):
    """Ranks operations by what a query asks for."""

    def rank_operations(self, query: str) -> Sequence[int]:
        """The positions of those that match, best first; of all in their order if `query` has no words."""
        ...


class PlainIndex:
    """Ranks by words alone: where SQLite has no full text."""

    def __init__(self, operations: Sequence[CompiledOperation]) -> None:
        self._count = len(operations)
        self._words = WordIndex(SearchedTexts(operations))

    def rank_operations(self, query: str) -> Sequence[int]:
        """See `OperationIndex`."""
        words = telling_words(query, FEW_COMMON)
        return self._words.rank_operations(words) if words else range(self._count)


class FusedIndex:
    """Ranks by words and by full text, and fuses both."""

    def __init__(
        self,
        operations: Sequence[CompiledOperation],
        open_database: Callable[[], sqlite3.Connection] = open_in_memory,
    ) -> None:
        """Takes a quarter of a second for ten thousand operations.

        Raises:
            NoFullText
        """
        self._full_text = FullText(open_database)
        self._count = len(operations)
        texts = SearchedTexts(operations)
        self._words = WordIndex(texts, with_answers=True)
        self._full_text.add_operations(texts)

    def rank_operations(self, query: str) -> Sequence[int]:
        """See `OperationIndex`."""
        words = telling_words(query)
        if not words:
            return range(self._count)
        return fuse_rankings(self._words.rank_operations(words), self._full_text.rank_operations(words))


def make_index(
    operations: Sequence[CompiledOperation],
    open_database: Callable[[], sqlite3.Connection] = open_in_memory,
) -> OperationIndex:
    """The best index that the SQLite of `open_database` is built for."""
    try:
        return FusedIndex(operations, open_database)
    except NoFullText:
        return PlainIndex(operations)


@dataclass(slots=True)
class _Kept:
    """An index that is there, or that the first thread builds which needs it."""

    size: int
    lock: threading.Lock = field(default_factory=threading.Lock)
    index: OperationIndex | None = None


class SearchIndexes:
    """The indexes of one bridge."""

    def __init__(
        self,
        *,
        kept_operations: int = KEPT_OPERATIONS,
        make: Callable[[Sequence[CompiledOperation]], OperationIndex] = make_index,
    ) -> None:
        self._kept_operations = kept_operations
        self._make = make
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def find_tools(self, view: UserView, query: str, *, server: str = "", tag: str = "") -> list[Tool]:
        """The tools a user chose that match `query`, best first; without words, all of them.

        `server` and `tag`: only tools of that server id, with that tag (letter case does not matter).
        """
        chosen, tools = view.searched_tools(), view.catalog.tools
        ranked = map(tools.__getitem__, self._index_of(view).rank_operations(query))
        found = [tool for tool in ranked if tool.name in chosen]
        if server:
            found = [tool for tool in found if tool.server_id == server]
        if tag:
            found = [tool for tool in found if _has_tag(tool, tag.lower())]
        if (name := query.strip()) in chosen:
            found.sort(key=lambda tool: tool.name != name)
        return found

    def _index_of(self, view: UserView) -> OperationIndex:
        kept = self._kept_for(view)
        with kept.lock:
            if kept.index is None:
                kept.index = self._make([tool.operation for tool in view.catalog.tools])
            return kept.index

    def _kept_for(self, view: UserView) -> _Kept:
        digest = view.operations_digest()
        with self._lock:
            kept = self._kept.setdefault(digest, _Kept(len(view.catalog)))
            self._kept.move_to_end(digest)
            total = sum(each.size for each in self._kept.values())
            while total > self._kept_operations and len(self._kept) > 1:
                total -= self._kept.popitem(last=False)[1].size
            return kept


def _has_tag(tool: Tool, tag: str) -> bool:
    return tag in [each.lower() for each in tool.operation.tags]
