"""JSON text of foreign documents: read fast, and measured before anything walks it.

Receives text with its UTF-8 bytes; gives the value and what the reader had to forgive. Knows nothing of
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

DOUBLED_KEYS_BYTES = 1_000_000
"""Doubled keys are reported in texts up to this size; looking for them doubles the time of reading."""

_MAX_DOUBLED = 50
_DIGITS_ALIKE = bytes.maketrans(b"123456789", b"000000000")
_BEYOND_64_BITS = b"0" * 20
"""Digits in a row from which on an integer may not fit."""

_BEFORE_NUMBERS = b":,[- \t\r\n"
_AFTER_NUMBERS = b",]} \t\r\n"
_WRITER_DEPTH = 254
"""Levels that orjson writes; it refuses one more."""

_SPACES = " \t\r\n"
_DECODER = json.JSONDecoder()


def read_json(text: str, encoded: bytes) -> tuple[JsonValue, list[str]]:
    """The value of `text`, whose UTF-8 bytes are `encoded`, and warnings.

    Raises:
        ValueError: it is not JSON (a `json.JSONDecodeError` names the place).
        RecursionError: it is nested about a thousand levels deep.
    """
    if len(encoded) > DOUBLED_KEYS_BYTES and not _may_hold_long_integers(encoded):
        try:
            return orjson.loads(encoded), []
        except orjson.JSONDecodeError:
            pass  # the other reader forgives more, and names the place
    return _read_with_care(text, note_doubled_keys=len(encoded) <= DOUBLED_KEYS_BYTES)


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
        orjson.dumps(root)
    except TypeError:
        return _is_shallow(encoded)
    return True


def _is_shallow(encoded: bytes) -> bool:
    """The same for values with integers beyond 64 bits, which cannot be written but be read as floats."""
    try:
        orjson.dumps(orjson.loads(encoded))
    except (TypeError, orjson.JSONDecodeError):
        return False
    return True


def _most_nodes(encoded: bytes) -> int:
    """An upper bound: signs in strings are counted, too."""
    return 1 + encoded.count(b",") + encoded.count(b"{") + encoded.count(b"[")


def _may_hold_long_integers(encoded: bytes) -> bool:
    """Long runs of digits are common in strings; only one between signs of JSON may be an integer."""
    alike = encoded.translate(_DIGITS_ALIKE)
    start = alike.find(_BEYOND_64_BITS)
    while start >= 0:
        end = start + len(_BEYOND_64_BITS)
        while alike[end : end + 1] == b"0":
            end += 1
        if encoded[max(0, start - 1) : start] in _BEFORE_NUMBERS and encoded[end : end + 1] in _AFTER_NUMBERS:
            return True
        start = alike.find(_BEYOND_64_BITS, end)
    return False


def _read_with_care(text: str, *, note_doubled_keys: bool) -> tuple[JsonValue, list[str]]:
    doubled: dict[str, None] = {}
    not_numbers: list[str] = []

    def note_doubled(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
        read = dict(pairs)
        if len(read) != len(pairs) and len(doubled) < _MAX_DOUBLED:
            counts = Counter(key for key, _ in pairs)
            doubled.update(dict.fromkeys(key for key, count in counts.items() if count > 1))
        return read

    hook = note_doubled if note_doubled_keys else None
    root = cast(JsonValue, json.loads(text, object_pairs_hook=hook, parse_constant=not_numbers.append))
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
