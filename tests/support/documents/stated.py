"""What an author states: allowed values, security schemes and server variables, and where a tool has them.

Reads the text anew, every scalar as its author wrote it, and knows nothing of how tools are made.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import yaml

from toolserver.tool.compile import CompiledOperation, DocumentTools

_NULLS = frozenset(("null", "~", "Null", "NULL", ""))
_CUT = (
    "any value is accepted there",
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


def read_stated(text: str) -> dict[str, Any]:
    """The document with the text of each scalar; null is None."""
    if text.lstrip().startswith("{"):
        return json.loads(text, parse_float=str, parse_int=str)
    return yaml.load(text, Loader=yaml.BaseLoader)


def _text_of(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) and value not in _NULLS else None


@dataclass(slots=True)
class Stated:
    """One document as its author wrote it."""

    root: dict[str, Any]

    def resolve(self, node: Any) -> Any:
        """The end of a chain of references; None for one that leads nowhere."""
        for _ in range(20):
            if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
                return node
            node = self._target(node["$ref"])
        return None

    def _target(self, ref: str) -> Any:
        if not ref.startswith("#/"):
            return None
        node: Any = self.root
        for token in ref[2:].split("/"):
            key = unquote(token).replace("~1", "/").replace("~0", "~")
            node = node.get(key) if isinstance(node, dict) else None
        return node

    def is_alone(self) -> bool:
        """Whether what stands beside a reference is ignored."""
        return str(self.root.get("openapi", "2.0")).startswith(("2", "3.0"))

    def values_below(self, schema: Any, seen: set[int]) -> Iterator[str]:
        """Every allowed value that a caller may send, wherever it stands."""
        if not isinstance(schema, dict) or id(schema) in seen:
            return
        seen.add(id(schema))
        if str(schema.get("readOnly")).lower() == "true":
            return
        if isinstance(schema.get("$ref"), str):
            yield from self.values_below(self._target(schema["$ref"]), seen)
            if self.is_alone():
                return
        listed = [schema["const"]] if "const" in schema else _list(schema, "enum")
        yield from (text for value in listed if (text := _text_of(value)) is not None)
        for inner in _schemas_in(schema):
            yield from self.values_below(inner, seen)


def _schemas_in(schema: dict[str, Any]) -> Iterator[Any]:
    for key in _HOLDERS:
        yield from schema[key].values() if isinstance(schema.get(key), dict) else ()
    for key in _LISTS:
        yield from _list(schema, key)
    for key in _SINGLE:
        yield schema.get(key)


def missing_values(stated: Stated, tools: DocumentTools, operation: CompiledOperation) -> list[str]:
    """The allowed values that are neither in the tool nor in a warning, of an operation that is whole."""
    schema = tools.schema_of(operation.key)
    told = " ".join((*schema.warnings, *operation.warnings))
    if any(cut in told for cut in _CUT):
        return []
    tool = json.loads(schema.schema_json)
    found = {_plain(value) for value in _listed_in(tool)}
    words = told + " " + operation.description + " " + schema.schema_json.decode()
    values = dict.fromkeys(_values_of_operation(stated, operation))
    return [value for value in values if not ({value, _plain(value)} & found or _is_told(value, words))]


def _is_told(value: str, words: str) -> bool:
    escaped = json.dumps(value, ensure_ascii=False)[1:-1]
    return any(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", words) for each in (value, escaped))


def _plain(value: Any) -> str:
    """A number in one form: a tool has the number 8 where its author wrote 08 of an integer."""
    text = value if isinstance(value, str) else json.dumps(value)
    try:
        number = float(int(text, 0) if text.startswith(("0x", "0o")) else text)
    except ValueError:
        return text.lower() if text.lower() in ("true", "false") else text
    return repr(number + 0.0)


def _listed_in(schema: Any) -> Iterator[Any]:
    if isinstance(schema, dict):
        listed = schema.get("enum")
        yield from listed if isinstance(listed, list) else ()
        for value in schema.values():
            yield from _listed_in(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _listed_in(value)


def _values_of_operation(stated: Stated, operation: CompiledOperation) -> Iterator[str]:
    plan = json.loads(operation.plan_json)
    item = stated.resolve(stated.root["paths"].get(operation.path))
    node = item.get(operation.method.lower()) if isinstance(item, dict) else None
    if not isinstance(node, dict):
        return
    sent = {(each["in"], each["name"].lower()) for each in plan["parameters"]}
    parameters = [stated.resolve(each) for each in (*_list(item, "parameters"), *_list(node, "parameters"))]
    by_place = {
        (each.get("in"), str(each.get("name")).lower()): each for each in parameters if isinstance(each, dict)
    }
    seen: set[int] = set()
    for place, parameter in by_place.items():
        if place in sent:
            yield from stated.values_below(parameter, seen)
    content = stated.resolve(node.get("requestBody"))
    if plan["body"] is not None and isinstance(content, dict) and isinstance(content.get("content"), dict):
        media = content["content"].get(plan["body"]["content_type"])
        yield from stated.values_below(stated.resolve(media), seen)


def _list(holder: dict[str, Any], key: str) -> list[Any]:
    found = holder.get(key)
    return found if isinstance(found, list) else []


def missing_schemes(stated: Stated, tools: DocumentTools, operation: CompiledOperation) -> list[str]:
    """The schemes of its security that are neither in the plan nor in a warning."""
    node = _node_of(stated, operation)
    entries = node["security"] if "security" in node else stated.root.get("security")
    plan = json.loads(operation.plan_json)
    planned = {each["scheme"] for together in plan["security"] for each in together}
    told = " ".join((*operation.warnings, *tools.compiled.warnings))
    certificates = {each.scheme for each in tools.compiled.security_schemes if each.type == "mutualTLS"}
    named = dict.fromkeys(
        name for entry in entries or () if isinstance(entry, dict) for name in entry if isinstance(name, str)
    )
    return [name for name in named if name not in planned | certificates and repr(name) not in told]


def missing_variables(stated: Stated, tools: DocumentTools, operation: CompiledOperation) -> list[str]:
    """The servers with variables of which the plan has no address, and of which nothing is said."""
    base_url = json.loads(operation.plan_json)["base_url"]
    node, item = _node_of(stated, operation), stated.resolve(stated.root["paths"][operation.path])
    servers = _list(node, "servers") or _list(item, "servers") or _list(stated.root, "servers")
    urls = [str(each.get("url")).strip() for each in servers if isinstance(each, dict)]
    told = " ".join((*operation.warnings, *tools.compiled.warnings))
    if base_url and any(_is_of(base_url, url) for url in urls):
        return []
    names = (name for url in urls for name in re.findall(r"\{([^{}]*)\}", url))
    return [name for name in names if repr(name) not in told and f"{{{name}}}" not in told]


def _is_of(base_url: str, template: str) -> bool:
    """Whether an address is that of a server, with something for each of its variables."""
    pattern = ".+".join(re.escape(part) for part in re.split(r"\{[^{}]*\}", template.rstrip("/")))
    return re.search(rf"(?:^|\w){pattern}$", base_url, re.IGNORECASE) is not None


def _node_of(stated: Stated, operation: CompiledOperation) -> dict[str, Any]:
    item = stated.resolve(stated.root["paths"].get(operation.path))
    node = item.get(operation.method.lower()) if isinstance(item, dict) else None
    return node if isinstance(node, dict) else {}
