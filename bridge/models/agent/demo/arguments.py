"""The arguments that a plain sentence gives for a tool's parameters. Pure.

Each word, number and quotation is used once; what no parameter can take is left over, so that the caller
sees what was not understood. Values that a parameter's schema refuses are never used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bridge.models.agent.demo import german
from bridge.models.agent.demo.english import meaning, word_set
from bridge.models.agent.demo.offered import PEOPLE, ToolWords, meanings_in
from bridge.models.agent.demo.sentence import Sentence, Token
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at

_SEARCHES = frozenset(map(meaning, word_set("search query q term keyword keywords")))
_MAKERS = frozenset(map(meaning, word_set("author creator artist")))
_PLACES = frozenset(map(meaning, word_set("city location place town country")))
_COUNTS = frozenset(map(meaning, word_set("limit top quantity")))
_ORDERS = frozenset({"sort", "order_by", "sort_by", "orderby"})
_MOST = word_set("under below most") | german.AT_MOST
_LEAST = word_set("over above least") | german.AT_LEAST
_AFTER = word_set("after since") | german.AFTER
_TOWARDS = word_set("to at") | german.TOWARDS
_OF = word_set("of x times") | german.OF
_LINKS = word_set("number no id the isbn") | german.LINKS
"""Words between a noun and its number."""
_FOR = word_set("for about") | german.ABOUT
_ROLES = {
    "by": {"maker"},
    "von": {"maker", "person"},
    "of": {"maker", "person"},
    "in": {"place"},
    "at": {"place"},
}
"""What a name is behind these words; elsewhere it is a person's."""
_EXAMPLES = re.compile(r"(?:for example|such as|Example:)\s+(.+?)(?:\.|$)")
_ONLY = re.compile(r"true: (?:only )?(.+)")
_OVERLAP = 0.6
"""Share of the words that say when a switch is on which a sentence has to have."""
_NEAR = 3


@dataclass(slots=True)
class FoundArguments:
    """What a sentence gives for one tool."""

    arguments: JsonObject = field(default_factory=dict[str, JsonValue])
    used: set[int] = field(default_factory=set[int])
    """Indexes of the tokens that arguments were made of."""
    precise: int = 0
    """How many arguments can hardly be meant otherwise: choices, identifiers, quotations, texts to find."""


def read_arguments(sentence: Sentence, tool: ToolWords) -> FoundArguments:
    """Return the arguments of a tool that a sentence gives."""
    filler = Filler(sentence, tool)
    return FoundArguments(filler.fill_object(tool.parameters), filler.used, filler.precise)


class Filler:
    """Takes the tokens of one sentence for the parameters of one tool, the surest kinds of value first."""

    def __init__(self, sentence: Sentence, tool: ToolWords) -> None:
        self.sentence = sentence
        self.tool = tool
        self.tokens: Sequence[Token] = sentence.tokens
        self.mentions = sentence.mentions()
        self.used: set[int] = set()
        self.precise = 0

    def fill_object(self, schema: JsonObject) -> JsonObject:
        """Return values of an object's properties."""
        properties = {
            name: each for name, each in object_at(schema, "properties").items() if isinstance(each, dict)
        }
        found: JsonObject = {}
        for fill in (
            self._pattern, self._choice, self._named_number, self._count, self._switch,
            self._quotation, self._words_to_find, self._name, self._example, self._inner, self._only_number,
        ):  # fmt: skip
            for name, each in properties.items():
                if name not in found and (value := fill(name, each)) is not None:
                    found[name] = value
        return {name: found[name] for name in properties if name in found}

    def _free(self) -> Iterator[tuple[int, Token]]:
        return ((at, token) for at, token in enumerate(self.tokens) if at not in self.used)

    def _use(self, *places: int, is_precise: bool = False) -> None:
        self.used.update(places)
        self.precise += is_precise

    def _pattern(self, _name: str, schema: JsonObject) -> JsonValue:
        """Return what a pattern allows, or a date."""
        inner = _items_of(schema)
        pattern = text_at(inner, "pattern") or (r"\d{4}-\d\d-\d\d" if _is_date(_name, inner) else "")
        if not _has_type(inner, "string") or not pattern:
            return None
        found: list[int] = []
        for at, token in self._free():
            is_code = any(map(str.isdigit, token.text)) and not token.is_quote
            if is_code and re.fullmatch(pattern, token.text):
                found.append(at)
        if not found or (len(found) > 1 and inner is schema):
            return None
        self._use(*found, is_precise=True)
        values: list[JsonValue] = [self.tokens[at].text for at in found]
        return values[0] if inner is schema else values

    def _choice(self, name: str, schema: JsonObject) -> JsonValue:
        """Return the value of an enumeration that is named; several only where an array takes them."""
        if name.lower() in _ORDERS:
            return self._order(schema)
        inner = _items_of(schema)
        places: dict[str, set[int]] = {}
        for value in array_at(inner, "enum"):
            words = set(meanings_in(value)) if isinstance(value, str) else set[str]()
            at = {index for index, token in self._free() if token.meanings and token.meanings & words}
            if isinstance(value, str) and words and words <= self._meanings_at(at):
                places[value] = at
        if not places or (len(places) > 1 and inner is schema):
            return None
        self._use(*set[int]().union(*places.values()), is_precise=True)
        chosen: list[JsonValue] = [*places]
        return chosen[0] if inner is schema else chosen

    def _meanings_at(self, places: set[int]) -> set[str]:
        return {each for at in places for each in self.tokens[at].meanings}

    def _order(self, schema: JsonObject) -> JsonValue:
        """Return what a list is sorted by, where the cheapest, or what is "sorted by", is asked for."""
        for at, token in self._free():
            is_sorted = token.word.startswith("sort")
            asked = token.meanings | self.mentions if is_sorted else token.meanings
            is_superlative = token.word.endswith(("est", "ste", "sten"))
            for value in array_at(schema, "enum") if is_sorted or is_superlative else []:
                if isinstance(value, str) and meaning(value) in asked:
                    self._use(at)
                    return value
        return None

    def _named_number(self, name: str, schema: JsonObject) -> JsonValue:
        """Return the number beside a parameter's name: `product 3`, `30 minutes`, `price … to 299`."""
        if not _has_type(schema, "integer", "number"):
            return None
        words = set(meanings_in(name)) - {"id", "max", "min"}
        for at, token in self._free():
            if token.number is None:
                continue
            if self._stands_by(at, name, words):
                value = self._number(at, schema)
                if value is not None:
                    return value
        return None

    def _stands_by(self, at: int, name: str, words: set[str]) -> bool:
        before = self._words_before(at)
        behind = self._next(at)
        near = next((token for token in reversed(before) if token.word not in _LINKS), None)
        comparing = near.word if near else ""
        if re.match(r"max|min", name.lower()):
            wanted = _MOST if name.lower().startswith("max") else _LEAST
            return comparing in wanted
        if re.search(r"after|since", name.lower()):
            return comparing in _AFTER
        if comparing in _MOST | _LEAST | _AFTER:
            return False
        if near is not None and near.meanings & words:
            return True
        if behind is not None and behind.meanings & words and not _is_identifier(name):
            return True
        return comparing in _TOWARDS and bool(words & self.mentions)

    def _words_before(self, at: int) -> Sequence[Token]:
        return self.tokens[max(0, at - _NEAR) : at]

    def _next(self, at: int) -> Token | None:
        return self.tokens[at + 1] if at + 1 < len(self.tokens) else None

    def _count(self, name: str, schema: JsonObject) -> JsonValue:
        """Return how many are asked for: `five products`, `2 of …`."""
        words = set(meanings_in(name))
        if not _has_type(schema, "integer") or not words & _COUNTS:
            return None
        for at, token in self._free():
            if token.number is not None and self._counts(at):
                value = self._number(at, schema)
                if value is not None:
                    return value
        return None

    def _counts(self, at: int) -> bool:
        """Return whether a number stands before what it counts, and not behind what it names."""
        behind = self.tokens[at + 1 : at + 1 + _NEAR]
        if behind and (behind[0].word in _OF or behind[0].meanings & _COUNTS):
            return True
        before = self._words_before(at)
        is_name = bool(before and before[-1].meanings & self.tool.nouns)
        return not is_name and any(each.meanings & self.tool.nouns for each in behind)

    def _number(self, at: int, schema: JsonObject) -> JsonValue:
        """Use a number if the schema allows it: in cents where these are wanted and euros are written."""
        number = self.tokens[at].number
        behind = self._next(at)
        if number is None:
            return None
        if (
            behind is not None
            and behind.word in {"euro", "euros"}
            and "cents" in text_at(schema, "description")
        ):
            number = round(number * 100, 6)
        if not _allows(schema, number):
            return None
        self._use(at)
        return int(number) if number == int(number) else number

    def _switch(self, name: str, schema: JsonObject) -> JsonValue:
        """Return whether a switch is on that a sentence names, or describes in the words of the schema."""
        if not _has_type(schema, "boolean"):
            return None
        words = set(meanings_in(name))
        is_named = bool(words) and words <= self.mentions
        if match := _ONLY.match(text_at(schema, "description")):
            wanted = {meaning(word) for word in match[1].split()}
            said = {meaning(token.word) for token in self.tokens if token.word}
            is_named = is_named or len(wanted & said) >= _OVERLAP * len(wanted)
            words |= wanted if is_named else set[str]()
        if not is_named:
            return None
        self._use(*(at for at, token in self._free() if token.meanings & words))
        return not self.sentence.is_negated

    def _quotation(self, name: str, schema: JsonObject) -> JsonValue:
        """Return a quoted text for what is required, or named."""
        if not _is_free_text(schema):
            return None
        is_wanted = name in self.tool.required() or set(meanings_in(name)) & (self.mentions | _SEARCHES)
        for at, token in self._free():
            if token.is_quote and is_wanted and _fits(schema, token.text):
                self._use(at, is_precise=True)
                return token.text
        return None

    def _words_to_find(self, name: str, schema: JsonObject) -> JsonValue:
        """Return the words after `for` where a text to search for is taken."""
        if (
            not _is_free_text(schema)
            or not set(meanings_in(name)) & _SEARCHES
            or meaning("search") not in self._stems()
        ):
            return None
        for at, token in self._free():
            rest = [index for index, _ in self._free() if index > at]
            if token.word in _FOR and rest and rest == list(range(at + 1, len(self.tokens))):
                text = " ".join(self.tokens[index].text for index in rest)
                self._use(*rest, is_precise=True)
                return text if _fits(schema, text) else None
        return None

    def _stems(self) -> set[str]:
        return {meaning(token.word) for token in self.tokens if token.word} | self.mentions

    def _name(self, name: str, schema: JsonObject) -> JsonValue:
        """Return the name of a person or place, by the preposition before it."""
        inner = _items_of(schema)
        if not _is_free_text(inner):
            return None
        roles = _roles_of(name)
        for at, token in self._free():
            if token.is_name and self._roles_at(at) & roles:
                end = at + 1
                while end < len(self.tokens) and self.tokens[end].is_name:
                    end += 1
                self._use(*range(at, end))
                text = " ".join(each.text for each in self.tokens[at:end])
                return text if inner is schema else [text]
        return None

    def _roles_at(self, at: int) -> set[str]:
        return _ROLES.get(self.tokens[at - 1].word, {"person"}) if at else {"person"}

    def _example(self, _name: str, schema: JsonObject) -> JsonValue:
        """Return words that the description of a list of words gives as examples."""
        inner = _items_of(schema)
        match = _EXAMPLES.search(text_at(schema, "description"))
        if inner is schema or not _is_free_text(inner) or not match:
            return None
        examples = {meaning(word): word for word in re.findall(r"[a-z-]{3,}", match[1])}
        found = {at: examples.keys() & token.meanings for at, token in self._free()}
        places = [at for at, meanings in found.items() if meanings]
        self._use(*places, is_precise=bool(places))
        return [examples[min(found[at])] for at in places] or None

    def _inner(self, _name: str, schema: JsonObject) -> JsonValue:
        """Return an object, or an array of one, all of whose required members are given."""
        inner = _items_of(schema)
        if not object_at(inner, "properties"):
            return None
        before = (set(self.used), self.precise)
        found = self.fill_object(inner)
        if not found or any(name not in found for name in array_at(inner, "required")):
            self.used, self.precise = before
            return None
        return found if inner is schema else [found]

    def _only_number(self, name: str, schema: JsonObject) -> JsonValue:
        """Return the one number left for a number that is required, and whose name or unit is said."""
        if (
            not _has_type(schema, "integer", "number")
            or name not in self.tool.required()
            or _is_identifier(name)
        ):
            return None
        left = [at for at, token in self._free() if token.number is not None]
        words = set(meanings_in(name)) | set(meanings_in(text_at(schema, "description").partition(".")[0]))
        return self._number(left[0], schema) if len(left) == 1 and words & self.mentions else None


def _items_of(schema: JsonObject) -> JsonObject:
    """Return the schema of an array's items; of anything else, itself."""
    return object_at(schema, "items") if _has_type(schema, "array") else schema


def _has_type(schema: JsonObject, *kinds: str) -> bool:
    return schema.get("type") in kinds


def _is_free_text(schema: JsonObject) -> bool:
    return _has_type(schema, "string") and not any(schema.get(key) for key in ("enum", "pattern", "format"))


def _is_identifier(name: str) -> bool:
    return name == "id" or name.lower().endswith(("_id", "-id"))


def _is_date(name: str, schema: JsonObject) -> bool:
    is_named = bool({meaning("day"), meaning("date")} & set(meanings_in(name)))
    return text_at(schema, "format") == "date" or (is_named and _is_free_text(schema))


def _fits(schema: JsonObject, text: str) -> bool:
    longest = schema.get("maxLength")
    return not isinstance(longest, int) or len(text) <= longest


def _allows(schema: JsonObject, number: float) -> bool:
    least = schema.get("minimum")
    most = schema.get("maximum")
    step = schema.get("multipleOf")
    is_whole = number == int(number) or not _has_type(schema, "integer")
    fits = not isinstance(step, int) or number % step == 0
    return (
        is_whole
        and fits
        and (not isinstance(least, int | float) or number >= least)
        and (not isinstance(most, int | float) or number <= most)
    )


def _roles_of(name: str) -> set[str]:
    words = set(meanings_in(name))
    roles = {"person"} if words & PEOPLE else set[str]()
    roles |= {"maker"} if words & _MAKERS else set[str]()
    return roles | ({"place"} if words & _PLACES else set[str]())
