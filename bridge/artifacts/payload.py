"""JSON values as the bytes that are kept, so that what is read is what was written, to the last bit.

The first byte says how the rest is to be read. What `orjson` gives back unchanged is written by it; the rest
(integers beyond 64 bits, infinities that a number such as `1e400` becomes, halves of surrogate pairs) in
Python's own dialect of JSON.
"""

from __future__ import annotations

import json
from typing import cast

import orjson

from toolserver.json_types import JsonValue

_PLAIN, _EXACT = b"\x00", b"\x01"


class Unkeepable(ValueError):
    """The value is nested too deeply to be written, or the bytes are none that `pack` made."""


def pack(value: JsonValue) -> bytes:
    """The bytes of a value.

    Raises:
        Unkeepable: it is nested too deeply.
    """
    try:
        written = orjson.dumps(value)
    except TypeError:
        return _EXACT + _exact(value)
    if b"null" in written and orjson.loads(written) != value:  # it writes what is not finite as null
        return _EXACT + _exact(value)
    return _PLAIN + written


def unpack(packed: bytes) -> JsonValue:
    """The value that was packed.

    Raises:
        Unkeepable: the bytes are no packed value.
    """
    form, written = packed[:1], packed[1:]
    try:
        if form == _PLAIN:
            return cast(JsonValue, orjson.loads(written))
        if form == _EXACT:
            return cast(JsonValue, json.loads(written.decode("utf-8", "surrogatepass")))
    except (ValueError, RecursionError) as error:
        raise Unkeepable(str(error)) from None
    raise Unkeepable("unknown form")


def _exact(value: JsonValue) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    except RecursionError:
        raise Unkeepable("nested too deeply") from None
