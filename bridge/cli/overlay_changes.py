"""What overlays change of the tools of a document, as lines for the one who wrote them.

Receives the tools before and after; gives sentences per operation. Knows nothing of overlays: two documents
are compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from toolserver.operation.withheld import fixed_values
from toolserver.tool.compile import CompiledDocument, CompiledOperation, DocumentTools
from toolserver.tool.definition import ToolSchema

_SHOWN_CHARS = 100


def list_changes(
    before: DocumentTools, after: CompiledDocument, schemas: Mapping[str, ToolSchema]
) -> dict[str, list[str]]:
    """Return what has changed, by operation: those of the edited document first, then those that are gone.

    `schemas`: of the edited document, by key.
    """
    old = {operation.key: operation for operation in before.compiled.operations}
    new = {operation.key: operation for operation in after.operations}
    found: dict[str, list[str]] = {}
    for key, operation in new.items():
        if key not in old:
            found[key] = ["it is new"]
        elif lines := [
            *_tool_lines(old[key], operation),
            *_argument_lines(old[key], operation, before.schema_of(key), schemas[key]),
        ]:
            found[key] = lines
    return found | {key: ["it is no longer a tool"] for key in old if key not in new}


def _tool_lines(old: CompiledOperation, new: CompiledOperation) -> Iterator[str]:
    if new.suggested_name != old.suggested_name:
        yield f"name: {new.suggested_name}, was {old.suggested_name}"
    if new.description != old.description:
        yield f"description: {_json(new.description)}, was {_json(old.description)}"
    if new.always_asks != old.always_asks:
        yield "each call asks" if new.always_asks else "it may be allowed for good"
    if new.result_select != old.result_select:
        yield f"answers are queried by {_short(new.result_select)}"
    if new.examples != old.examples:
        yield f"examples of calls: {len(new.examples)}"


def _argument_lines(
    was_tool: CompiledOperation, tool: CompiledOperation, before: ToolSchema, after: ToolSchema
) -> Iterator[str]:
    old = orjson.loads(before.schema_json)
    new = orjson.loads(after.schema_json)
    plan = orjson.loads(tool.plan_json)
    names_now = _arguments_of(plan)
    names_before = _arguments_of(orjson.loads(was_tool.plan_json))
    renamed = {names_now[place]: name for place, name in names_before.items() if place in names_now}
    for name in old["properties"]:
        if name not in {*new["properties"], *renamed.values()}:
            yield f"argument {name}: gone"
    for name, schema in new["properties"].items():
        was = renamed.get(name, name)
        if was != name:
            yield f"argument {name}: was {was}"
        if was not in old["properties"]:
            yield f"argument {name}: new"
        elif (schema, name in new["required"]) != (old["properties"][was], was in old["required"]):
            need = "required" if name in new["required"] else "optional"
            yield f"argument {name}: {need}, {_json(schema)}"
    for place, name, value in fixed_values(tool.plan_json):
        yield f"always sent in the {place}: {name} = {_json(value)}"


def _arguments_of(plan: dict[str, Any]) -> dict[tuple[str, str], str]:
    """The arguments of a plan, by where each is sent and its name there."""
    body: dict[str, Any] = plan["body"] or {}
    of_body: list[dict[str, Any]] = body.get("properties", [])
    entries = [(entry["in"], entry) for entry in plan["parameters"]] + [("body", entry) for entry in of_body]
    return {(place, entry["name"]): entry["argument"] for place, entry in entries if "argument" in entry}


def _json(value: object) -> str:
    return _short(json.dumps(value, ensure_ascii=False))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_CHARS else f"{line[: _SHOWN_CHARS - 1]}…"
