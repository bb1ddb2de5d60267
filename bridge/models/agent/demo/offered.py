"""What the demo model reads from the definition of a tool: its words, and whether it only reads. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bridge.models.agent.demo import english
from bridge.models.agent.demo.english import word_set
from bridge.models.agent.demo.plain_schema import plain_schema
from toolserver.json_types import JsonObject, array_at, object_at, text_at

NAMED = 4.0
SUMMARIZED = 2.5
PARAMETER = 1.5
MENTIONED = 1.0
"""What a word of a sentence counts that stands in a tool's name, in the first line of its description, in the
name of a parameter, or elsewhere in its descriptions."""

PEOPLE = frozenset(
    map(english.meaning, word_set("customer reader person user recipient owner guest employee"))
)
"""What parameters are called that take a person's name."""

_WORD = re.compile(r"[A-Z]?[a-zäöüß]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True, slots=True)
class ToolWords:
    """A function that a request offers."""

    name: str
    parameters: JsonObject
    reads: bool
    """Its name or summary begins with a verb of reading. All other tools may change something."""
    verbs: frozenset[str]
    nouns: frozenset[str]
    """What its name says, besides the verb."""
    weights: Mapping[str, float]
    """What each meaning counts."""

    def required(self) -> tuple[str, ...]:
        """Return the parameters that a call needs."""
        return tuple(name for name in array_at(self.parameters, "required") if isinstance(name, str))


@lru_cache(maxsize=8192)
def meanings_in(text: str) -> tuple[str, ...]:
    """Return the meanings of a text's words in their order, without those that name nothing."""
    words = (word.lower() for word in _WORD.findall(text))
    return tuple(english.meaning(word) for word in words if word not in english.STOP_WORDS)


def read_tool(tool: JsonObject) -> ToolWords:
    """Return what a definition in the Responses form says."""
    name = text_at(tool, "name")
    summary, _, rest = text_at(tool, "description").partition("\n")
    named = meanings_in(name)
    summarized = meanings_in(summary)
    (first,) = named[:1] or ("",)
    (said,) = summarized[:1] or ("",)
    known = english.READING_VERBS | english.CHANGING_VERBS
    parameters = plain_schema(object_at(tool, "parameters"))
    weights: dict[str, float] = {}
    _weigh(weights, meanings_in(rest), MENTIONED)
    _weigh_parameters(weights, parameters)
    _weigh(weights, summarized, SUMMARIZED)
    _weigh(weights, named, NAMED)
    return ToolWords(
        name,
        parameters,
        reads=first in english.READING_VERBS or (first not in known and said in english.READING_VERBS),
        verbs=frozenset({first, said}),
        nouns=frozenset(named[1:] if first in known else named) - english.READING_VERBS,
        weights=weights,
    )


def _weigh_parameters(weights: dict[str, float], schema: JsonObject) -> None:
    for name, each in object_at(schema, "properties").items():
        if not isinstance(each, dict):
            continue
        _weigh(weights, meanings_in(name), PARAMETER)
        _weigh(weights, meanings_in(text_at(each, "description")), MENTIONED)
        _weigh_parameters(weights, each)
        _weigh_parameters(weights, object_at(each, "items"))
        if PEOPLE & {*meanings_in(name)}:
            weights["who"] = PARAMETER


def _weigh(weights: dict[str, float], meanings: Sequence[str], weight: float) -> None:
    for meaning in meanings:
        weights[meaning] = max(weights.get(meaning, 0), weight)
