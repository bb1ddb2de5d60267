"""JSON text of foreign documents: read fast, and measured before anything walks it.

Receives a `SourceText`; gives the value and what the reader had to forgive. Knows nothing of
OpenAPI. Nearly all texts are plain JSON, which the fast reader takes; what it refuses (NaN, half surrogate
pairs) or would change (integers beyond 64 bits), and small texts, in which doubled keys are looked for, go
through the standard library.
"""

import json
import re
from collections import Counter
from typing import cast

import orjson

from toolserver.errors import quote
from toolserver.json_types import JsonObject, JsonValue
from toolserver.source_text import SourceText

DOUBLED_KEYS_BYTES = 1_000_000
"""Doubled keys are reported in texts up to this size; looking for them doubles the time of reading."""

_MAX_DOUBLED = 50
_DIGITS_ALIKE = bytes.maketrans(b"123456789", b"000000000")
_LONG_DIGITS = 20
"""Digits in a row from which on an integer may not fit in 64 bits."""

_LONG_INTEGER = re.compile(rb"(?:\A|[:,\[ \t\r\n-])[0-9]{20,}(?:[,\]} \t\r\n]|\Z)")
_STEP = 4
_COVERED = b"0" * (_LONG_DIGITS // _STEP)
_WRITER_DEPTH = 254
"""Levels that orjson writes; it refuses one more."""

_SPACES = " \t\r\n"
_DECODER = json.JSONDecoder()


def read_json(source: SourceText) -> tuple[JsonValue, list[str]]:
    """The value of a text, and warnings.

    Raises:
        ValueError: it is not JSON (a `json.JSONDecodeError` names the place).
        RecursionError: it is nested about a thousand levels deep.
    """
    is_large = len(source.encoded) > DOUBLED_KEYS_BYTES
    has_long = _may_hold_long_integers(source.encoded)
    if is_large and not has_long:
        try:
            return orjson.loads(source.encoded), []
        except orjson.JSONDecodeError:
            pass  # the other reader forgives more, and names the place
    return _read_with_care(source.text, note_doubled_keys=not is_large, has_long=has_long)


def members_of(text: str) -> dict[str, str]:
    """The members of an object, each with the text of its value to the letter; of equal keys the last.

    `text` is known to be a JSON object.
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


def is_surely_within(root: JsonValue, encoded: bytes, *, depth: int, nodes: int) -> bool:
    """Whether a value read from `encoded` is nested at most `depth` levels and holds at most `nodes` values.

    Quick, and never wrong when it says yes; a no may only mean that nobody knows yet.
    """
    if depth < _WRITER_DEPTH:
        return False
    if len(encoded) > 2 * nodes and _most_nodes(encoded) > nodes:
        return False
    try:
        orjson.dumps(
            root, default=bool, option=orjson.OPT_PASSTHROUGH_SUBCLASS
        )  # of a long integer, anything
    except TypeError:
        return False
    return True


def _most_nodes(encoded: bytes) -> int:
    """An upper bound: signs in strings are counted, too."""
    return 1 + encoded.count(b",") + encoded.count(b"{") + encoded.count(b"[")


def _may_hold_long_integers(encoded: bytes) -> bool:
    """Long runs of digits are common in strings; only one between signs of JSON may be an integer.

    A run covers so many of every fourth byte; the bytes between are only looked at where that is so.
    """
    alike = encoded[::_STEP].translate(_DIGITS_ALIKE)
    start = alike.find(_COVERED)
    while start >= 0:
        end = start + len(_COVERED)
        while alike[end : end + 1] == b"0":
            end += 1
        if _LONG_INTEGER.search(encoded, max(0, _STEP * (start - 1)), _STEP * end + 1):
            return True
        start = alike.find(_COVERED, end)
    return False


class _LongInteger(int):
    """An integer beyond 64 bits, which the fast writer refuses unless it may pass it on."""


def _integer(digits: str) -> int:
    return int(digits) if len(digits) < _LONG_DIGITS else _LongInteger(digits)


def _read_with_care(text: str, *, note_doubled_keys: bool, has_long: bool) -> tuple[JsonValue, list[str]]:
    doubled: dict[str, None] = {}
    not_numbers: list[str] = []

    def note_doubled(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
        read = dict(pairs)
        if len(read) != len(pairs) and len(doubled) < _MAX_DOUBLED:
            counts = Counter(key for key, _ in pairs)
            doubled.update(dict.fromkeys(key for key, count in counts.items() if count > 1))
        return read

    hook = note_doubled if note_doubled_keys else None
    reader = json.JSONDecoder(
        object_pairs_hook=hook,
        parse_constant=not_numbers.append,
        parse_int=_integer if has_long else None,
    )
    root = cast(JsonValue, reader.decode(text))
    warnings = [f"The key {quote(key)} stands twice in one object; the last one counts." for key in doubled]
    if not_numbers:
        warnings.append(f"{not_numbers[0]} is not a JSON value; it is read as null.")
    return _without_lone_surrogates(root, text), warnings


def _without_lone_surrogates(root: JsonValue, text: str) -> JsonValue:
    """JSON may escape half a surrogate pair, which UTF-8 cannot carry; encoders must not meet it."""
    if not ("\\ud" in text or "\\uD" in text) or re.search(r"\\u[dD][89a-fA-F]", text) is None:
        return root
    repaired = json.dumps(root, ensure_ascii=False).encode("utf-8", "replace")
    return cast(JsonValue, json.loads(repaired))
