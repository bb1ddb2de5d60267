"""Open WebUI 0.12.4's two readers of OpenAPI documents, rebuilt from what was observed of them.

The backend reader serves tool servers an administrator adds; the browser reader serves those a user adds.
Both turn operations into tools, each with its own losses. These stand-ins keep every loss that was
observed, so that a document that passes unharmed here passes there. They are written from a description of
behavior, not from code.
"""

import copy
from dataclasses import dataclass
from typing import cast

from toolserver.json_types import JsonObject, JsonValue

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
NO_DESCRIPTION = "No description available."
KEPT_BY_BROWSER = ("type", "description", "properties", "required", "items", "anyOf")
_MAX_BACKEND_DEPTH = 200


@dataclass(frozen=True)
class ReadTool:
    """What a reader makes of one operation."""

    name: str
    description: JsonValue
    parameters: JsonObject


def read_as_backend(document: JsonObject) -> list[ReadTool]:
    """The backend's tools; raises, as it does, for boolean schemas and for `required: null`."""
    tools: list[ReadTool] = []
    for operation in _operations(document):
        parameters: JsonObject = {"type": "object", "properties": {}, "required": []}
        _add_parameters(operation, parameters)
        schema = _resolve_for_backend(_body_schema(operation), document, ())
        if isinstance(schema, dict) and "properties" in schema:
            _object(parameters, "properties").update(_object(schema, "properties"))
            cast("list[JsonValue]", parameters["required"]).extend(
                cast("list[JsonValue]", schema.get("required", []))
            )
        elif isinstance(schema, dict) and schema.get("type") == "array":
            parameters = schema
        description = operation.get("description", operation.get("summary", NO_DESCRIPTION))
        _clean_root(parameters)
        tools.append(ReadTool(cast(str, operation["operationId"]), description, parameters))
    return tools


def read_as_browser(document: JsonObject) -> list[ReadTool]:
    """The browser's tools; raises `RecursionError` for a schema that contains itself."""
    tools: list[ReadTool] = []
    for operation in _operations(document):
        parameters: JsonObject = {"type": "object", "properties": {}, "required": []}
        _add_parameters(operation, parameters)
        schema = _resolve_for_browser(_body_schema(operation), document, set())
        if "properties" in schema:
            _object(parameters, "properties").update(_object(schema, "properties"))
            required = schema.get("required")
            if isinstance(required, list):
                cast("list[JsonValue]", parameters["required"]).extend(required)
        elif schema.get("type") == "array":
            parameters = schema
        description = operation.get("description") or operation.get("summary") or NO_DESCRIPTION
        tools.append(ReadTool(cast(str, operation["operationId"]), description, parameters))
    return tools


def seen_by_browser(schema: JsonValue) -> JsonValue:
    """A schema projected to the keywords the browser's reader keeps: the most that can arrive."""
    if isinstance(schema, list):
        return [seen_by_browser(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept: JsonObject = {}
    for key in KEPT_BY_BROWSER:
        if key not in schema:
            continue
        value = schema[key]
        if key == "properties":
            kept[key] = {name: seen_by_browser(item) for name, item in _object(schema, key).items()}
        else:
            kept[key] = seen_by_browser(value) if key in {"items", "anyOf"} else value
    return kept


def _object(holder: JsonObject, key: str) -> JsonObject:
    return cast(JsonObject, holder[key])


def _operations(document: JsonObject) -> list[JsonObject]:
    found: list[JsonObject] = []
    for item in _object(document, "paths").values():
        for method, operation in cast(JsonObject, item).items():
            if method in METHODS and isinstance(operation, dict) and operation.get("operationId"):
                found.append(operation)
    return found


def _add_parameters(operation: JsonObject, parameters: JsonObject) -> None:
    """Parameters keep their type and description only; ours have none."""
    for entry in cast("list[JsonObject]", operation.get("parameters", [])):
        name = entry.get("name")
        if not isinstance(name, str):
            continue
        schema = cast(JsonObject, entry.get("schema", {}))
        _object(parameters, "properties")[name] = {
            "type": schema.get("type", "string"),
            "description": entry.get("description", ""),
        }
        if entry.get("required"):
            cast("list[JsonValue]", parameters["required"]).append(name)


def _body_schema(operation: JsonObject) -> JsonValue:
    """Nothing but the exact media type is looked at."""
    body = cast(JsonObject, operation.get("requestBody", {}))
    content = cast(JsonObject, body.get("content", {}))
    return cast(JsonObject, content.get("application/json", {})).get("schema", {})


def _target(ref: str, document: JsonObject) -> JsonValue:
    node: JsonValue = document
    for token in ref.removeprefix("#/").split("/"):
        node = cast(JsonObject, node).get(token, {})
    return node


def _resolve_for_backend(schema: JsonValue, document: JsonObject, seen: tuple[str, ...]) -> JsonValue:
    """A copy with references followed along each path; a circle ends as `{}`, and siblings are lost."""
    if isinstance(schema, list):
        return [_resolve_for_backend(item, document, seen) for item in schema]
    if not isinstance(schema, dict):
        return schema
    ref = schema.get("$ref")
    if isinstance(ref, str):
        return {} if ref in seen else _resolve_for_backend(_target(ref, document), document, (*seen, ref))
    return {
        key: _resolve_for_backend(value, document, seen)
        if key in {"items", "anyOf", "oneOf", "allOf"}
        else {name: _resolve_for_backend(item, document, seen) for name, item in value.items()}
        if key == "properties" and isinstance(value, dict)
        else copy.deepcopy(value)
        for key, value in schema.items()
    }


def _clean_root(parameters: JsonObject) -> None:
    for schema in cast(JsonObject, parameters.get("properties", {})).values():
        _clean(schema, 1)
    if "items" in parameters:
        _clean(parameters["items"], 1)


def _clean(schema: JsonValue, depth: int) -> None:
    """Gives every node a type; goes into `properties` and `items`, never into branches and map values."""
    if depth > _MAX_BACKEND_DEPTH:
        raise RecursionError("The backend's reader overflows its stack.")
    if not isinstance(schema, dict):
        raise TypeError("The backend's reader fails for schemas that are not objects.")
    _drop_null_branches(schema)
    if "type" not in schema and "anyOf" not in schema and "properties" not in schema:
        schema["type"] = "string"
    for inner in cast(JsonObject, schema.get("properties", {})).values():
        _clean(inner, depth + 1)
    if "items" in schema:
        if isinstance(schema["items"], bool):
            schema["items"] = {"type": "string"}
        _clean(schema["items"], depth + 1)


def _drop_null_branches(schema: JsonObject) -> None:
    branches = schema.get("anyOf")
    if not isinstance(branches, list):
        return
    kept = [branch for branch in branches if not (isinstance(branch, dict) and branch.get("type") == "null")]
    if len(kept) == len(branches):
        return
    if len(kept) == 1 and isinstance(kept[0], dict):
        del schema["anyOf"]
        schema.update(kept[0])
    else:
        schema["anyOf"] = kept


def _resolve_for_browser(schema: JsonValue, document: JsonObject, seen: set[str]) -> JsonObject:
    """What a node is rebuilt from: its single type, else its branches, else nothing."""
    if not isinstance(schema, dict):
        return {}
    ref = schema.get("$ref")
    if isinstance(ref, str):
        if ref in seen:
            return {}
        seen.add(ref)
        return _resolve_for_browser(_target(ref, document), document, seen)
    if "type" not in schema:
        return _branches_for_browser(schema, document, seen)
    kept: JsonObject = {key: schema[key] for key in ("type", "description") if key in schema}
    if schema["type"] == "object":
        kept |= _members_for_browser(schema, document)
    elif schema["type"] == "array":
        kept["items"] = _resolve_for_browser(schema.get("items"), document, seen)
    return kept


def _members_for_browser(schema: JsonObject, document: JsonObject) -> JsonObject:
    """Properties start with a fresh memory of references, which is why circles never end."""
    kept: JsonObject = {}
    properties = schema.get("properties")
    if isinstance(properties, dict):
        kept["properties"] = {
            name: _resolve_for_browser(item, document, set()) for name, item in properties.items()
        }
    if isinstance(schema.get("required"), list):
        kept["required"] = schema["required"]
    return kept


def _branches_for_browser(schema: JsonObject, document: JsonObject, seen: set[str]) -> JsonObject:
    """Siblings share one memory of references: the second of two equal ones is lost."""
    kept: JsonObject = {}
    for key in ("anyOf", "oneOf", "allOf"):
        branches = schema.get(key)
        if isinstance(branches, list):
            kept[key] = [_resolve_for_browser(branch, document, seen) for branch in branches]
    if kept and "description" in schema:
        kept["description"] = schema["description"]
    return kept
