"""Reads the JSON text of foreign documents, fast.

Receives a `SourceText`; gives the value, and warnings about what the reader had to tolerate. Knows nothing of
OpenAPI. Nearly all large texts are plain JSON, which the fast reader takes; what it refuses (NaN, lone
surrogates), and small texts, which are checked for duplicate keys, go through the standard library. What
holds a number that is written in another way than its value (`1.10`, `1E2`) keeps its text.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from operator import methodcaller
from typing import Any, cast

import msgspec

from toolserver.errors import quote_text
from toolserver.json_types import JsonObject, JsonValue, NestedTooDeeply, WrittenArray, WrittenObject
from toolserver.openapi.source_text import SourceText

DUPLICATE_KEYS_BYTES = 1_000_000
"""Maximum bytes of texts whose duplicate keys are reported; looking for them doubles the reading time."""

_MAX_DUPLICATES = 50
MAX_DIGITS = 3_500
"""Maximum characters of an integer; a longer one is read as text. Python neither reads nor writes more than
4,300 digits."""

MAX_TEXTS = 100_000
"""Maximum number of scalars of one text whose way of writing is kept; more are taken by their values."""

TOO_MANY_TEXTS = f"More than {MAX_TEXTS:,} numbers are written unusually; the others count by their values."

_HOLDERS: dict[object, tuple[Any, Any]] = {
    dict: (methodcaller("items"), WrittenObject),
    list: (enumerate, WrittenArray),
}
"""How the members of an object and of an array are listed, and what keeps their texts."""

_type_of: Callable[[object], object] = type

_SPACES = " \t\r\n"
_DECODER = json.JSONDecoder(parse_int=str)  # only the places of values matter here


class _Fractions:
    """Reads the numbers of one text that are no integers, and remembers those that are written unusually."""

    def __init__(self) -> None:
        self.kept = 0
        self.constant = ""
        """The first that JSON does not have, such as NaN."""

    def read(self, text: str) -> JsonValue:
        """The number; with its text as a pair, which JSON has none of, until `_keep_texts` finds it."""
        value = float(text)
        return value if repr(value) == text else self._with_text(value, text)

    def read_constant(self, text: str) -> JsonValue:
        """Null with its text, as of YAML's `.nan`."""
        self.constant = self.constant or text
        return self._with_text(None, text)

    def _with_text(self, value: JsonValue, text: str) -> JsonValue:
        if self.kept == MAX_TEXTS:
            return value
        self.kept += 1
        return cast(JsonValue, (value, text))

    def warnings(self) -> list[str]:
        """What is said of constants, and where there are too many."""
        said = f"{self.constant} is not a JSON value; it is read as null."
        too_many = [TOO_MANY_TEXTS] if self.kept == MAX_TEXTS else []
        return [said, *too_many] if self.constant else too_many

    def settle(self, root: JsonValue) -> JsonValue:
        """What was read, without pairs."""
        return cast(JsonValue, _keep_texts([root])[0]) if self.kept else root


def read_json(
    source: SourceText, check: Callable[[JsonValue], None] = lambda _root: None
) -> tuple[JsonValue, list[str]]:
    """The value of a text, and warnings. `check` may refuse what was read before anything walks through it.

    Raises:
        ValueError: it is not JSON (a `json.JSONDecodeError` names the place).
        NestedTooDeeply: it is nested deeper than this Python reads, which is far beyond every limit.
    """
    try:
        return _read(source, check)
    except RecursionError:
        raise NestedTooDeeply from None


def _read(source: SourceText, check: Callable[[JsonValue], None]) -> tuple[JsonValue, list[str]]:
    is_large = len(source.encoded) > DUPLICATE_KEYS_BYTES
    if is_large:
        fractions = _Fractions()
        # keeps integers of any size, which orjson turns into floats, and needs no memory besides the value
        decoder = msgspec.json.Decoder(float_hook=fractions.read)
        try:
            root = cast(JsonValue, decoder.decode(source.encoded))
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass  # the other reader tolerates more, and names the place
        else:
            check(root)
            return fractions.settle(root), fractions.warnings()
    return _read_with_hooks(source.text, check, report_duplicate_keys=not is_large)


def _keep_texts(value: Any) -> Any:
    """`value` with the numbers of all pairs in their places, and their texts in what holds them.

    `Any`, because a cast of each member would cost as much as the rest.
    """
    texts: dict[Any, str] = {}
    is_written = False
    members, written = _HOLDERS[_type_of(value)]
    for place, member in members(value):
        kind = _type_of(member)
        if kind is dict or kind is list:
            kept = _keep_texts(member)
            if kept is not member:
                value[place] = kept
                is_written = True
        elif kind is tuple:
            value[place], texts[place] = member
    if not texts and not is_written:
        return value
    return written(value, texts)


def members_of(text: str) -> dict[str, str]:
    """The members of an object, each with the exact text of its value; of duplicate keys the last.

    `text` must be a JSON object.
    """
    members: dict[str, str] = {}
    index = _pass_over(text, text.index("{") + 1, _SPACES)
    while text[index] != "}":
        key, index = _DECODER.raw_decode(text, index)
        start = _pass_over(text, index, _SPACES + ":")
        _, index = _DECODER.raw_decode(text, start)
        members[key] = text[start:index]
        index = _pass_over(text, index, _SPACES + ",")
    return members


def _pass_over(text: str, index: int, signs: str) -> int:
    while text[index] in signs:
        index += 1
    return index


def _read_with_hooks(
    text: str, check: Callable[[JsonValue], None], *, report_duplicate_keys: bool
) -> tuple[JsonValue, list[str]]:
    duplicates: dict[str, None] = {}
    too_long: list[str] = []

    def collect_duplicates(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
        read = dict(pairs)
        if len(read) != len(pairs) and len(duplicates) < _MAX_DUPLICATES:
            counts = Counter(key for key, _ in pairs)
            duplicates.update(dict.fromkeys(key for key, count in counts.items() if count > 1))
        return read

    def integer_or_text(digits: str) -> int | str:
        if len(digits) <= MAX_DIGITS:
            return int(digits)
        too_long.append(digits)
        return digits

    hook = collect_duplicates if report_duplicate_keys else None
    fractions = _Fractions()

    def read(parse_int: Callable[[str], int | str]) -> JsonValue:
        reader = json.JSONDecoder(
            object_pairs_hook=hook,
            parse_constant=fractions.read_constant,
            parse_float=fractions.read,
            parse_int=parse_int,
        )
        return cast(JsonValue, reader.decode(text))

    try:
        root = read(int)
    except json.JSONDecodeError:
        raise
    except ValueError:  # an integer of more digits than Python converts
        root = read(integer_or_text)
    warnings = [
        f"The key {quote_text(key)} appears twice in one object; the last one counts." for key in duplicates
    ]
    if too_long:
        warnings.append(f"A number of {len(too_long[0]):,} characters is read as text.")
    warnings += fractions.warnings()
    check(root)
    return _without_lone_surrogates(fractions.settle(root), text), warnings


def _without_lone_surrogates(root: JsonValue, text: str) -> JsonValue:
    """Repairs lone surrogates, which JSON may escape and UTF-8 cannot encode."""
    if not ("\\ud" in text or "\\uD" in text) or re.search(r"\\u[dD][89a-fA-F]", text) is None:
        return root
    repaired = json.dumps(root, ensure_ascii=False).encode("utf-8", "replace")
    return cast(JsonValue, json.loads(repaired))
