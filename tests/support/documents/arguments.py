"""Arguments of tools that documents in YAML or JSON text describe, word by word as an author writes them."""

from typing import NamedTuple

import orjson

from tests.support.documents.compiled import tools_of
from toolserver.json_types import JsonObject


class Argument(NamedTuple):
    """One argument of a tool, and what is said about it."""

    schema: JsonObject
    warnings: tuple[str, ...]


def argument_of(text: str, *, key: str = "GET /x", name: str = "a") -> Argument:
    """The argument `name` of the one operation of a document."""
    schema = tools_of(text).schema_of(key)
    return Argument(orjson.loads(schema.schema_json)["properties"][name], schema.warnings)


def yaml_argument(schema: str, *, place: str = "query") -> Argument:
    """A parameter with this schema in YAML's flow style."""
    path = "/x/{a}" if place == "path" else "/x"
    parameter = f"{{name: a, in: {place}, required: true, schema: {schema}}}"
    text = f"openapi: 3.0.3\npaths: {{'{path}': {{get: {{parameters: [{parameter}]}}}}}}\n"
    return argument_of(text, key=f"GET {path}")


def yaml_property(schema: str) -> Argument:
    """A property of a JSON body with this schema."""
    body = f"{{type: object, properties: {{a: {schema}}}}}"
    content = f"content: {{application/json: {{schema: {body}}}}}"
    text = f"openapi: 3.0.3\npaths: {{/x: {{post: {{requestBody: {{required: true, {content}}}}}}}}}\n"
    return argument_of(text, key="POST /x")


def json_property(schema: str) -> Argument:
    """The same in JSON; `schema` is JSON text."""
    body = f'{{"type": "object", "properties": {{"a": {schema}}}}}'
    content = f'{{"required": true, "content": {{"application/json": {{"schema": {body}}}}}}}'
    return argument_of(
        f'{{"openapi": "3.0.3", "paths": {{"/x": {{"post": {{"requestBody": {content}}}}}}}}}', key="POST /x"
    )
