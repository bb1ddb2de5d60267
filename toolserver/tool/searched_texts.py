"""The texts of operations in which a search looks, taken apart into words. Pure.

Receives operations; gives pieces of their names, paths and descriptions, the words of each piece, and the
names of the fields in their answers. Made once for all indexes over the same operations.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from toolserver.tool.compile import CompiledOperation

MAX_DESCRIPTION_CHARS = 2_000

_WORD = re.compile(r"[a-z]+|[A-Z]+(?![a-z])|[A-Z][a-z]+|\d+|[^\W\d_a-zA-Z]+")
_WORD_OR_END = re.compile(rf"{_WORD.pattern}|\n")
_INNER = re.compile(r"\{([^{}]*)\}?")
_SIGNS_IN_NAMES = "/_-{}"
_SIGNS_IN_PROSE = ".,()`"
_SIGNS_IN_SHAPES = "[],:"
_BETWEEN = "\0"
"""Stands between two texts that are read as one, which takes half the time."""


def split_words(text: str) -> Iterator[str]:
    """The words of an identifier, path or sentence, in lower case."""
    return (match[0].lower() for match in _WORD.finditer(text))


def field_names(answer: str) -> tuple[list[str], list[str]]:
    """The names in an answer's shape (see `answer_shape`): those of the outer level, and those within."""
    if answer[:1] not in ("{", "["):
        return [], []
    names = _space_out(answer.lstrip("[{").replace("{…}", ""), _SIGNS_IN_SHAPES)
    outer = dict.fromkeys(_INNER.sub(" ", names).replace("}", " ").split())
    inner = dict.fromkeys(" ".join(_INNER.findall(names)).split())
    return list(outer), [name for name in inner if name not in outer]


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
        self.names = _pieces([f"{each.suggested_name} {each.operation_id or ''}" for each in operations])
        """Pieces of names and ids."""
        self.paths = _pieces(
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

    def names_in_answers(self, answers: Iterable[str]) -> Iterator[list[str]]:
        """The names of each answer's fields."""
        return ([*outer, *inner] for outer, inner in map(self.fields.__getitem__, answers))


def split_prose(texts: Sequence[str]) -> list[list[str]]:
    """The pieces of descriptions."""
    return _pieces(texts, _SIGNS_IN_PROSE)


def _pieces(texts: Sequence[str], signs: str = _SIGNS_IN_NAMES) -> list[list[str]]:
    """What stands between spaces and signs. With fewer different pieces, less is to be taken apart."""
    joined = _BETWEEN.join([text.replace(_BETWEEN, " ") for text in texts])
    return [text.split() for text in _space_out(joined, signs).split(_BETWEEN)] if texts else []


def _space_out(text: str, signs: str) -> str:
    """Spaces instead of signs between words."""
    for sign in signs:
        text = text.replace(sign, " ")
    return text
