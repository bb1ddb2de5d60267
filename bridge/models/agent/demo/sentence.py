"""A plain sentence as the demo model reads it: its language, its words, and the kind of request. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bridge.models.agent.demo import english, german
from bridge.models.agent.demo.english import word_set

MAX_CHARS = 300
"""Maximum characters of a sentence that is read for words; a longer text asks for no call."""

Language: TypeAlias = Literal["en", "de"]
Kind: TypeAlias = Literal["reads", "changes", "wonders"]
"""A request to read, to change something, or for advice on a change, which calls nothing."""

_TOKEN = re.compile(
    r"""["“„«](?P<quote>[^"”“»]+)["”“»]|(?P<date>\d{4}-\d\d-\d\d)|(?P<id>\w*[A-Za-z]\w*-\d+|\d+(?:\.\d+){2,})"""
    r"""|(?P<number>\d+(?:[.,]\d+)?)|(?P<word>[^\W\d_](?:[\w'\u2019-]*\w)?)"""
)


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number or quotation."""

    text: str
    """As it was written; of a quotation, what is between the marks."""
    word: str = ""
    """In lower case; "" if it is a number or a quotation."""
    meanings: frozenset[str] = frozenset()
    """Stems of its English meanings; none for a word that names nothing."""
    number: float | None = None
    is_quote: bool = False
    is_name: bool = False
    """It looks like the name of a person or place."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """What a user wrote."""

    language: Language
    tokens: tuple[Token, ...]
    kind: Kind
    verbs: frozenset[str]
    """Meanings of the verb by which a change is asked for."""
    is_negated: bool
    is_conditional: bool

    def mentions(self) -> frozenset[str]:
        """Return the meanings of all words."""
        return frozenset(meaning for token in self.tokens for meaning in token.meanings)


def language_of(text: str) -> Language:
    """Return German for a text with more marks of German than of English; English otherwise."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    in_german = sum(word in german.MARKS or bool(re.search("[äöüß]", word)) for word in words)
    in_english = sum(word in english.STOP_WORDS for word in words)
    if in_german == in_english:
        in_german += sum(
            german.translate_word(word) not in {(), (word,)} for word in words if not _is_english(word)
        )
    return "de" if in_german > in_english else "en"


def _is_english(word: str) -> bool:
    return english.meaning(word) in english.READING_VERBS | english.CHANGING_VERBS


def read_sentence(text: str) -> Sentence | None:
    """Return the sentence; None if it is empty or too long to be a plain request."""
    if len(text) > MAX_CHARS:
        return None
    language = language_of(text)
    matches = list(_TOKEN.finditer(text))
    tokens = tuple(_token(match, language, is_first=at == 0) for at, match in enumerate(matches))
    words = [token.word for token in tokens]
    if not tokens:
        return None
    grammar = german if language == "de" else english
    kind, verbs = _request_of(words, language)
    return Sentence(
        language,
        tokens,
        kind,
        verbs,
        is_negated=any(word in grammar.NEGATIONS for word in words),
        is_conditional=any(word in grammar.CONDITIONS for word in words),
    )


def _token(match: re.Match[str], language: Language, *, is_first: bool) -> Token:
    if quote := match["quote"]:
        return Token(quote, is_quote=True)
    if match["date"] or match["id"]:
        return Token(match[0])
    if number := match["number"]:
        return Token(number, number=float(number.replace(",", ".")))
    word = match[0].lower().replace("\u2019", "'")
    grammar = german if language == "de" else english
    if (counted := grammar.NUMBERS.get(word)) is not None:
        return Token(match[0], word, number=counted)
    if word in grammar.STOP_WORDS:
        return Token(match[0], word)
    translated = german.translate_word(word) if language == "de" else ()
    parts = translated or tuple(part for part in word.split("-") if part)
    is_name = match[0][0].isupper() and not is_first and not translated
    return Token(match[0], word, frozenset(map(english.meaning, parts)), is_name=is_name)


def _request_of(words: Sequence[str], language: Language) -> tuple[Kind, frozenset[str]]:
    """Return the kind of a request, and the meanings of its verb if it asks for a change."""
    grammar = german if language == "de" else english
    left = list(words)
    while left and (left[0] in grammar.POLITE or not left[0]):
        left = left[1:]
    if not left:
        return "reads", frozenset()
    asks_for_advice = left[0] in grammar.ASKS_FOR_ADVICE
    if asks_for_advice or (left[0] in {"how", "wie"} and {"i", "ich", "man", "you"} & set(left[1:3])):
        return "wonders", frozenset()
    verbs = _german_verb(left) if language == "de" else _english_verb(left)
    changes = frozenset(verb for verb in verbs if verb not in english.READING_VERBS)
    return ("changes", changes) if changes else ("reads", frozenset())


_ENGLISH_MODALS = re.compile(
    r"^(?:(?:can|could|would|will) you(?: please)?|i(?: want| need|'d like| would like) to|let's|do) "
)


def _english_verb(words: Sequence[str]) -> frozenset[str]:
    """Return the verb of an imperative, or of "can you …"; none of a question or a noun."""
    written = " ".join(words)
    asked = _ENGLISH_MODALS.sub("", written)
    is_question = asked == written and words[0] in english.QUESTION_WORDS and words[0] != "do"
    if is_question:
        return frozenset()
    (first, *rest) = asked.split() or [""]
    if first in {"give", "bring", "take"} and "back" in rest:
        return frozenset({english.meaning("return")})
    if first in english.NEGATIONS and rest:
        first = rest[0]
    verb = english.meaning(first)
    is_known = verb in english.CHANGING_VERBS or verb in english.READING_VERBS
    return frozenset({verb}) if is_known and not first.endswith(("s", "ed", "ing")) else frozenset()


_GERMAN_MODALS = word_set("kannst könntest würdest möchte will wollen")


def _german_verb(words: Sequence[str]) -> frozenset[str]:
    """Return the verb of an imperative, of "ich …", or the infinitive at the end of "kannst du …"."""
    place = words[1:] if words[0] == "ich" else words
    if not place or (words[0] in german.QUESTION_WORDS and words[0] != "ich"):
        return frozenset()
    if place[0] in _GERMAN_MODALS:
        ends = [word for word in reversed(place) if word.endswith("n") and german.verb_stem(word)]
        return _meanings(german.verb_stem(ends[0])) if ends else frozenset()
    stem = german.verb_stem(place[0])
    for word in place[1:]:
        if stem and (together := german.SEPARATED.get((stem, word))):
            return frozenset({english.meaning(together)})
    return _meanings(stem)


def _meanings(stem: str | None) -> frozenset[str]:
    return frozenset(map(english.meaning, german.english_verb(stem))) if stem else frozenset()
