"""The texts of operations in which a search looks, taken apart into words. Pure.

Receives operations; gives pieces of their names, paths and descriptions, the words of each piece, and the
names of the fields in their answers. Made once for all indexes over the same operations.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from toolserver.tool.compile import CompiledOperation

MAX_DESCRIPTION_CHARS = 2_000

_WORD = re.compile(r"[a-z]+|[A-Z][a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_a-zA-Z]+")
_WORD_OR_END = re.compile(rf"\n|{_WORD.pattern}")
_SIGNS = "/_-{}.,()`'\"<>*:[]"
"""None is part of a word. With more of them, texts have fewer different pieces."""

_SIGNS_IN_SHAPES = "[],:"
_BETWEEN = "\0"
"""Stands between two texts that are read as one, which takes half the time."""


def split_words(text: str) -> Iterator[str]:
    """The words of an identifier, path or sentence, in lower case."""
    return (match[0].lower() for match in _WORD.finditer(text))


def field_names(answer: str) -> tuple[str, str]:
    """The names in an answer's shape (see `answer_shape`): those of the outer level, and those within."""
    if answer[:1] not in ("{", "["):
        return "", ""
    outer, *within = _replace_signs(answer.lstrip("[{").replace("{…}", ""), _SIGNS_IN_SHAPES).split("{")
    inner: list[str] = []
    for names in within:
        ended = names.partition("}")
        inner.append(ended[0])
        outer += ended[2]
    names_outside = dict.fromkeys(outer.replace("}", " ").split())
    names_inside = dict.fromkeys(" ".join(inner).split())
    return " ".join(names_outside), " ".join([name for name in names_inside if name not in names_outside])


class WordsOfPieces(dict[str, str]):
    """What stands between two spaces, and its words with spaces between them, in lower case.

    Each piece is taken apart once: texts of an API share most of them.
    """

    def __missing__(self, piece: str) -> str:
        self.add_pieces([piece])
        return self[piece]

    def add_pieces(self, pieces: Iterable[str]) -> None:
        """Take apart many at once, which takes a third of the time."""
        listed = list(pieces)
        if listed:
            # No piece has a line break, so one stands for the end of a piece.
            words = " ".join(_WORD_OR_END.findall("\n".join(listed))).lower()
            self.update(zip(listed, words.split("\n"), strict=True))


class SearchedTexts:
    """The texts of some operations, each at its operation's position."""

    def __init__(self, operations: Sequence[CompiledOperation]) -> None:
        self.names = space_out([f"{each.suggested_name} {each.operation_id or ''}" for each in operations])
        """Pieces of names and ids."""
        self.paths = space_out(
            [f"{' '.join(each.tags)} {each.method} {each.path} {each.summary}" for each in operations]
        )
        """Pieces of tags, methods, paths and summaries."""
        self.prose = [each.description[:MAX_DESCRIPTION_CHARS] for each in operations]
        """The beginnings of descriptions."""
        self.answers = [each.answer for each in operations]
        """Shapes, whose names are in `fields`."""
        self.fields = {answer: field_names(answer) for answer in {*self.answers}}
        self.words = WordsOfPieces()
        """Of pieces that were asked for."""

    def fields_of(self, answers: Iterable[str]) -> Iterator[str]:
        """The names of each answer's fields."""
        return map(" ".join, map(self.fields.__getitem__, answers))


def space_out(texts: Sequence[str]) -> list[str]:
    """Each text as its pieces: with spaces instead of signs between words.

    A text takes less memory than its pieces in a list, and no time of the garbage collector.
    """
    joined = _BETWEEN.join([text.replace(_BETWEEN, " ") for text in texts])
    return _replace_signs(joined, _SIGNS).split(_BETWEEN) if texts else []


def _replace_signs(text: str, signs: str) -> str:
    """Spaces instead of signs between words."""
    for sign in signs:
        text = text.replace(sign, " ")
    return text
