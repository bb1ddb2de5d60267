"""Writes tools as clients of the Model Context Protocol list them.

Receives tools; gives the bytes of the JSON array `tools`. Schemas are spliced in as bytes, never parsed.
Knows nothing of access rights and of the protocol's messages.
"""

from collections.abc import Callable, Iterable

import orjson

from toolserver.json_types import trim_bytes
from toolserver.schema.compact import compact_schema
from toolserver.tool.catalog import Tool
from toolserver.tool.meta_tools import MetaTool

_READS = orjson.Fragment(b'{"readOnlyHint":true,"openWorldHint":true}')
_READS_HERE = orjson.Fragment(b'{"readOnlyHint":true,"openWorldHint":false}')
_CHANGES = orjson.Fragment(b'{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":true}')
_CHANGES_ONCE = orjson.Fragment(
    b'{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":true}'
)
"""Annotations by method: GET, HEAD and OPTIONS read, PUT and DELETE may be repeated (RFC 9110, 9.2)."""


def list_mcp_tools(
    tools: Iterable[Tool], schema_of: Callable[[Tool], bytes], *, meta_tools: Iterable[MetaTool] = ()
) -> bytes:
    """The tools in order as UTF-8 JSON, each with description, argument schema and annotations.

    `schema_of` gives the argument schema of a tool. Clients read keywords: of the bridge's own tools, too,
    each fact stands once.
    """
    listed = [
        _entry(tool.name, tool.operation.description, schema_of(tool), _annotations(tool)) for tool in tools
    ]
    listed += [
        _entry(
            meta.name,
            meta.description,
            compact_schema(meta.schema_json),
            _READS_HERE if meta.safe else _CHANGES,
        )
        for meta in meta_tools
    ]
    return trim_bytes(orjson.dumps(listed))


def _annotations(tool: Tool) -> orjson.Fragment:
    operation = tool.operation
    if operation.safe:
        return _READS
    return _CHANGES_ONCE if operation.idempotent else _CHANGES


def _entry(name: str, description: str, schema: bytes, annotations: orjson.Fragment) -> dict[str, object]:
    return {
        "name": name,
        "description": description,
        "inputSchema": orjson.Fragment(schema),
        "annotations": annotations,
    }
