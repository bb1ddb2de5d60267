"""Recall: the share of the operations that answer a question among the first that a search finds."""

import json
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TypeAlias

from bridge.catalog.search.indexes import OperationIndex
from toolserver.openapi.document import parse_document
from toolserver.tool.catalog import Tool
from toolserver.tool.compile import compile_document

_OWN_QUESTIONS = Path(__file__).parent / "questions.toml"
_PARAMETER = re.compile(r"\{[^}]*\}")

Search: TypeAlias = Callable[[str], Sequence[Tool]]
"""Gives the tools that match a query, best first."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a person asks, and the operations of one document that answer it."""

    text: str
    answers: frozenset[tuple[str, str]]
    """Pairs of the document's name and the operation's id, or its method and path."""


def own_questions() -> dict[str, list[Question]]:
    """The questions of `questions.toml`, by the name of the document that they ask about."""
    listed = tomllib.loads(_OWN_QUESTIONS.read_text(encoding="utf-8"))
    return {
        document["name"]: [_question(document["name"], text, ids) for text, *ids in document["questions"]]
        for document in listed["document"]
    }


def rest_bench_questions(file: Path) -> list[Question]:
    """The questions of RestBench about one API; `file` bears the name of its document.

    It names a parameter of some paths otherwise than the document, and has spaces around some.
    """
    return [
        _question(file.stem, each["query"], each["solution"]) for each in json.loads(file.read_text("utf-8"))
    ]


def _question(document: str, text: str, answers: Sequence[str]) -> Question:
    return Question(text, frozenset((document, _plain(each)) for each in answers))


def _plain(answer: str) -> str:
    return _PARAMETER.sub("{}", answer.strip())


def tools_of_file(file: Path, name: str) -> list[Tool]:
    """The tools of a document under the names that it suggests; `name` becomes the server's id."""
    compiled = compile_document(parse_document(file.read_text("utf-8")), source_url=None)
    return [Tool(operation.suggested_name, name, operation) for operation in compiled.operations]


def search_by(index: OperationIndex, tools: Sequence[Tool]) -> Search:
    """The search of an index over the operations of `tools`."""
    return lambda query: [tools[position] for position in index.rank_operations(query)]


def measure_recall(search: Search, questions: Sequence[Question], depths: Sequence[int]) -> list[float]:
    """The mean recall of all questions at each depth, in percent."""
    shares = [_shares(search(question.text), question, depths) for question in questions]
    return [100 * fmean(column) for column in zip(*shares, strict=True)]


def _shares(found: Sequence[Tool], question: Question, depths: Sequence[int]) -> list[float]:
    return [
        sum(not question.answers.isdisjoint(_ids_of(tool)) for tool in found[:depth]) / len(question.answers)
        for depth in depths
    ]


def _ids_of(tool: Tool) -> tuple[tuple[str, str], ...]:
    operation = tool.operation
    return (tool.server_id, operation.operation_id or ""), (tool.server_id, _plain(operation.key))
