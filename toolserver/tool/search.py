"""Ranks operations by words: the same words give the same ranking every time.

Receives operations; gives positions among them, best first. A word counts by where it occurs (name first,
description last) and by how rare it is among the operations. Rankings of several kinds are fused by rank,
as their scores cannot be compared. No I/O, no randomness; ties keep the order of the operations.
"""

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile

from toolserver.tool.compile import CompiledOperation

MAX_QUERY_WORDS = 40
MAX_QUERY_CHARS = 4_000
"""Maximum characters of a query that are read, chosen by feel: forty words in any language."""

MAX_DESCRIPTION_CHARS = 2_000
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_SHAPE_PART = re.compile(r"[{}]|[^{}\[\],:\s]+")
_IN_NAME = 8.0
_IN_PATH = 4.0
"""Also of a word in a tag or in the summary."""

_IN_DESCRIPTION = _IN_ANSWER = 1.0
_PREFIX_SHARE = 0.5
"""Weight of a word that merely begins like the one searched for."""

_MIN_PREFIX = 3
_FUSED_FROM = 60
"""Added to a rank before its reciprocal counts, as in the first paper (Cormack and others, SIGIR 2009)."""

FEW_COMMON = frozenset(
    ["a", "an", "and", "all", "by", "for", "from", "i", "in", "of", "on", "or", "the", "to"]
)
_MORE_COMMON = (
    "about after again also am any are as at be because been before being between both but can could",
    "did do does doing during each few find get give had has have having he her here hers him his how",
    "if into is it its just let like many me more most much my need no nor not now off once only",
    "other our out over own please same she should show so some such t tell than that their them then",
    "there these they this those through too under until up us very want was we were what when where",
    "which while who whom whose why will with would you your",
)
COMMON = FEW_COMMON.union(*map(str.split, _MORE_COMMON))
"""Words of questions, which say nothing of an operation."""


def split_words(text: str) -> Iterator[str]:
    """The words of an identifier, path or sentence, in lower case."""
    return (match[0].lower() for match in _WORD.finditer(text))


class WordsOfNames(dict[str, tuple[str, ...]]):
    """The words of what stands between two spaces, taken apart once: texts of an API share most of it."""

    def __missing__(self, name: str) -> tuple[str, ...]:
        words = self[name] = tuple([match.lower() for match in _WORD.findall(name)])
        return words


def telling_words(query: str, common: frozenset[str] = COMMON) -> list[str]:
    """The distinct words of a query that are not `common`, at most forty; all words if each is common."""
    distinct = list(dict.fromkeys(split_words(query[:MAX_QUERY_CHARS])))
    return ([word for word in distinct if word not in common] or distinct)[:MAX_QUERY_WORDS]


def singular_of(word: str) -> str:
    """A word without the ending of a plural."""
    if len(word) < _MIN_PREFIX or not word.endswith("s") or word.endswith("ss"):
        return word
    return word[:-3] + "y" if word.endswith("ies") else word[:-1]


def fuse_rankings(rankings: Sequence[Sequence[int]]) -> list[int]:
    """One ranking of all positions in `rankings`, by the sum of the reciprocals of their ranks."""
    totals: defaultdict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, position in enumerate(ranking, _FUSED_FROM + 1):
            totals[position] += 1 / rank
    return _best_first(totals)


def field_names(answer: str) -> tuple[str, str]:
    """The names in an answer's shape (see `answer_shape`): those of the outer level, and those within."""
    outer: dict[str, None] = {}
    inner: dict[str, None] = {}
    depth = 0
    for match in _SHAPE_PART.finditer(answer if answer[:1] in "{[" else ""):
        if (part := match[0]) in "{}":
            depth += 1 if part == "{" else -1
        else:
            (inner if depth > 1 else outer)[part] = None
    return " ".join(outer), " ".join(name for name in inner if name not in outer)


class WordIndex:
    """An index over the words of operations. Immutable."""

    def __init__(self, operations: Sequence[CompiledOperation], words: WordsOfNames | None = None) -> None:
        """Indexes names, tags, paths, summaries and the beginnings of descriptions.

        `words`: what another index of these operations has taken apart. With it, names of the fields of
        answers are indexed, too.
        """
        self._count = len(operations)
        words_in = _Singulars(WordsOfNames() if words is None else words)
        self._places: list[tuple[float, defaultdict[str, list[int]]]]
        """By weight, the lightest first: the operations that have a word there."""
        self._places = [(_IN_DESCRIPTION, defaultdict(list)), (_IN_PATH, defaultdict(list))]
        self._places.append((_IN_NAME, defaultdict(list)))
        for position, operation in enumerate(operations):
            for text, (_, having) in zip(_texts_of(operation), self._places, strict=True):
                for word in _distinct(words_in, set(text.split())):
                    having[word].append(position)
        if words is not None:
            self._places.insert(0, (_IN_ANSWER, _index_answers(operations, words_in)))
        self._words = sorted({word for _, having in self._places for word in having})
        self._stems: defaultdict[str, list[str]] = defaultdict(list)
        for word in self._words:
            self._stems[word[:-2]].append(word)

    def rank_operations(self, words: Iterable[str]) -> list[int]:
        """The positions of the operations that have at least one of the words, best first."""
        totals: dict[int, float] = {}
        for word in dict.fromkeys(map(singular_of, words)):
            matches = self._matches(word)
            if totals:
                get = totals.get
                totals.update([(position, get(position, 0.0) + score) for position, score in matches.items()])
            else:
                totals = matches
        return _best_first(totals)

    def is_in_most(self, word: str) -> bool:
        """Whether more than half of the operations have a word in one place."""
        most = max(len(having.get(singular_of(word), ())) for _, having in self._places)
        return 2 * most > self._count

    def _matches(self, word: str) -> dict[int, float]:
        found: dict[int, float] = {}
        for known in self._like(word):
            scores = self._scores(known, 1.0 if known == word else _PREFIX_SHARE)
            if not found:
                found = scores
                continue
            for position, score in scores.items():
                if score > found.get(position, 0.0):
                    found[position] = score
        return found

    def _scores(self, word: str, share: float) -> dict[int, float]:
        """What a known word counts for each operation that has it: as much as in its heaviest place."""
        scores: dict[int, float] = {}
        for weight, having in self._places:
            if word in having:
                scores.update(dict.fromkeys(having[word], weight))
        factor = share * math.log(1 + self._count / len(scores))
        return {position: weight * factor for position, weight in scores.items()}

    def _like(self, word: str) -> list[str]:
        """The known words that begin with a word, or of whose stem it is a form."""
        if len(word) < _MIN_PREFIX:
            return [word] if any(word in having for _, having in self._places) else []
        start = bisect_left(self._words, word)
        longer = list(takewhile(lambda known: known.startswith(word), islice(self._words, start, None)))
        # At least four letters of a stem: "invoicing" finds "invoice".
        stems = (word[:end] for end in range(_MIN_PREFIX + 1, len(word) + 1))
        shorter = (known for stem in stems if stem in self._stems for known in self._stems[stem])
        return list(dict.fromkeys((*longer, *shorter)))


class _Singulars(dict[str, tuple[str, ...]]):
    """The same words, without the endings of plurals."""

    def __init__(self, words: WordsOfNames) -> None:
        super().__init__()
        self._words = words

    def __missing__(self, name: str) -> tuple[str, ...]:
        words = self[name] = tuple(map(singular_of, self._words[name]))
        return words


def _distinct(words_in: _Singulars, names: Iterable[str]) -> set[str]:
    words: set[str] = set()
    return words.union(*map(words_in.__getitem__, names))


def _index_answers(
    operations: Sequence[CompiledOperation], words_in: _Singulars
) -> defaultdict[str, list[int]]:
    """The operations by the words of their answers' fields; many operations of an API have one answer."""
    having: defaultdict[str, list[int]] = defaultdict(list)
    same: defaultdict[str, list[int]] = defaultdict(list)
    for position, operation in enumerate(operations):
        same[operation.answer].append(position)
    for answer, positions in same.items():
        names = " ".join(field_names(answer)).split()
        for word in _distinct(words_in, names):
            having[word] += positions
    return having


def _texts_of(operation: CompiledOperation) -> tuple[str, str, str]:
    """The texts of an operation, the lightest first."""
    return (
        operation.description[:MAX_DESCRIPTION_CHARS],
        f"{' '.join(operation.tags)} {operation.method} {operation.path} {operation.summary}",
        f"{operation.suggested_name} {operation.operation_id or ''}",
    )


def _best_first(scores: Mapping[int, float]) -> list[int]:
    return sorted(sorted(scores), key=scores.__getitem__, reverse=True)  # which keeps the order of ties
