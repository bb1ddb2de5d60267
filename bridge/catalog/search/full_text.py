"""A full-text index over operations: FTS5 of an SQLite database that exists in memory only.

Receives operations; gives positions among them, best first. `toolserver` is pure and has no database, and
`bridge.storage` stores, which this one does not. It has a lock: any thread may ask.
"""

import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from toolserver.tool.searched_texts import SearchedTexts

MAX_RANKED = 200
"""Maximum number of operations that one query ranks: what is behind them is fused from the other ranking."""

MAX_SCORED = 2_200
"""Maximum number of operations that one query scores, about a microsecond each. Among 6,749 operations of
real documents, scoring all that match found nothing more."""

_CREATE = (
    "CREATE VIRTUAL TABLE operation USING fts5"
    "(words, fields, inner_fields, content='', tokenize='porter unicode61')"
)
_INSERT = "INSERT INTO operation (rowid, words, fields, inner_fields) VALUES (?, ?, ?, ?)"
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM operation WHERE operation MATCH ? LIMIT ?)"
_RANK = (
    "SELECT rowid FROM (SELECT rowid, bm25(operation, 1, 1, 0.25) AS score FROM operation"
    " WHERE operation MATCH ? LIMIT ?) ORDER BY score LIMIT ?"
)
"""Weights: words of the operation, names of its answer's fields, names of their fields in turn. Names found
more in two of three APIs on trial, and inner ones as heavy as the others less in one."""


class NoFullText(Exception):
    """This SQLite was built without FTS5."""


def open_in_memory(factory: type[sqlite3.Connection] = sqlite3.Connection) -> sqlite3.Connection:
    """A database of its own for one index, for any thread."""
    return sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None, factory=factory)


class FullText:
    """The index."""

    def __init__(self, open_database: Callable[[], sqlite3.Connection] = open_in_memory) -> None:
        """Holds nothing yet.

        Raises:
            NoFullText
        """
        self._lock = threading.Lock()
        self._database = open_database()
        weakref.finalize(self, self._database.close)
        try:
            self._database.execute(_CREATE)
        except sqlite3.OperationalError as error:
            raise NoFullText from error

    def add_operations(self, texts: SearchedTexts) -> None:
        """Index names, tags, paths, summaries, beginnings of descriptions and names of answers' fields."""
        with self._lock:
            self._database.execute("BEGIN")
            self._database.executemany(_INSERT, _rows(texts))
            self._database.execute("COMMIT")

    def rank_operations(self, words: Sequence[str]) -> list[int]:
        """The positions of those that match one of the rarer words or another form of it, at most 200.

        Words of too many operations are left out, as these would all be scored. If each word is one, some
        that have the rarest are scored.
        """
        with self._lock:
            asked = " OR ".join(self._rarer([f'"{word}"' for word in words]))
            ranked = self._database.execute(_RANK, (asked, MAX_SCORED, MAX_RANKED))
            return [position for (position,) in ranked]

    def _rarer(self, phrases: Sequence[str]) -> list[str]:
        """As many as match at most `MAX_SCORED` operations, and one at least; the rarest first."""
        counts = {
            phrase: int(self._database.execute(_COUNT, (phrase, MAX_SCORED + 1)).fetchone()[0])
            for phrase in phrases
        }
        ordered = sorted(phrases, key=counts.__getitem__)
        totals = accumulate(counts[phrase] for phrase in ordered)
        return [
            phrase for phrase, total in zip(ordered, totals, strict=True) if total <= MAX_SCORED
        ] or ordered[:1]


def _rows(texts: SearchedTexts) -> Iterator[tuple[int, str, str, str]]:
    words_of = texts.words.__getitem__
    fields = {
        answer: (" ".join(map(words_of, outer.split())), " ".join(map(words_of, inner.split())))
        for answer, (outer, inner) in texts.fields.items()
    }
    named = map(" ".join, zip(texts.names, texts.paths, strict=True))
    for position, (pieces, prose, answer) in enumerate(zip(named, texts.prose, texts.answers, strict=True)):
        # SQLite takes prose apart by itself, but not `listPets`.
        yield position, f"{' '.join(map(words_of, pieces.split()))} {prose}", *fields[answer]
