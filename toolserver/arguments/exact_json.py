"""JSON texts from models and clients, read without losing anything: integers of any size stay exact."""

import json
import re
from math import isfinite
from typing import cast

import orjson

from toolserver.json_types import (
    MAX_NESTING,
    JsonValue,
    NestedTooDeeply,
    load_json,
    may_nest_deeply,
    nests_deeply,
)

_MAX_QUOTED_CHARS = 80


def read_json(text: str) -> JsonValue:
    """The value in `text`. Of duplicate keys the last one counts.

    Raises:
        ValueError: not JSON (NaN, Infinity and lone surrogates are not), or `NestedTooDeeply`.
    """
    if _LONG_NUMBER.search(text) is None:
        try:
            value = cast(JsonValue, orjson.loads(text))
        except orjson.JSONDecodeError:
            pass  # what is wrong with it is told below
        else:
            if len(text) > 2 * MAX_NESTING and may_nest_deeply(text) and nests_deeply(value):
                raise NestedTooDeeply
            return value
    value = load_json(text, _DECODER.decode)
    if "\\u" in text:
        try:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError("a string holds half of a surrogate pair") from None
    return value


def is_object_text(text: str) -> bool:
    """Whether a text is the JSON of an object."""
    if not text.lstrip().startswith("{"):
        return False
    try:
        return isinstance(read_json(text), dict)
    except ValueError:
        return False


def unquoted_text(text: str) -> str:
    """The JSON of an object that was encoded once too often, so that it is a string; else `text` itself."""
    if not text.lstrip().startswith('"'):
        return text
    try:
        inner = read_json(text)
    except ValueError:
        return text
    return inner if isinstance(inner, str) and is_object_text(inner) else text


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not a JSON value")


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError(f"{digits[:_MAX_QUOTED_CHARS]} is too large a number")
    return number


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
"""Made once: `json.loads` makes one for every text."""

_LONG_NUMBER = re.compile(r"\d{19}", re.ASCII)
"""What orjson, which takes a fifth of the time, may read as a number that is not exact."""
