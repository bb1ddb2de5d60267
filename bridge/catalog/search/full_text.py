"""A full-text index over operations: FTS5 of an SQLite database that exists in memory only.

Receives operations; gives positions among them, best first. `toolserver` is pure and has no database, and
`bridge.storage` stores, which this one does not. It has a lock: any thread may ask.
"""

import sqlite3
import threading
import weakref
from collections.abc import Iterator, Sequence

from toolserver.tool.compile import CompiledOperation
from toolserver.tool.search import MAX_DESCRIPTION_CHARS, WordsOfNames, field_names

MAX_RANKED = 200
"""Maximum number of operations that one query ranks: what is behind them is fused from the other ranking."""

_CREATE = (
    "CREATE VIRTUAL TABLE operation USING fts5"
    "(words, fields, inner_fields, content='', tokenize='porter unicode61')"
)
_INSERT = "INSERT INTO operation (rowid, words, fields, inner_fields) VALUES (?, ?, ?, ?)"
_RANK = "SELECT rowid FROM operation WHERE operation MATCH ? ORDER BY bm25(operation, 1, 1, 0.25) LIMIT ?"
"""Weights: words of the operation, names of its answer's fields, names of their fields in turn. Names found
more in two of three APIs on trial, and inner ones as heavy as the others less in one."""


class NoFullText(Exception):
    """This SQLite was built without FTS5."""


class FullText:
    """The index."""

    def __init__(self, operations: Sequence[CompiledOperation], words: WordsOfNames) -> None:
        """Indexes names, tags, paths, summaries, the beginnings of descriptions and names of answers' fields.

        Raises:
            NoFullText
        """
        self._lock = threading.Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        weakref.finalize(self, self._database.close)
        try:
            self._database.execute(_CREATE)
        except sqlite3.OperationalError as error:
            raise NoFullText from error
        self._database.execute("BEGIN")
        self._database.executemany(_INSERT, _rows(operations, words))
        self._database.execute("COMMIT")

    def rank_operations(self, words: Sequence[str]) -> list[int]:
        """The positions of those that match one of the words or another form of it, at most 200."""
        asked = " OR ".join(f'"{word}"' for word in words)
        with self._lock:
            return [position for (position,) in self._database.execute(_RANK, (asked, MAX_RANKED))]


def _rows(
    operations: Sequence[CompiledOperation], words: WordsOfNames
) -> Iterator[tuple[int, str, str, str]]:
    def apart(names: str) -> str:
        return " ".join([word for name in names.split() for word in words[name]])

    fields_in: dict[str, tuple[str, str]] = {}
    for position, each in enumerate(operations):
        names = (
            f"{each.suggested_name} {each.operation_id or ''} {' '.join(each.tags)} {each.method} {each.path}"
        )
        # SQLite takes prose apart by itself, but not `listPets`.
        text = f"{apart(names)} {each.summary} {each.description[:MAX_DESCRIPTION_CHARS]}"
        fields = fields_in.get(each.answer)
        if fields is None:
            outer, inner = field_names(each.answer)
            fields = fields_in[each.answer] = apart(outer), apart(inner)
        yield position, text, *fields
