"""The texts of operations in which a search looks, taken apart into words. Pure.

Receives operations; gives pieces of their names, paths and descriptions, the words of each piece, and the
names of the fields in their answers. Made once for all indexes over the same operations.
"""

import re
from collections.abc import Iterator, Sequence

from toolserver.tool.compile import CompiledOperation

MAX_DESCRIPTION_CHARS = 2_000

_WORD = re.compile(r"[a-z]+|[A-Z]+(?![a-z])|[A-Z][a-z]+|\d+|[^\W\d_a-zA-Z]+")
_INNER = re.compile(r"\{([^{}]*)\}?")
_SIGNS_IN_NAMES = "/_-{}"
_SIGNS_IN_PROSE = ".,()`"
_SIGNS_IN_SHAPES = "[],:"


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


class WordsOfPieces(dict[str, tuple[str, ...]]):
    """The words of what stands between two spaces, taken apart once: texts of an API share most of it."""

    def __missing__(self, piece: str) -> tuple[str, ...]:
        if piece.islower() and piece.isalpha() and piece.isascii():
            words = (piece,)  # as most words of a sentence are
        else:
            words = tuple([match.lower() for match in _WORD.findall(piece)])
        self[piece] = words
        return words


class FieldsOfAnswers(dict[str, tuple[list[str], list[str]]]):
    """`field_names` of answers; many operations of an API have the same."""

    def __missing__(self, answer: str) -> tuple[list[str], list[str]]:
        names = self[answer] = field_names(answer)
        return names


class SearchedTexts:
    """The texts of some operations, each at its operation's position."""

    def __init__(self, operations: Sequence[CompiledOperation]) -> None:
        self.names = [
            _space_out(f"{each.suggested_name} {each.operation_id or ''}").split() for each in operations
        ]
        """Pieces of names and ids."""
        self.paths = [
            _space_out(f"{' '.join(each.tags)} {each.method} {each.path} {each.summary}").split()
            for each in operations
        ]
        """Pieces of tags, methods, paths and summaries."""
        self.prose = [each.description[:MAX_DESCRIPTION_CHARS] for each in operations]
        """The beginnings of descriptions."""
        self.answers = [each.answer for each in operations]
        """Shapes, whose names are in `fields`."""
        self.words = WordsOfPieces()
        self.fields = FieldsOfAnswers()


def split_prose(prose: str) -> list[str]:
    """The pieces of a description."""
    return _space_out(prose, _SIGNS_IN_PROSE).split()


def _space_out(text: str, signs: str = _SIGNS_IN_NAMES) -> str:
    """Spaces instead of signs between words: with fewer different pieces, less is to be taken apart."""
    for sign in signs:
        text = text.replace(sign, " ")
    return text
