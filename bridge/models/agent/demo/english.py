"""English words of the demo model: stems, words of one meaning, and verbs that open a sentence. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

_SAME_MEANING = (
    "shop store",
    "temperature warm hot cold degree",
    "price cost cheap expensive",
    "remove delete",
    "loan borrow lend rent",
    "search find look",
    "history past last previous earlier",
    "change set adjust modify update",
    "add create",
    "return bring",
    "many quantity amount piece number",
    "product article goods",
    "weekly week",
)
"""Words of one meaning on each line."""


def word_set(*texts: str) -> frozenset[str]:
    """Return the words of some texts."""
    return frozenset(word for text in texts for word in text.split())


_READING = (
    "get list show search find look tell read see display view count fetch query check lookup",
    "give describe know",
)
_CHANGING = (
    "add adjust answer ask assign book boost borrow bring buy call cancel change clear close collect",
    "copy create decrease delete disable do draw edit enable erase heat increase insert install log lower",
    "make mark modify move note open order place post print put raise register remove rename replace",
    "reset restart return save schedule send set start stop subscribe suggest switch take trigger turn",
    "update upload write",
)

STOP_WORDS = word_set(
    "a an the this that these those my your our its their of in on at",
    "to from with and or also than then it them me us i we you he",
    "she is are was were be been am do does did has have had can could",
    "would will please hi hello hey ok now right just so there here all any every",
    "each some no not what which how for by as during about after before under below",
    "over above most still moment one tell whether if only be thanks thank currently today want",
    "like need",
)
"""Words that name nothing."""

NEGATIONS = word_set("not never don't dont doesn't isn't aren't without no except")
CONDITIONS = word_set("if unless when whenever once until before after or")
"""Words that make a request depend on something that the model does not know."""
ASKS_FOR_ADVICE = word_set("should shall why may might if would")
QUESTION_WORDS = word_set(
    "what which who whom whose when where how is are was were do does did has have had can could will"
)
POLITE = word_set("please hi hello hey ok okay now then just kindly")
_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
NUMBERS = {word: number for number, word in enumerate(_COUNTED.split())}

_SHORTEST_STEM = 3
_ENDINGS = (
    ("ies", "y"),
    ("ing", ""),
    ("ed", ""),
    ("ly", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
)
_DOUBLING = ("ing", "ed")
_COMPARED = re.compile(r"(cheap|warm|cold|new|old)(?:er|est)")
_DOUBLED = re.compile(r"([bdglmnprt])\1$")


@lru_cache(maxsize=8192)
def stem_word(word: str) -> str:
    """Return what the forms of one English word have in common; the word is in lower case."""
    for ending, instead in _ENDINGS:
        left = word.removesuffix(ending)
        if left != word and len(left) >= _SHORTEST_STEM:
            left += instead
            return (_DOUBLED.sub(r"\1", left) if ending in _DOUBLING else left).removesuffix("e")
    is_plural = word.endswith("s") and not word.endswith(("ss", "us")) and len(word) > _SHORTEST_STEM
    word = word[:-1] if is_plural else word
    compared = _COMPARED.fullmatch(word)
    word = compared[1] if compared else word
    return word.removesuffix("e") if len(word) > _SHORTEST_STEM else word


_GROUPS = {stem_word(word): stem_word(words[0]) for words in map(str.split, _SAME_MEANING) for word in words}


@lru_cache(maxsize=8192)
def meaning(word: str) -> str:
    """Return the stem that stands for a word and all of its meaning."""
    found = stem_word(word.lower())
    return _GROUPS.get(found, found)


READING_VERBS = frozenset(map(meaning, word_set(*_READING)))
CHANGING_VERBS = frozenset(map(meaning, word_set(*_CHANGING)))
CHANGE = meaning("change")
"""What an update is called by: it needs something to change, besides what it changes."""
