"""Passages of English in the repository's files, each with its lines.

Code and addresses count as one word each. The parts of a page that `make reference` writes are left out:
their source is code, which is read itself.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from tests.house.source import SEES_SYNTAX, run_node, text_of

CODE = "CODE"
"""Stands for code within a sentence."""
SPEAKING = ("bridge/", "examples/", "make/", "plugins/", "toolserver/")
"""Folders whose texts in quotes people read: help, messages, texts for models."""
SHOWING = ("extension/", "static/")
"""Folders of scripts whose texts users read."""
TRANSLATED = "static/languages/"
SCRIPTS = (".js", ".mjs", ".cjs")

_WRITTEN = re.compile(
    r"<!-- (?:generated:|settings:|[^>]*written by)(?:(?!<!-- end -->).)*<!-- end -->", re.DOTALL
)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>```+|~~~+).*?^(?P=indent)(?P=fence)", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_LINK = re.compile(r"!?\[(?P<text>[^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_ADDRESS = re.compile(r"<?\b[a-z][a-z+.-]*://[^\s)>]+>?")
_MARKS = re.compile(r"\*\*|(?<!\w)[*_](?=\w)|(?<=[\w.])[*_](?!\w)|^\s*>", re.MULTILINE)
_MARKER = re.compile(r"^\s*(?:[-*+]|\d+[.)]) +")
_START = re.compile(rf"{_MARKER.pattern}|\s*@\w|\w+: *$")
_WORDS = re.compile(r"[A-Za-z]{2,},? [a-z]{2,},? [a-z]{2,}")
_PYTHON_COMMENT = re.compile(r"(?:^\s*|  )#(?:!|:)? (.*)$")
_STARS = re.compile(r"^\s*\* ?", re.MULTILINE)
_CELL = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Passage:
    """Text that is read in one go: a paragraph, an entry of a list, a cell, a docstring, a message."""

    file: str
    first: int
    last: int
    """Lines of the file, counted from 1."""
    text: str
    """With the ends of its lines, where it has one for each line of the file."""
    has_sentences: bool = True
    """Whether its sentences are counted: those of comments are not."""

    def line_at(self, offset: int) -> int:
        """The line of the file where a character of the text stands; the first one, if that is unknown."""
        return self.first + self.text.count("\n", 0, offset) if self._keeps_lines else self.first

    def lines(self, start: int, end: int) -> range:
        """The lines of the file on which a part of the text stands."""
        if self._keeps_lines:
            return range(self.line_at(start), self.line_at(end) + 1)
        return range(self.first, self.last + 1)

    @property
    def _keeps_lines(self) -> bool:
        return self.text.count("\n") == self.last - self.first


def passages_of(names: Iterable[str]) -> Iterator[Passage]:
    """Everything that people read in these files of the repository."""
    scripts: list[str] = []
    for name in names:
        if name.endswith(".md"):
            yield from passages_of_markdown(name, text_of(name))
        elif name.endswith(".py"):
            yield from passages_of_python(name, text_of(name))
        elif name.endswith(SCRIPTS) and not name.startswith(TRANSLATED):
            scripts.append(name)
    if scripts:
        for entry in cast(
            "list[dict[str, Any]]", run_node(SEES_SYNTAX, "tests/house/page_texts.cjs", *scripts)
        ):
            yield from passages_of_script(entry)


def passages_of_script(entry: dict[str, Any]) -> Iterator[Passage]:
    """Comments of a script, and its texts where users read them, from what `page_texts.cjs` prints of it."""
    file: str = entry["file"]
    if file.startswith(SHOWING):
        keys = [(form, first, last) for words, first, last in entry["keys"] for form in words.split("|")]
        spoken = [(words, first, last) for _, words, first, last in entry["sentences"]]
        bare = [(words, first, first) for words, first, _, _ in entry["bare"]]
        shown = [*keys, *spoken, *bare]
        yield from (Passage(file, first, last, plain(words)) for words, first, last in shown)
    for words, first in entry["comments"]:
        yield from _blocks(file, _STARS.sub("", words), first, has_sentences=False)


def passages_of_markdown(file: str, text: str) -> Iterator[Passage]:
    """Paragraphs, entries of lists and cells of tables, but for what is written from the code."""
    for pattern in (_WRITTEN, _COMMENT, _FENCE):
        text = pattern.sub(lambda found: "\n" * found[0].count("\n"), text)
    yield from _blocks(file, text, 1)


def passages_of_python(file: str, text: str) -> Iterator[Passage]:
    """Docstrings, comments and, in what is installed, texts in quotes."""
    read: set[int] = set()
    inside: set[int] = set()
    for node in ast.walk(ast.parse(text)):  # what is around comes first
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and _is_text(node.value):
            read.add(id(node.value))
            inside.update(range(node.lineno, (node.end_lineno or 0) + 1))
            yield from _blocks(file, _without_margin(str(node.value.value)), node.lineno)
        elif (
            isinstance(node, ast.expr)
            and _is_text(node)
            and id(node) not in read
            and file.startswith(SPEAKING)
        ):
            read.update(id(part) for part in ast.iter_child_nodes(node))
            yield from _message(file, node)
    yield from _comments(file, text, inside)


def plain(text: str) -> str:
    """The words of a text in Markdown, on as many lines as before."""
    text = _CODE.sub(lambda found: CODE + "\n" * found[0].count("\n"), text)
    text = _LINK.sub(
        lambda found: found["text"] + "\n" * (found[0].count("\n") - found["text"].count("\n")), text
    )
    return _MARKS.sub("", _ADDRESS.sub(CODE, text))


def _message(file: str, node: ast.expr) -> Iterator[Passage]:
    values = node.values if isinstance(node, ast.JoinedStr) else [node]
    words = "".join(str(value.value) if isinstance(value, ast.Constant) else CODE for value in values)
    if _WORDS.search(words):
        yield Passage(file, node.lineno, node.end_lineno or node.lineno, plain(words.replace("\n", " ")))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _comments(file: str, text: str, inside: set[int]) -> Iterator[Passage]:
    """Comments outside of docstrings; those of lines that follow each other are one passage."""
    lines = [
        found[1] if number not in inside and (found := _PYTHON_COMMENT.search(line)) else ""
        for number, line in enumerate(text.split("\n"), 1)
    ]
    yield from _blocks(file, "\n".join(lines), 1, has_sentences=False)


def _blocks(file: str, text: str, first: int, *, has_sentences: bool = True) -> Iterator[Passage]:
    """Paragraphs, entries and cells of a text that begins on a line of the file."""
    group: list[str] = []
    for number, line in enumerate([*text.split("\n"), ""], first):
        is_alone = line.lstrip().startswith(("|", "#"))
        if group and (is_alone or not line.strip() or _START.match(line)):
            yield Passage(file, number - len(group), number - 1, plain("\n".join(group)), has_sentences)
            group = []
        if is_alone:
            cells = [cell.strip(" #-:") for cell in _CELL.split(line)]
            yield from (Passage(file, number, number, plain(cell), has_sentences) for cell in cells if cell)
        elif line.strip():
            group.append(_MARKER.sub("", line).strip())


def _without_margin(docstring: str) -> str:
    """A docstring as it is read; lines that are set in begin a paragraph of their own, as entries do."""
    lines = docstring.split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
    cut = [lines[0].lstrip(), *(line[margin:] for line in lines[1:])]
    return "\n".join(f"- {line.lstrip()}" if line.startswith(" ") else line for line in cut)
