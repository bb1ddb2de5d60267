"""Which call a plain sentence asks for, by rules: the tool that its words fit best, and its arguments. Pure.

A tool is known to read by its verbs (`offered.py`). Any other may change something. It is called only if the
sentence says its verb, gives all that it requires, denies nothing, and depends on nothing. Nor may a word,
number or quotation be left that the tool does not explain. The model asks where it is not certain.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from bridge.models.agent.demo import english
from bridge.models.agent.demo.arguments import FoundArguments, read_arguments
from bridge.models.agent.demo.offered import ToolWords, meanings_in, read_tool
from bridge.models.agent.demo.sentence import Language, Sentence, Token, read_sentence
from toolserver.json_types import JsonObject, dump_json, object_at

Doubt: TypeAlias = Literal["", "missing", "unclear", "unknown", "ambiguous", "negated", "advice"]
"""Why a sentence leads to no call; "" if nothing in it speaks of the tools."""

_ENOUGH = 3.0
"""What a tool that reads has to score."""
_ENOUGH_IF_PRECISE = 2.0
"""The same, if an argument can hardly be meant otherwise."""
_ARGUMENT = 2.0
_PRECISE = 2.5
_NOT_SAID = 2.0
_NOT_EXPLAINED = 2.0
_LEFT_OVER = 8.0
_CLOSE = 0.01


@dataclass(frozen=True, slots=True)
class Understood:
    """A call, or why there is none."""

    language: Language = "en"
    name: str = ""
    """The tool; also the one that was nearly called."""
    arguments: str = ""
    """JSON text of the call; "" if there is none."""
    doubt: Doubt = ""
    missing: tuple[str, ...] = ()
    """Parameters that are required and not given."""
    unclear: tuple[str, ...] = ()
    """Words that the tool does not explain."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    tool: ToolWords
    reading: FoundArguments
    missing: tuple[str, ...]
    score: float
    unclear: tuple[str, ...] = field(default=())
    """Words, numbers and quotations that are left over."""


def understand_request(text: str, tools: Iterable[JsonObject]) -> Understood:
    """Return the call that a text asks for; never one of a tool that is not among `tools`."""
    sentence = read_sentence(text)
    if sentence is None:
        return Understood()
    offered = [read_tool(tool) for tool in tools if tool.get("type") == "function"]
    if sentence.kind == "wonders":
        return Understood(sentence.language, doubt="advice")
    if sentence.kind == "changes":
        return _change(sentence, [tool for tool in offered if not tool.reads])
    return _look(sentence, [tool for tool in offered if tool.reads])


def _look(sentence: Sentence, tools: list[ToolWords]) -> Understood:
    candidates = sorted((_weighed(sentence, tool) for tool in tools), key=lambda each: -each.score)
    ready = [each for each in candidates if not each.missing and _is_enough(each)]
    if ready and (len(ready) == 1 or ready[0].score - ready[1].score > _CLOSE):
        return _call(sentence, ready[0])
    if ready:
        return Understood(sentence.language, doubt="ambiguous")
    nearly = [each for each in candidates if each.missing and _is_enough(each)]
    return _missing(sentence, nearly[0]) if nearly else Understood(sentence.language)


def _is_enough(candidate: _Candidate) -> bool:
    return candidate.score >= (_ENOUGH_IF_PRECISE if candidate.reading.precise else _ENOUGH)


def _change(sentence: Sentence, tools: list[ToolWords]) -> Understood:
    spoken = [tool for tool in tools if tool.verbs & sentence.verbs]
    candidates = sorted((_weighed(sentence, tool) for tool in spoken), key=lambda each: -each.score)
    fitting = [each for each in candidates if _is_meant(sentence, each)]
    if sentence.is_negated or sentence.is_conditional:
        return Understood(sentence.language, doubt="negated")
    if not fitting:
        return Understood(sentence.language, doubt="unknown")
    complete = [each for each in fitting if not each.missing and not each.unclear]
    if len(complete) > 1 and complete[0].score - complete[1].score <= _CLOSE:
        return Understood(sentence.language, doubt="ambiguous")
    if complete:
        return _call(sentence, complete[0])
    return _missing(sentence, fitting[0])


def _is_meant(sentence: Sentence, candidate: _Candidate) -> bool:
    """Return whether a sentence names more of a tool than its verb."""
    tool = candidate.tool
    nouns = tool.nouns - sentence.verbs or tool.nouns
    return bool(nouns & sentence.mentions()) or candidate.reading.precise > 0


def _weighed(sentence: Sentence, tool: ToolWords) -> _Candidate:
    reading = read_arguments(sentence, tool)
    missing = [name for name in tool.required() if name not in reading.arguments]
    if english.CHANGE in tool.verbs & sentence.verbs and len(reading.arguments) == 1 and not missing:
        missing = [name for name in object_at(tool.parameters, "properties") if name not in reading.arguments]
    score = _ARGUMENT * len(reading.arguments) + _PRECISE * reading.precise
    unclear: list[str] = []
    for at, token in enumerate(sentence.tokens):
        worth = _worth(token, tool)
        if worth >= 0 or at in reading.used:
            score += max(worth, 0)
        elif not token.meanings & (sentence.verbs | english.READING_VERBS):
            score += worth
            unclear.append(token.text)
    said = sentence.mentions().union(*(meanings_in(name) for name in reading.arguments))
    score -= _NOT_SAID * len(tool.nouns - said)
    return _Candidate(tool, reading, tuple(missing), score, tuple(unclear))


def _worth(token: Token, tool: ToolWords) -> float:
    """Return what a word counts for a tool; less than 0 for one that the tool does not explain."""
    if not token.meanings:
        return -_LEFT_OVER if token.number is not None or not token.word else 0
    known = [tool.weights[each] for each in token.meanings if each in tool.weights]
    share = len(known) / len(token.meanings)
    return share * max(known, default=0) - (1 - share) * _NOT_EXPLAINED


def _call(sentence: Sentence, candidate: _Candidate) -> Understood:
    arguments = dump_json(candidate.reading.arguments).decode()
    return Understood(sentence.language, candidate.tool.name, arguments)


def _missing(sentence: Sentence, candidate: _Candidate) -> Understood:
    return Understood(
        sentence.language,
        candidate.tool.name,
        doubt="missing" if candidate.missing else "unclear",
        missing=candidate.missing,
        unclear=candidate.unclear,
    )
