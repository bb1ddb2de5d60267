"""The rules of words: phrases that stand for another, long sentences, and texts that begin with a verb."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from tests.house.source import text_of
from tests.house.words.prose import CODE, Passage, plain

PLACE = "tests/house/words/rules.toml"
SENTENCE_WORDS = 35
ENTRY_WORDS = 30
SUBJECT_CHARS = 72

_END = re.compile(r"""[.!?]["')\]]*(?=\s+["'(\[]?[A-Z0-9])|[.!?]?\s*\Z""")
_LISTED = re.compile(rf"{CODE}(?:,? (?:and |or )?{CODE})+")
_WORD = re.compile(r"\S*\w\S*")
_SUBJECT = re.compile(r"(?P<area>[^:]+): (?P<first>[\w-]+)\b")


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that are not written, and what is written instead."""

    name: str
    pattern: re.Pattern[str]
    instead: str
    refused: tuple[str, ...]
    """Examples in which it is found."""
    allowed: tuple[str, ...]
    """Examples of the same words where they may stay."""


class Fault(NamedTuple):
    """Something in a passage that has to be written otherwise."""

    name: str
    start: int
    end: int
    """The characters of the passage."""
    advice: str


@cache
def phrases() -> tuple[Phrase, ...]:
    """The phrases that are refused."""
    return tuple(
        Phrase(
            name,
            re.compile(entry["pattern"], re.IGNORECASE),
            entry["instead"],
            tuple(entry["refused"]),
            tuple(entry["allowed"]),
        )
        for name, entry in _rules()["phrases"].items()
    )


@cache
def verbs() -> tuple[str, ...]:
    """Verbs with which a subject of a commit and an entry of the changelog may begin."""
    return tuple(_rules()["verbs"].split())


def base() -> str:
    """The commit after which the rules hold."""
    return _rules()["since"]


def entries_in_changelog() -> int:
    """How many entries stand in the unreleased section itself."""
    return _rules()["entries_in_changelog"]


def faults_of(passage: Passage) -> Iterator[Fault]:
    """Each phrase that is refused, and each sentence that is too long."""
    text = passage.text.replace("\n", " ")
    for phrase in phrases():
        for found in phrase.pattern.finditer(text):
            advice = f"“{found[0].strip()}”: write {phrase.instead}"
            yield Fault(phrase.name, found.start(), found.end(), advice)
    if passage.has_sentences:
        yield from _long_sentences(text)


def _long_sentences(text: str) -> Iterator[Fault]:
    start = 0
    for found in _END.finditer(text):
        words = count_words(text[start : found.end()])
        if words > SENTENCE_WORDS:
            first = start + len(text[start:]) - len(text[start:].lstrip())
            opening = " ".join(text[first:].split()[:5])
            advice = f"“{opening} …” has {words} words: make sentences of at most {SENTENCE_WORDS}"
            yield Fault("long sentence", first, found.end(), advice)
        start = found.end()


def count_words(text: str) -> int:
    """Words of a text; a list of names in code is one."""
    return len(_WORD.findall(_LISTED.sub(CODE, text)))


def fault_of_subject(subject: str) -> str | None:
    """What a subject of a commit lacks; nothing, where it is as it has to be."""
    if len(subject) > SUBJECT_CHARS:
        return f"has {len(subject)} characters: at most {SUBJECT_CHARS}"
    found = _SUBJECT.match(subject)
    if found is None:
        return "names no area: write `area: verb …`"
    return fault_of_first_word(found["first"])


def fault_of_entry(entry: str) -> str | None:
    """What an entry of the changelog lacks; nothing, where it is as it has to be."""
    if not entry.strip():
        return "is empty"
    if "\n\n" in entry.strip() or re.match(r"\s*(?:[-*+#]|\d+\.)\s", entry):
        return "has a heading, a bullet or several paragraphs: write one paragraph"
    words = count_words(plain(entry))
    if words > ENTRY_WORDS:
        return f"has {words} words: at most {ENTRY_WORDS}"
    return fault_of_first_word(re.split(r"[^\w-]+", entry.strip())[0])


def fault_of_first_word(word: str) -> str | None:
    """Judge whether a word is a verb in the imperative, which a commit and an entry begin with."""
    if word.lower().removeprefix("re-") in verbs():
        return None
    return (
        f"begins with “{word}”, not with a verb in its plain form (add it to `verbs` in {PLACE} if it is one)"
    )


def _rules() -> dict[str, Any]:
    return tomllib.loads(text_of(PLACE))
