"""A second judge of calls: jsonschema-rs over the schemas of the original document.

It judges values, not requests: the arguments of parameters and the value of a body, each by its own schema.
Nothing of `toolserver` is used, so that no mistake can be on both sides.
"""

from collections.abc import Iterator, Mapping
from typing import Any, cast

import jsonschema_rs

Node = dict[str, Any]


class SecondJudge:
    """One document of OpenAPI 3."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._is_3_0 = str(document["openapi"]).startswith("3.0")
        self._root = cast(Node, _as_2020(dict(document), is_3_0=self._is_3_0))

    def list_complaints(self, path: str, method: str, values: Mapping[tuple[str, str], Any]) -> Iterator[str]:
        """What is wrong with these values, by place and name; the body's place is "body"."""
        item = self._followed(self._root["paths"][path])
        operation = item[method.lower()]
        entries = [
            self._followed(each) for each in (*item.get("parameters", ()), *operation.get("parameters", ()))
        ]
        schemas = {(each["in"], each["name"]): _schema_of(each) for each in entries}
        body = self._followed(operation.get("requestBody", {}))
        for (place, name), value in values.items():
            schema = _media_of(body, name) if place == "body" else schemas.get((place, name), {})
            for problem in self._problems(schema, value):
                yield f"{place} {name}{problem}"

    def _problems(self, schema: Any, value: Any) -> Iterator[str]:
        whole = {**self._root, "allOf": [schema]}
        try:
            found = list(
                jsonschema_rs.Draft202012Validator(whole, ignore_unknown_formats=True).iter_errors(value)
            )
        except ValueError as error:
            yield f": {error}"[:200]
            return
        for problem in found[:3]:
            yield f" /{'/'.join(map(str, problem.instance_path))}: {problem.message[-150:]}"

    def _followed(self, node: Any) -> Node:
        found = cast(Node, node)
        while "$ref" in found:
            target: Any = self._root
            for step in str(found["$ref"])[2:].split("/"):
                target = target[step.replace("~1", "/").replace("~0", "~")]
            found = cast(Node, target)
        return found


def _schema_of(parameter: Node) -> Any:
    schema = parameter["schema"] if "schema" in parameter else _first_schema(parameter)
    return {"anyOf": [{"const": ""}, schema]} if parameter.get("allowEmptyValue") is True else schema


def _media_of(body: Node, content_type: str) -> Any:
    content = cast("dict[str, Node]", body.get("content", {}))
    return content[content_type].get("schema", {}) if content_type in content else _first_schema(body)


def _first_schema(holder: Node) -> Any:
    content = cast("dict[str, Node]", holder.get("content", {}))
    for media in content.values():
        return media.get("schema", {})
    return {}


def _as_2020(node: Any, *, is_3_0: bool) -> Any:
    """The document with its schemas as of 2020-12, and without what a caller does not send."""
    if isinstance(node, list):
        return [_as_2020(each, is_3_0=is_3_0) for each in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    known = cast(Node, node)
    made: Node = {key: _as_2020(value, is_3_0=is_3_0) for key, value in known.items()}
    made.pop("discriminator", None)
    if isinstance(known.get("required"), list) and isinstance(known.get("properties"), dict):
        made["required"] = [
            name for name in known["required"] if not _is_read_only(known["properties"], name)
        ]
    if is_3_0:
        if "$ref" in made and isinstance(made["$ref"], str):
            return {"$ref": made["$ref"]}
        made = _as_3_1(made)
    return made


def _is_read_only(properties: Node, name: Any) -> bool:
    """Whether only answers have the property: a caller need not send it (Schema Object, `readOnly`)."""
    schema = properties.get(name)
    return isinstance(schema, dict) and cast(Node, schema).get("readOnly") is True


def _as_3_1(made: Node) -> Node:
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(made.get(exclusive), bool):
            is_exclusive = made.pop(exclusive)
            if is_exclusive and bound in made:
                made[exclusive] = made.pop(bound)
    if made.get("nullable") is True and isinstance(made.get("type"), str):
        made["type"] = [made["type"], "null"]
    return made
