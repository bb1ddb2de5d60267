"""JSON as Python values, and tolerant readers for foreign documents.

Receives values from `json.loads` or the YAML reader; gives typed views of them. Knows nothing of OpenAPI. The
readers never raise: a value of the wrong type counts as absent, and the caller decides whether that matters.
"""

import json
from typing import TypeAlias

import orjson

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
JsonObject: TypeAlias = dict[str, JsonValue]


def object_at(container: JsonObject, key: str) -> JsonObject:
    """The object under `key`; an empty one when it is absent or of another type."""
    value = container.get(key)
    return value if isinstance(value, dict) else {}


def array_at(container: JsonObject, key: str) -> list[JsonValue]:
    """The array under `key`; an empty one when it is absent or of another type."""
    value = container.get(key)
    return value if isinstance(value, list) else []


def text_at(container: JsonObject, key: str) -> str:
    """The string under `key`; "" when it is absent or of another type."""
    value = container.get(key)
    return value if isinstance(value, str) else ""


def scalar_text_at(container: JsonObject, key: str) -> str:
    """The string under `key`, or the text of a number: YAML reads an unquoted `version: 1.0` as one."""
    value = container.get(key)
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def dump_json(value: JsonValue) -> bytes:
    """Compact UTF-8 JSON that keeps key order.

    Integers beyond 64 bits, which orjson refuses, are written as digits. NaN and infinities become `null`.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def equality_key(value: JsonValue) -> str | int | bytes:
    """A key that is equal for equal values only; `1`, `1.0` and `true` differ, as in JSON."""
    if isinstance(value, str) or type(value) is int:
        return value
    return trim_bytes(dump_json(value))


def trim_bytes(written: bytes) -> bytes:
    """A copy without unused capacity: orjson returns the buffer it wrote into, 4 KiB or more.

    For bytes that are stored for long.
    """
    return b"%b" % written
