"""Names within less room: clients put a prefix before each, and the limit of 64 counts with it.

Pure: a name and its room alone decide, so nothing is stored, and any process finds the tool that is meant.
"""

import hashlib
import re
from collections.abc import Iterable
from typing import Generic, TypeVar

from toolserver.tool.middle_cut import DIGEST_CHARS, cut_middle
from toolserver.tool.naming import MAX_NAME_CHARS, method_path_text

MIN_ROOM = 32
"""Characters for which nothing is shortened further: a digest of 8, and words on both sides of it."""

_DIGESTS = re.compile(rf"(?=_([0-9a-f]{{{DIGEST_CHARS}}})_)")
_CUT = re.compile(rf"_[0-9a-f]{{{DIGEST_CHARS}}}$")
"""How a name ends that lost its end when it was given, by a bridge before names were cut in their middle."""

_Named = TypeVar("_Named")


def short_name(name: str, key: str, room: int) -> str:
    """`name` if it has at most `room` characters. If not, its beginning, a digest of it, and its end.

    The HTTP method stays if it is a word of the name. A name that was cut when it was given has lost its end:
    the operation's `key`, such as "GET /pets/{id}", says it.
    """
    if len(name) <= room:
        return name
    whole = method_path_text(*key.split(" ", 1)) if _CUT.search(name) and " " in key else name
    return cut_middle(name, _digest(name), room, whole=whole)


class ShortNames(Generic[_Named]):
    """Finds what a short name means among named things."""

    def __init__(self, named: Iterable[tuple[str, str, _Named]]) -> None:
        """`named`: name, operation's key, and what is called so."""
        self._by_digest: dict[str, list[tuple[str, str, _Named]]] = {}
        for each in named:
            if len(each[0]) > MIN_ROOM:
                self._by_digest.setdefault(_digest(each[0]), []).append(each)

    def find_all(self, short: str) -> list[_Named]:
        """Return all things that have this name in some room."""
        return [
            found
            for digest in _DIGESTS.findall(short)
            for name, key, found in self._by_digest.get(digest, ())
            if len(short) < len(name) and _is_short(short, name, key)
        ]


def _is_short(short: str, name: str, key: str) -> bool:
    rooms = range(max(MIN_ROOM, len(short)), min(MAX_NAME_CHARS, len(name)))
    return any(short_name(name, key, room) == short for room in rooms)


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:DIGEST_CHARS]
