"""Arguments made from a tool's schema alone, always the same: what it requires, or all that it describes.

Texts hold what goes wrong on the way: a space, separators of URLs and forms, percent signs, a letter beyond
ASCII. They hold no comma, because a list that is joined by commas cannot carry one (OpenAPI 3.1.2
§4.8.12.6). Arrays and inner objects hold something wherever they may, because forms and queries cannot
carry an empty one.
"""

import base64
from collections.abc import Callable
from functools import cache
from math import ceil, floor
from typing import TypeAlias, cast

import jsonschema_rs
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import HypothesisException
from hypothesis.strategies import from_regex

from toolserver.json_types import JsonObject, JsonValue, array_at, object_at
from toolserver.tool.file_argument import file_schema

TEXT = "a b&c=d/e%41+é"
FILE_KEYS = object_at(file_schema(), "properties").keys()
FORMATS = {
    "byte": base64.b64encode(b"\x00\xff bytes").decode(),
    "date": "2026-02-28",
    "date-time": "2026-02-28T12:30:00Z",
    "duration": "P1DT2H",
    "email": "ann@example.com",
    "hostname": "api.example.com",
    "ipv4": "192.0.2.7",
    "ipv6": "2001:db8::7",
    "time": "12:30:00Z",
    "uri": "https://example.com/a%20b?c=d&e=f",
    "url": "https://example.com/a%20b?c=d&e=f",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
}
_QUICK = settings(
    database=None,
    derandomize=True,
    max_examples=300,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


class NoSample(Exception):
    """No value was found that the schema accepts; the text names the place and what it asks for."""


def sample_arguments(schema: JsonObject, *, full: bool) -> JsonObject:
    """Arguments that `schema` accepts: required ones, or all of them.

    Raises:
        NoSample: a pattern nobody can meet, bounds that exclude each other.
    """
    arguments = _object(schema, full, 0)
    if problem := next(jsonschema_rs.Draft202012Validator(schema).iter_errors(arguments), None):
        raise NoSample(f"{problem.instance_path}: {problem.message}")
    return arguments


def _sample(node: JsonObject, full: bool, number: int) -> JsonValue:
    """A value of `node`; another number is another value where the schema has more than one."""
    if allowed := [value for value in array_at(node, "enum") if value is not None]:
        return allowed[(number - int(full)) % len(allowed)]
    if branches := array_at(node, "anyOf"):
        return _sample(cast(JsonObject, branches[-int(full)]), full, number)
    types = node.get("type", "string")
    return _MAKERS[str(types[0] if isinstance(types, list) else types)](node, full, number)


def _object(node: JsonObject, full: bool, number: int) -> JsonObject:
    properties = object_at(node, "properties")
    if properties.keys() == FILE_KEYS:
        return _file(full, number)
    least, most = _size(node, "minProperties", 0), _size(node, "maxProperties", 1_000)
    names = [str(name) for name in array_at(node, "required")]
    others = [name for name in properties if name not in names]
    names += others[: max(least - len(names), 0)] if not full else others
    made = {name: _sample(cast(JsonObject, properties[name]), full, number) for name in names[:most]}
    values = node.get("additionalProperties")
    schema = values if isinstance(values, dict) else {}
    wanted = max(least, len(made) + 1 if full and isinstance(values, dict) else 0)
    further = range(min(wanted, most) - len(made))
    return made | {f"key{index}": _sample(schema, full, number) for index in further}


def _inner_object(node: JsonObject, full: bool, number: int) -> JsonObject:
    return _object({**node, "minProperties": max(_size(node, "minProperties", 0), 1)}, full, number)


def _file(full: bool, number: int) -> JsonObject:
    if not full:
        return {"text": f"{TEXT}\r\n{number}"}
    content = base64.b64encode(bytes([*range(256), number])).decode()
    return {"base64": content, "filename": f"f ü {number}.bin"}


def _array(node: JsonObject, full: bool, number: int) -> list[JsonValue]:
    least, most = _size(node, "minItems", 0), _size(node, "maxItems", 1_000)
    size = min(max(least, 2 if full else 1), most)
    items = object_at(node, "items")
    made: list[JsonValue] = []
    for tried in range(number, number + size):
        item = _sample(items, full, tried)
        if item not in made or not node.get("uniqueItems"):
            made.append(item)
    return made


def _text(node: JsonObject, _full: bool, number: int) -> str:
    """The first of: a text of the format, a plain text, an example, a text made for the pattern."""
    least, most = _size(node, "minLength", 0), _size(node, "maxLength", 10_000)
    told = [value for value in (*array_at(node, "examples"), node.get("default")) if isinstance(value, str)]
    named = FORMATS.get(str(node.get("format")))
    plain = [_padded(f"{chr(ord('a') + number % 26)}{TEXT}{number}", least, most), _padded("x", least, most)]
    tried = [named] if named is not None else [*told, *plain] if "format" in node else [*plain, *told]
    fits = jsonschema_rs.Draft202012Validator({**node, "type": "string"}).is_valid
    if found := next(filter(fits, [*tried, *told]), None):
        return found
    return match_pattern(str(node["pattern"]), least, most) if "pattern" in node else _padded("", least, most)


def _padded(text: str, least: int, most: int) -> str:
    return text.ljust(least, "x")[:most]


def match_pattern(pattern: str, least: int, most: int) -> str:
    """A text of that length that the pattern finds.

    Raises:
        NoSample: none was found.
    """
    found = _found_by(pattern, least, most)
    if found is None:
        raise NoSample(f"no text of {least} to {most} characters was found for {pattern}")
    return found


@cache
def _found_by(pattern: str, least: int, most: int) -> str | None:
    try:
        return find(from_regex(pattern), lambda text: least <= len(text) <= most, settings=_QUICK)
    except (HypothesisException, ValueError):
        return None


def _integer(node: JsonObject, full: bool, number: int) -> int:
    return int(_number({**node, "multipleOf": node.get("multipleOf", 1)}, full, number))


def _number(node: JsonObject, full: bool, number: int) -> float:
    """Near the lower bound, or near the upper one for `full`."""
    step = cast(float, node.get("multipleOf", 0.5))
    lows = [node.get("minimum"), _beyond(node, "exclusiveMinimum", step)]
    highs = [node.get("maximum"), _beyond(node, "exclusiveMaximum", -step)]
    low = max((ceil(bound / step) for bound in lows if isinstance(bound, int | float)), default=None)
    high = min((floor(bound / step) for bound in highs if isinstance(bound, int | float)), default=None)
    if high is not None and (full or low is None):
        return max(high - number, low if low is not None else high - number) * step
    return min((low if low is not None else 3) + number, high if high is not None else 10**9) * step


def _beyond(node: JsonObject, name: str, step: float) -> float | None:
    bound = node.get(name)
    return bound + step if isinstance(bound, int | float) else None


def _boolean(_node: JsonObject, full: bool, _number: int) -> bool:
    return not full


def _size(node: JsonObject, name: str, otherwise: int) -> int:
    value = node.get(name)
    return int(value) if isinstance(value, int | float) else otherwise


_Maker: TypeAlias = Callable[[JsonObject, bool, int], JsonValue]
_MAKERS: dict[str, _Maker] = {
    "object": _inner_object,
    "array": _array,
    "string": _text,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
}
