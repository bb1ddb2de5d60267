"""Judges schemas as a provider would: by the rules in `tests/vectors/dialects`, and by what they tell."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias, cast

from toolserver.schema.hints import WIDTH_FORMATS, clean_text, value_text

Node: TypeAlias = dict[str, Any]
"""A schema, or one in it."""

RULES = Path(__file__).parents[2] / "vectors" / "dialects"

BOUNDS = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
)


def read_rules(dialect: str) -> dict[str, Any]:
    return tomllib.loads((RULES / f"{dialect}.toml").read_text())


def find_refusals(node: Node, rules: dict[str, Any], path: str = "") -> Iterator[str]:
    """What the provider would refuse, each by its place."""
    yield from (f"{path}/{key}: unknown" for key in node if key not in rules["keywords"])
    if "type" in node and node["type"] not in rules["types"]:
        yield f"{path}/type: {node['type']}"
    alone = {"anyOf", *rules["beside_any_of"]}
    yield from (f"{path}/{key}: beside anyOf" for key in node if "anyOf" in node and key not in alone)
    for value in node.get("enum", ()):
        if not isinstance(value, str) or not value:
            yield f"{path}/enum: {value!r}"
    if "format" in node and node["format"] not in rules["formats"].get(node.get("type"), ()):
        yield f"{path}/format: {node['format']}"
    for name, each in node.get("properties", {}).items():
        yield from find_refusals(each, rules, f"{path}/{name}")
    if "items" in node:
        yield from find_refusals(node["items"], rules, f"{path}/items")
    for number, each in enumerate(node.get("anyOf", ())):
        yield from find_refusals(each, rules, f"{path}/anyOf/{number}")


def find_tool_refusals(tool: Node, rules: dict[str, Any]) -> Iterator[str]:
    """What the provider would refuse of a function in the Responses form."""
    told, schema = rules["tool"], tool["parameters"]
    if not re.fullmatch(told["name"], tool["name"]):
        yield f"name: {tool['name']}"
    if len(tool["description"]) > told.get("description_chars", len(tool["description"])):
        yield f"description: {len(tool['description'])} characters"
    if "keywords" in rules:
        yield from find_refusals(schema, rules)
        return
    if tool.get("strict") and "strict" not in rules:
        yield "strict"
    if schema.get("type") != "object":
        yield f"root: {schema.get('type')}"
    yield from (f"root: {key}" for key in rules["schema"]["refused_at_root"] if key in schema)
    argument = rules["schema"].get("argument", ".*")
    yield from (
        f"argument: {name}" for name in schema.get("properties", {}) if not re.fullmatch(argument, name)
    )
    for path, node in _nodes_in(schema):
        if rules["schema"].get("arrays_need_items") and node.get("type") == "array" and "items" not in node:
            yield f"{path}: an array without items"
        if tool.get("strict") and "strict" in rules:
            yield from _strict_refusals(path, node, rules["strict"]["keywords"])


def _strict_refusals(path: str, node: Node, keywords: list[str]) -> Iterator[str]:
    yield from (f"{path}/{key}: not in a strict tool" for key in node if key not in keywords)
    if "properties" not in node:
        return
    if node.get("additionalProperties") is not False or set(node.get("required", ())) != set(
        node["properties"]
    ):
        yield f"{path}: an open object in a strict tool"


def _nodes_in(node: Node, path: str = "") -> Iterator[tuple[str, Node]]:
    """The schema and all in it, each with its place."""
    yield path, node
    below = [(f"{path}/{name}", each) for name, each in node.get("properties", {}).items()]
    below += [(f"{path}/{number}", each) for number, each in enumerate(node.get("anyOf", ()))]
    below += [(f"{path}/items", node["items"])] if isinstance(node.get("items"), dict) else []
    for place, each in below:
        yield from _nodes_in(each, place)


def find_lost_facts(before: Node, after: Node, path: str = "") -> Iterator[str]:
    """What a model read before the schema was fitted, and no longer reads at its place.

    Forms beside each other are looked at together: what one of them said may stand in any.
    """
    text = json.dumps(after, ensure_ascii=False)
    for fact in _facts_of(before):
        if fact == "nullable" and '"null"' in text:
            continue
        if fact not in text and json.dumps(fact, ensure_ascii=False)[1:-1] not in text:
            yield f"{path}: {fact}"
    if after.get("anyOf") or "allOf" in before:
        return
    for name, each in before.get("properties", {}).items():
        if name not in after.get("properties", {}):
            yield f"{path}: property {name}"
        yield from find_lost_facts(each, after.get("properties", {}).get(name, {}), f"{path}/{name}")
    lost = set(before.get("required", ())) - set(after.get("required", ()))
    yield from (f"{path}: required {name}" for name in sorted(lost))
    if "items" in before:
        yield from find_lost_facts(before["items"], after.get("items", {}), f"{path}/items")


def _facts_of(node: Node) -> Iterator[str]:
    said = node.get("type")
    types = cast("list[Any]", said) if isinstance(said, list) else [said]
    yield from (name for name in types if isinstance(name, str) and name != "null")
    if "null" in types:
        yield "nullable"
    yield from (value_text(value) for value in node.get("enum", ())[:20] if value not in (None, ""))
    yield from (str(node[key]) for key in BOUNDS if key in node)
    if isinstance(node.get("format"), str) and node["format"] not in WIDTH_FORMATS:
        yield clean_text(node["format"])
    if node.get("description"):
        yield node["description"]
