"""Ranks operations by words: the same words give the same ranking every time.

Receives operations; gives positions among them, best first. A word counts by where it occurs (name first,
description last) and by how rare it is among the operations. Rankings of several kinds are fused by rank,
as their scores cannot be compared. No I/O, no randomness; ties keep the order of the operations.
"""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, filterfalse, islice, takewhile
from operator import itemgetter
from typing import TypeAlias

from toolserver.tool.searched_texts import SearchedTexts, WordsOfPieces, space_out, split_words

MAX_QUERY_WORDS = 40
MAX_QUERY_CHARS = 4_000
"""Maximum characters of a query that are read, chosen by feel: forty words in any language."""

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


_Places: TypeAlias = list[tuple[float, list[int]]]
"""Places where a word stands, by their weight: the positions of operations that have it there."""


def telling_words(query: str, common: frozenset[str] = COMMON) -> list[str]:
    """The distinct words of a query that are not `common`, at most forty; all words if each is common."""
    distinct = list(dict.fromkeys(split_words(query[:MAX_QUERY_CHARS])))
    return ([word for word in distinct if word not in common] or distinct)[:MAX_QUERY_WORDS]


def singular_of(word: str) -> str:
    """A word without the ending of a plural."""
    if len(word) < _MIN_PREFIX or not word.endswith("s") or word.endswith("ss"):
        return word
    return word[:-3] + "y" if word.endswith("ies") else word[:-1]


def fuse_rankings(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """One ranking of all positions in two, by the sum of the reciprocals of their ranks."""
    shorter, longer = sorted((first, second), key=len)
    in_shorter = frozenset(shorter)
    ranks = {
        position: rank for rank, position in enumerate(longer, _FUSED_FROM + 1) if position in in_shorter
    }
    totals = {position: 1 / rank for rank, position in enumerate(longer[: len(shorter)], _FUSED_FROM + 1)}
    for rank, position in enumerate(shorter, _FUSED_FROM + 1):
        totals[position] = 1 / rank + (1 / ranks[position] if position in ranks else 0)
    # What only the longer one has, and deeper than the other reaches, comes behind all that and in its order.
    deep = filterfalse(in_shorter.__contains__, longer[len(shorter) :])
    return [*sorted(sorted(totals), key=totals.__getitem__, reverse=True), *deep]


class WordIndex:
    """An index over the words of operations. What it answers never changes; any thread may ask."""

    def __init__(self, texts: SearchedTexts, *, with_answers: bool = False) -> None:
        """Indexes names, tags, paths, summaries and the beginnings of descriptions.

        `with_answers`: names of the fields of answers, too.
        """
        self._count = len(texts.names)
        self._places = [
            _Place(_IN_NAME, texts.names),
            _Place(_IN_PATH, texts.paths),
            _place_of_shared(_IN_DESCRIPTION, texts.prose, space_out),
        ]
        """The heaviest first."""
        if with_answers:
            self._places.append(_place_of_shared(_IN_ANSWER, texts.answers, texts.fields_of))
        self._forms = _forms_of_words(chain.from_iterable(self._places), texts.words)
        """By word, in singular: the pieces that have it."""
        self._merged: dict[str, _Places] = {}
        """Of words that were asked for."""
        self._words = sorted(self._forms)
        self._stems: defaultdict[str, list[str]] = defaultdict(list)
        for word in self._words:
            self._stems[word[:-2]].append(word)

    def rank_operations(self, words: Iterable[str]) -> list[int]:
        """The positions of the operations that have at least one of the words, best first."""
        totals: dict[int, float] = {}
        for word in dict.fromkeys(map(singular_of, words)):
            scores = self._scores(word)
            for position in totals.keys() & scores.keys():
                scores[position] += totals[position]
            totals.update(scores)
        tied: defaultdict[float, list[int]] = defaultdict(list)
        for position, total in totals.items():
            tied[total].append(position)
        return _best_first(tied)

    def _scores(self, word: str) -> dict[int, float]:
        """What a word counts for each operation that has it or one like it: the most of all places."""
        found: list[tuple[float, list[int]]] = []
        for known in self._like(word):
            places = self._places_of(known)
            factor = math.log(1 + self._count / sum(len(positions) for _, positions in places))
            factor *= 1.0 if known == word else _PREFIX_SHARE
            found += [(weight * factor, positions) for weight, positions in places]
        scores: dict[int, float] = {}
        for score, positions in sorted(found, key=itemgetter(0)):
            scores.update(dict.fromkeys(positions, score))
        return scores

    def _places_of(self, word: str) -> _Places:
        """Its places with the operations that have it in no heavier one."""
        known = self._merged.get(word)
        if known is not None:
            return known
        found: _Places = []
        for place in self._places:
            there = place.positions_of(self._forms[word])
            if rest := there.difference(*[heavier for _, heavier in found]):
                found.append((place.weight, list(rest)))
        self._merged[word] = found  # whole: another thread may ask for it
        return found

    def _like(self, word: str) -> list[str]:
        """The known words that begin with a word, or of whose stem it is a form."""
        if len(word) < _MIN_PREFIX:
            return [word] if word in self._forms else []
        start = bisect_left(self._words, word)
        longer = list(takewhile(lambda known: known.startswith(word), islice(self._words, start, None)))
        # At least four letters of a stem: "invoicing" finds "invoice".
        stems = (word[:end] for end in range(_MIN_PREFIX + 1, len(word) + 1))
        shorter = (known for stem in stems if stem in self._stems for known in self._stems[stem])
        return list(dict.fromkeys((*longer, *shorter)))


class _Place:
    """A place where pieces stand, such as a name. Iterating gives the pieces."""

    def __init__(
        self, weight: float, texts: Iterable[str], shared_by: Sequence[Sequence[int]] | None = None
    ) -> None:
        """`texts`: the pieces of each. `shared_by`: the positions that have each; without, its own."""
        self.weight = weight
        self._shared_by = shared_by
        numbers: defaultdict[str, list[int]] = defaultdict(list)
        for number, text in enumerate(texts):
            for piece in text.split():
                numbers[piece].append(number)
        self._texts = numbers
        """By piece: the texts that have it, each as often as it does."""

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def positions_of(self, pieces: Iterable[str]) -> set[int]:
        """The positions that have one of the pieces here."""
        texts = chain.from_iterable([self._texts[piece] for piece in pieces if piece in self._texts])
        if self._shared_by is None:
            return set(texts)
        return set(chain.from_iterable(map(self._shared_by.__getitem__, texts)))


def _place_of_shared(
    weight: float, texts: Sequence[str], spaced: Callable[[Sequence[str]], Iterable[str]]
) -> _Place:
    """A place whose texts are taken apart once, as many operations have the same."""
    shared: defaultdict[str, list[int]] = defaultdict(list)
    for position, text in enumerate(texts):
        shared[text].append(position)
    return _Place(weight, spaced([*shared]), [*shared.values()])


def _forms_of_words(pieces: Iterable[str], words: WordsOfPieces) -> dict[str, list[str]]:
    """The pieces that have a word, by its singular; twice where they have it in two forms."""
    distinct = dict.fromkeys(pieces)
    words.add_pieces(distinct)
    forms: defaultdict[str, list[str]] = defaultdict(list)
    for piece in distinct:
        for word in words[piece].split():
            forms[word].append(piece)
    for word in [word for word in forms if word.endswith("s")]:
        if (singular := singular_of(word)) != word:
            forms[singular] += forms.pop(word)
    return dict(forms)


def _best_first(tied: Mapping[float, list[int]]) -> list[int]:
    """The positions by their scores, of which there are few; those of one score in order."""
    return list(chain.from_iterable([sorted(tied[score]) for score in sorted(tied, reverse=True)]))
