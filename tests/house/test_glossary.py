"""The glossary is a table that a reader can search, and every name in it is one of the code's."""

import re
from itertools import pairwise

from tests.house.code_names import is_in_code
from tests.house.source import refuse, text_of

PAGE = "docs/reference/glossary.md"
HEAD = ("| term | meaning | in code |", "|---|---|---|")

PRIVATE_WORDS = frozenset(
    [
        "admitted",
        "book",
        "desk",
        "door",
        "gate",
        "greeting",
        "kept",
        "room",
        "sealed",
        "sealing",
        "stranger",
        "thought",
        "thoughts",
        "told",
        "word",
    ]
)
"""What this project once called things for which the field has words."""

QUOTED = re.compile(r"`([^`]+)`")


def test_the_glossary_is_one_table() -> None:
    """Rows above the head of a table are shown as a line of text."""
    lines = [line for line in text_of(PAGE).splitlines() if line.startswith("|")]
    assert tuple(lines[:2]) == HEAD
    refuse(f"{PAGE}: {row} has not three columns" for row in lines[2:] if len(_cells(row)) != 3)
    block = text_of(PAGE).partition(HEAD[0])[2].strip().splitlines()
    assert all(line.startswith("|") for line in block), f"{PAGE}: something stands between or after the rows"


def test_the_terms_are_in_alphabetical_order_and_each_stands_once() -> None:
    """A reader looks a word up by its place, and believes the first row that he finds."""
    terms = [_sort_key(term) for term, _ in _rows()]
    refuse(
        f"{PAGE}: '{later}' stands after '{earlier}'"
        for earlier, later in pairwise(terms)
        if later <= earlier
    )


def test_the_terms_are_not_private_words() -> None:
    """A word of the field says at once what a private one must be asked about."""
    refuse(
        f"{PAGE}: '{term}' is a private word"
        for term, _ in _rows()
        if PRIVATE_WORDS & set(re.findall(r"[a-z]+", term.lower()))
    )


def test_every_name_in_the_glossary_exists() -> None:
    """A name that is gone sends a reader who searches for it nowhere."""
    refuse(
        f"{PAGE}: {term} names `{name}`, which does not exist"
        for term, in_code in _rows()
        for name in QUOTED.findall(in_code)
        if not is_in_code(name)
    )


def test_every_term_names_something() -> None:
    """A word that nothing in the code is called is a word of this page alone."""
    refuse(f"{PAGE}: {term} names nothing" for term, in_code in _rows() if not in_code)


def _rows() -> list[tuple[str, str]]:
    """Term and names of each row."""
    lines = [line for line in text_of(PAGE).splitlines() if line.startswith("|") and line not in HEAD]
    return [(cells[0], cells[-1]) for cells in map(_cells, lines)]


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def _sort_key(term: str) -> str:
    return re.sub(r"[^a-z0-9 ]", "", term.lower().replace("-", " "))
