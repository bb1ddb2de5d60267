"""Writes the OpenAPI document that advertises tools to a caller.

Receives tools; gives the bytes of an OpenAPI 3.1 document in which every tool is one `POST` with a JSON body
and nothing else: no parameters, no references, no components. That form keeps its meaning through both
converters of Open WebUI 0.12.4. Schemas are spliced in as bytes, never parsed. Knows nothing of access
rights.
"""

from collections.abc import Callable, Iterable

import orjson

from toolserver.json_types import trim_bytes
from toolserver.tool.catalog import Tool
from toolserver.tool.meta_tools import MetaTool

_NOTHING_REQUIRED = b',"required":[]}'
"""End of a definition's schema when no argument is required: `required` is its last key (see
`definition`)."""

_RESPONSES = orjson.Fragment(b'{"200":{"description":"ok"}}')
"""Kept short, because Open WebUI sends the whole document along with every chat request."""


def advertise_tools(
    tools: Iterable[Tool],
    schema_of: Callable[[Tool], bytes],
    *,
    meta_tools: Iterable[MetaTool] = (),
    title: str,
    description: str,
    version: str,
) -> bytes:
    """The document as UTF-8 JSON; tools in order, each at `/tools/{name}` with its name as operationId.

    `schema_of` gives the argument schema of a tool as `argument_schemas` writes it. `title` is shown in Open
    WebUI's menu, which would list nothing without it.
    """
    written = orjson.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": title or "Tools", "description": description, "version": version or "1"},
            "paths": {
                f"/tools/{name}": {"post": _operation(name, description, schema)}
                for name, description, schema in (
                    *((tool.name, tool.operation.description, schema_of(tool)) for tool in tools),
                    *((meta.name, meta.description, meta.schema_json) for meta in meta_tools),
                )
            },
        }
    )
    return trim_bytes(written)


def _operation(name: str, description: str, schema: bytes) -> dict[str, object]:
    return {
        "operationId": name,
        "description": description,
        "requestBody": {
            "required": not schema.endswith(_NOTHING_REQUIRED),
            "content": {"application/json": {"schema": orjson.Fragment(schema)}},
        },
        "responses": _RESPONSES,
    }
