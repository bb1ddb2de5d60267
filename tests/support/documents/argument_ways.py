"""Arguments made from a tool's schema alone, in six ways, always the same.

Required ones only; all of them; the edges of what is allowed; null wherever it may be; texts beyond ASCII;
and empty texts, arrays and objects wherever they may be. A caller that reads keywords could send each.
"""

from collections.abc import Collection
from math import ceil, floor
from typing import Literal, TypeAlias, get_args

import jsonschema_rs

from tests.support.documents.argument_samples import FORMATS, match_pattern
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at
from toolserver.schema.hints import MAY_BE_NULL

Way: TypeAlias = Literal["required", "all", "edges", "nulls", "unicode", "empties"]
WAYS: tuple[Way, ...] = get_args(Way)

PLAIN = "a b&c=d/e%41+é"
BEYOND = "Zoë 漢字 \U0001f600 e\N{COMBINING ACUTE ACCENT} שלום"
_LONGEST, _MOST_ITEMS, _DEEPEST = 300, 5, 12
_WHOLE = {"int32": 2**31 - 1}
_SAFE = 2**53 - 1
"""The largest whole number that every reader of JSON takes as it is (RFC 8259 §6)."""


def arguments_by(way: Way, schema: JsonObject, in_path: Collection[str] = ()) -> JsonObject:
    """Arguments that `schema` accepts. Those of the path are neither empty nor null, and hold no slash.

    Raises:
        NoSample: a pattern nobody can meet, bounds that exclude each other.
    """
    required = array_at(schema, "required")
    makers = {True: _Maker("all" if way in ("empties", "nulls") else way, slash="-"), False: _Maker(way)}
    return {
        name: makers[name in in_path].make_value(node)
        for name, node in object_at(schema, "properties").items()
        if isinstance(node, dict) and (way != "required" or name in required)
    }


class _Maker:
    """Makes values of schemas in one way."""

    def __init__(self, way: Way, slash: str = "/") -> None:
        self._way = way
        self._text = (BEYOND if way == "unicode" else PLAIN).replace("/", slash)

    def make_value(self, node: JsonObject, depth: int = 0) -> JsonValue:
        """A value of `node`, which is `depth` levels below an argument."""
        if (self._way == "nulls" and _may_be_null(node)) or node.get("enum") == [None]:
            return None
        if allowed := [value for value in array_at(node, "enum") if value is not None]:
            return allowed[-1 if self._way in ("all", "edges") else 0]
        if branches := [each for each in array_at(node, "anyOf") if isinstance(each, dict)]:
            return self.make_value(branches[self._branch(len(branches))], depth + 1)
        types = node.get("type", "string")
        name = types[0] if isinstance(types, list) and types else types
        if name == "object":
            return self._object(node, depth)
        if name == "array":
            return self._array(node, depth)
        if name in ("integer", "number"):
            return self._number(node, whole=name == "integer")
        return self._way not in ("all", "edges") if name == "boolean" else self._make_text(node)

    def _branch(self, count: int) -> int:
        return {"all": count - 1, "edges": count // 2}.get(self._way, 0)

    def _object(self, node: JsonObject, depth: int) -> JsonObject:
        properties = object_at(node, "properties")
        if {"base64", "text", "url"} <= properties.keys():
            return {"text": "" if self._way == "empties" else self._text}
        required = [str(name) for name in array_at(node, "required")]
        least = _count(node, "minProperties", 0)
        names = [name for name in properties if name in required or self._takes_all(depth)]
        names += [name for name in properties if name not in names][: max(least - len(names), 0)]
        names = names[: _count(node, "maxProperties", len(names))]
        made: JsonObject = {}
        for name in names:
            inner = properties[name]
            if isinstance(inner, dict):
                made[name] = self.make_value(inner, depth + 1)
        additional = node.get("additionalProperties")
        while len(made) < least:
            inner = additional if isinstance(additional, dict) else {}
            made[f"key{len(made)}"] = self.make_value(inner, depth + 1)
        return made

    def _takes_all(self, depth: int) -> bool:
        return self._way not in ("required", "empties") and depth < _DEEPEST

    def _array(self, node: JsonObject, depth: int) -> list[JsonValue]:
        least, most = _count(node, "minItems", 0), _count(node, "maxItems", _MOST_ITEMS)
        wanted = {"empties": least, "edges": min(most, max(least, _MOST_ITEMS))}.get(self._way, max(least, 1))
        items = object_at(node, "items")
        made: list[JsonValue] = []
        for _ in range(min(wanted, most) if depth < _DEEPEST else least):
            item = self.make_value(items, depth + 1)
            if item not in made or node.get("uniqueItems") is not True:
                made.append(item)
        return made

    def _number(self, node: JsonObject, *, whole: bool) -> JsonValue:
        step = _amount(node, "multipleOf") or (1 if whole else 0.5)
        low, high = _amount(node, "minimum"), _amount(node, "maximum")
        above, below = _amount(node, "exclusiveMinimum"), _amount(node, "exclusiveMaximum")
        lows = [bound for bound in (low, None if above is None else above + step) if bound is not None]
        highs = [bound for bound in (high, None if below is None else below - step) if bound is not None]
        least, most = max(lows, default=None), min(highs, default=None)
        if self._way == "edges":
            most = most if most is not None else _WHOLE.get(text_at(node, "format"), _SAFE)
            made = floor(most / step) * step
        elif least is not None:
            made = ceil(least / step) * step
        else:
            made = min(1, floor(most / step)) * step if most is not None else step
        return int(made) if whole else made

    def _make_text(self, node: JsonObject) -> str:
        least, most = _count(node, "minLength", 0), _count(node, "maxLength", 10_000)
        tried = [self._text, "x"]
        if self._way == "empties":
            tried = ["", *tried]
        if "format" in node:
            told = [
                value
                for value in (*array_at(node, "examples"), node.get("default"))
                if isinstance(value, str)
            ]
            tried = [FORMATS[form]] if (form := text_at(node, "format")) in FORMATS else [*told, *tried]
        if self._way == "edges":
            tried = [text.ljust(min(most, _LONGEST), "x") for text in tried if "format" not in node] + tried
        fits = jsonschema_rs.Draft202012Validator({**node, "type": "string"}).is_valid
        for text in tried:
            if fits(cut := text.ljust(least, "x")[:most]):
                return cut
        return (
            match_pattern(str(node["pattern"]), least, most) if "pattern" in node else "x".ljust(least, "x")
        )


def _may_be_null(node: JsonObject) -> bool:
    types = node.get("type")
    is_typed = isinstance(types, list) and "null" in types
    return is_typed or None in array_at(node, "enum") or text_at(node, "description").endswith(MAY_BE_NULL)


def _count(node: JsonObject, key: str, otherwise: int) -> int:
    value = node.get(key)
    return int(value) if isinstance(value, int | float) else otherwise


def _amount(node: JsonObject, key: str) -> float | None:
    value = node.get(key)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
