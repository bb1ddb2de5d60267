"""What an author states: allowed values, security schemes and server variables, and where a tool has them.

Reads the text anew, every scalar as its author wrote it, and knows nothing of how tools are made.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast
from urllib.parse import unquote

import orjson
import yaml

from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at
from toolserver.tool.compile import CompiledOperation, DocumentTools

_NULLS = frozenset(("null", "~", "Null", "NULL", ""))
_CUT = (
    "any value is accepted there",
    "only the keys that it needs are told",
    "more of this kind",
    "are left out (size)",
    "are shortened (size)",
    "leads nowhere",
    "leads to another file",
    "contradict",
    "no value in common",
    "sets of alternatives",
    "schemas extend it",
)
"""What is said where not all of a schema is in a tool, and why."""

_HOLDERS = ("properties", "patternProperties")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "propertyNames", "schema")


def read_stated(text: str) -> JsonObject:
    """The document with the text of each scalar; null is None."""
    if text.lstrip().startswith("{"):
        return cast(JsonObject, json.loads(text, parse_float=str, parse_int=str))
    return cast(JsonObject, yaml.load(text, Loader=yaml.CBaseLoader))


def text_of_value(value: JsonValue) -> str | None:
    """A scalar as its author wrote it; None for null and for what is no scalar."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) and value not in _NULLS else None


def is_nothing(value: JsonValue) -> bool:
    """Whether it is null, in JSON or in YAML."""
    return value is None or (isinstance(value, str) and value in _NULLS)


def is_true(value: JsonValue) -> bool:
    """Whether it is the boolean, in JSON or in YAML."""
    return text_of_value(value) in ("true", "True", "TRUE")


@dataclass(slots=True)
class Stated:
    """One document as its author wrote it."""

    root: JsonObject

    def resolve(self, node: JsonValue) -> JsonValue:
        """The end of a chain of references; None for one that leads nowhere."""
        for _ in range(20):
            ref = text_at(node, "$ref") if isinstance(node, dict) else ""
            if not ref:
                return node
            node = self._target(ref)
        return None

    def _target(self, ref: str) -> JsonValue:
        if not ref.startswith("#/"):
            return None
        node: JsonValue = self.root
        for token in ref[2:].split("/"):
            key = unquote(token).replace("~1", "/").replace("~0", "~")
            node = node.get(key) if isinstance(node, dict) else None
        return node

    def is_alone(self) -> bool:
        """Whether what stands beside a reference is ignored."""
        return str(self.root.get("openapi", "2.0")).startswith(("2", "3.0"))

    def knows_nullable(self) -> bool:
        """Whether `nullable` is a keyword: in OpenAPI 3.0 only."""
        return str(self.root.get("openapi")).startswith("3.0")

    def is_swagger(self) -> bool:
        """Whether it is of version 2.0."""
        return "swagger" in self.root

    def property_names(self, schema: JsonValue, depth: int = 10) -> set[str]:
        """Of an object, also those that parts of it bring along."""
        node = self.resolve(schema)
        if not isinstance(node, dict) or not depth:
            return set()
        parts = [part for key in ("allOf", "anyOf", "oneOf") for part in array_at(node, key)]
        return {*object_at(node, "properties")}.union(
            *(self.property_names(part, depth - 1) for part in parts)
        )

    def values_below(self, schema: JsonValue, seen: set[int]) -> Iterator[str]:
        """Every allowed value that a caller may send, wherever it stands."""
        if not isinstance(schema, dict) or id(schema) in seen:
            return
        seen.add(id(schema))
        if str(schema.get("readOnly")).lower() == "true":
            return
        if ref := text_at(schema, "$ref"):
            yield from self.values_below(self._target(ref), seen)
            if self.is_alone():
                return
        listed = [schema["const"]] if "const" in schema else array_at(schema, "enum")
        yield from (text for value in listed if (text := text_of_value(value)) is not None)
        for inner in _schemas_in(schema):
            yield from self.values_below(inner, seen)


def _schemas_in(schema: JsonObject) -> Iterator[JsonValue]:
    for key in _HOLDERS:
        yield from object_at(schema, key).values()
    for key in _LISTS:
        yield from array_at(schema, key)
    for key in _SINGLE:
        yield schema.get(key)


def missing_values(stated: Stated, tools: DocumentTools, operation: CompiledOperation) -> list[str]:
    """The allowed values that are neither in the tool nor in a warning, of an operation that is whole."""
    schema = tools.schema_of(operation.key)
    told = " ".join((*schema.warnings, *operation.warnings))
    if any(cut in told for cut in _CUT):
        return []
    found = {plain_number(value) for value in _listed_in(orjson.loads(schema.schema_json))}
    words = told + " " + operation.description + " " + schema.schema_json.decode()
    values = dict.fromkeys(_values_of_operation(stated, operation))
    return [value for value in values if not ({value, plain_number(value)} & found or _is_told(value, words))]


def _is_told(value: str, words: str) -> bool:
    escaped = json.dumps(value, ensure_ascii=False)[1:-1]
    return any(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", words) for each in (value, escaped))


def plain_number(value: JsonValue) -> str:
    """A number in one form: a tool has the number 8 where its author wrote 08 of an integer."""
    text = value if isinstance(value, str) else json.dumps(value)
    try:
        number = float(int(text, 0) if text.startswith(("0x", "0o")) else text)
    except ValueError:
        return text.lower() if text.lower() in ("true", "false") else text
    return repr(number + 0.0)


def _listed_in(schema: JsonValue) -> Iterator[JsonValue]:
    if isinstance(schema, dict):
        yield from array_at(schema, "enum")
        for value in schema.values():
            yield from _listed_in(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _listed_in(value)


def _values_of_operation(stated: Stated, operation: CompiledOperation) -> Iterator[str]:
    plan, (item, node) = orjson.loads(operation.plan_json), nodes_of(stated, operation)
    sent = {(each["in"], each["name"].lower()) for each in plan["parameters"]}
    parameters = [
        stated.resolve(each) for each in (*array_at(item, "parameters"), *array_at(node, "parameters"))
    ]
    by_place = {
        (text_at(each, "in"), text_at(each, "name").lower()): each
        for each in parameters
        if isinstance(each, dict)
    }
    seen: set[int] = set()
    for place, parameter in by_place.items():
        if place in sent:
            yield from stated.values_below(parameter, seen)
    body = stated.resolve(node.get("requestBody"))
    if plan["body"] is not None and isinstance(body, dict):
        media = object_at(body, "content").get(plan["body"]["content_type"])
        yield from stated.values_below(stated.resolve(media), seen)


def missing_schemes(stated: Stated, tools: DocumentTools, operation: CompiledOperation) -> list[str]:
    """The schemes of its security that are neither in the plan nor in a warning."""
    node = nodes_of(stated, operation)[1]
    entries = array_at(node if "security" in node else stated.root, "security")
    plan = orjson.loads(operation.plan_json)
    planned = {each["scheme"] for together in plan["security"] for each in together}
    told = " ".join((*operation.warnings, *tools.compiled.warnings))
    certificates = {each.scheme for each in tools.compiled.security_schemes if each.type == "mutualTLS"}
    named = dict.fromkeys(name for entry in entries if isinstance(entry, dict) for name in entry)
    return [name for name in named if name not in planned | certificates and repr(name) not in told]


def missing_variables(stated: Stated, tools: DocumentTools, operation: CompiledOperation) -> list[str]:
    """The variables of servers of which the plan has no address, and of which nothing is said."""
    base_url = orjson.loads(operation.plan_json)["base_url"]
    item, node = nodes_of(stated, operation)
    servers = array_at(node, "servers") or array_at(item, "servers") or array_at(stated.root, "servers")
    urls = [text_at(each, "url").strip() for each in servers if isinstance(each, dict)]
    told = " ".join((*operation.warnings, *tools.compiled.warnings))
    if base_url and any(is_address_of(base_url, url) for url in urls):
        return []
    names = [name for url in urls for name in re.findall(r"\{([^{}]*)\}", url)]
    return [name for name in names if repr(name) not in told and f"{{{name}}}" not in told]


def is_address_of(base_url: str, template: str) -> bool:
    """Whether an address is that of a server, with something for each of its variables."""
    without_port = re.sub(r":(?:443|80|\{[^{}]*\})(?=/|$)", "", template)
    patterns = [
        ".+".join(re.escape(part) for part in re.split(r"\{[^{}]*\}", each.rstrip("/")))
        for each in (template, without_port)
    ]
    return any(re.search(rf"(?:^|[\w:]){each}$", base_url, re.IGNORECASE) for each in patterns)


def nodes_of(stated: Stated, operation: CompiledOperation) -> tuple[JsonObject, JsonObject]:
    """Its path item and itself."""
    item = stated.resolve(object_at(stated.root, "paths").get(operation.path))
    item = item if isinstance(item, dict) else {}
    return item, object_at(item, operation.method.lower())
