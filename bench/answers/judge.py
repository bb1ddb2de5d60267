"""The tasks, and the judge: whether a model that has read some texts knows what a question needs."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from bench.answers.recorded import recorded_answer

CHARS_PER_TOKEN = 4
"""The estimate that the bridge itself uses for tools."""

_SCALAR = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*')


@dataclass(frozen=True, slots=True)
class Task:
    """A question that an answer of an API answers."""

    question: str
    document: str
    operation: str
    answer: str
    needed: tuple[str, ...]
    asked: str
    type: str = "application/json"

    @property
    def text(self) -> str:
        """What the API answers."""
        return recorded_answer(self.answer)

    def is_answered_by(self, *read: str) -> bool:
        """Return whether every needed fact is a whole scalar of what was read, in the digits of the API."""
        found = {_content(scalar) for text in read for scalar in _SCALAR.findall(text)}
        return found.issuperset(self.needed)


def read_tasks() -> list[Task]:
    """Return the ten tasks, in order."""
    listed = tomllib.loads((Path(__file__).parent / "tasks.toml").read_text(encoding="utf-8"))
    return [Task(needed=tuple(task.pop("needed")), **task) for task in listed["task"]]


def count_tokens(*read: str) -> int:
    """Return the estimated number of tokens of all texts."""
    return sum(len(text) for text in read) // CHARS_PER_TOKEN


def _content(scalar: str) -> str:
    return str(json.loads(scalar)) if scalar.startswith('"') else scalar
