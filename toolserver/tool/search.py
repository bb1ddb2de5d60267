"""Searches operations by words: ranked, and with the same result every time.

Receives tools; gives those that match best. A word counts by where it occurs (name first, description last)
and by how rare it is among the tools. No I/O, no randomness; ties keep the catalog's order.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from toolserver.tool.catalog import Tool

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_MAX_QUERY_WORDS = 40
_MAX_DESCRIPTION_CHARS = 2_000
_PREFIX_SHARE = 0.5
"""Weight of a word that merely begins like the one searched for."""

_MIN_PREFIX = 3
_COMMON = frozenset(["a", "an", "and", "all", "by", "for", "from", "i", "in", "of", "on", "or", "the", "to"])


def words_of(text: str) -> Iterator[str]:
    """The words of an identifier, path or sentence, in lower case; plurals in the singular."""
    for match in _WORD.finditer(text):
        word = match[0].lower()
        if len(word) >= _MIN_PREFIX and word.endswith("s") and not word.endswith("ss"):
            word = word[:-3] + "y" if word.endswith("ies") else word[:-1]
        yield word


class ToolSearch:
    """An index over the tools of one catalog. Immutable."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        """Indexes names, tags, paths, summaries and the beginnings of descriptions."""
        self._tools = tools
        self._scores: defaultdict[str, dict[int, float]] = defaultdict(dict)
        words_in = _TakenApart()
        for index, tool in enumerate(tools):
            seen: set[str] = set()
            for text, weight in _texts_of(tool):
                words = seen.union(*map(words_in.__getitem__, set(text.split())))
                for word in words - seen:
                    self._scores[word][index] = weight
                seen = words
        self._words = sorted(self._scores)

    def find_tools(self, query: str, *, server: str = "", tag: str = "") -> list[Tool]:
        """The tools that have at least one word of `query`, best first; without words, all of them.

        `server` and `tag`: only tools of that server id, with that tag (letter case does not matter).
        """
        wanted = [word for word in dict.fromkeys(words_of(query)) if word not in _COMMON]
        totals: Counter[int] = Counter()
        for word in wanted[:_MAX_QUERY_WORDS]:
            totals.update(self._matches(word))
        ranked = (
            sorted(totals, key=lambda index: (-totals[index], index)) if wanted else range(len(self._tools))
        )
        tools = [self._tools[index] for index in ranked]
        return [tool for tool in tools if _is_among(tool, server, tag)]

    def _matches(self, word: str) -> dict[int, float]:
        found: dict[int, float] = {}
        for known in self._like(word):
            scores = self._scores[known]
            rarity = math.log(1 + len(self._tools) / len(scores))
            share = 1.0 if known == word else _PREFIX_SHARE
            for index, weight in scores.items():
                found[index] = max(found.get(index, 0.0), weight * rarity * share)
        return found

    def _like(self, word: str) -> Iterable[str]:
        if len(word) < _MIN_PREFIX:
            return [word] if word in self._scores else []
        return [known for known in self._words if known.startswith(word) or _begins(word, known)]


def _begins(word: str, known: str) -> bool:
    """Whether a word shares the stem of a known one, at least four letters: "invoicing" finds "invoice"."""
    stem = known[:-2]
    return len(stem) > _MIN_PREFIX and word.startswith(stem)


class _TakenApart(dict[str, tuple[str, ...]]):
    """The words of what stands between two spaces, taken apart once: texts of an API share most of it."""

    def __missing__(self, token: str) -> tuple[str, ...]:
        words = self[token] = tuple(words_of(token))
        return words


def _texts_of(tool: Tool) -> Iterator[tuple[str, float]]:
    """What is indexed of a tool, with the weight of its words, the heaviest first."""
    operation = tool.operation
    yield f"{tool.name} {operation.operation_id or ''}", 8.0
    yield f"{' '.join(operation.tags)} {operation.method} {operation.path} {operation.summary}", 4.0
    yield operation.description[:_MAX_DESCRIPTION_CHARS], 1.0


def _is_among(tool: Tool, server: str, tag: str) -> bool:
    if server and tool.server_id != server:
        return False
    return not tag or tag.lower() in (each.lower() for each in tool.operation.tags)
