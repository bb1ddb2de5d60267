"""Tools about tools: finding and running operations of catalogs too large to show, and reading on in results.

Gives their definitions, and reads what a model sends to them. Whoever runs tools has the catalog, the search
and the results. Their names are reserved (see `naming.OWN_NAMES`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple

import orjson

from toolserver.catalog import Catalog, Tool
from toolserver.errors import ArgumentError, quote
from toolserver.json_types import JsonObject, dump_json, object_at, text_at

MAX_FOUND = 50
DEFAULT_FOUND = 8
FOUND_SCHEMA_BYTES = 24_000
"""Schemas in one answer of `find_operations` together; operations beyond come without."""

_MAX_SUMMARY_CHARS = 300
_MAX_NEAR = 5


@dataclass(frozen=True, slots=True)
class MetaTool:
    """A tool of the bridge itself."""

    name: str
    description: str
    schema_json: bytes
    safe: bool
    """Whether running it changes nothing by itself."""


class FindRequest(NamedTuple):
    """What `find_operations` is asked for."""

    query: str
    server: str
    """"" for any."""
    tag: str
    limit: int


class ReadRequest(NamedTuple):
    """What `read_result` is asked for."""

    call_id: str
    offset: int
    """Characters of the text to pass over."""


def _schema(properties: JsonObject, *required: str) -> bytes:
    return dump_json({"type": "object", "properties": properties, "required": [*required]})


FIND_OPERATIONS = MetaTool(
    "find_operations",
    "Search the operations of all connected APIs by words, such as what you want to do and with what. Gives "
    "the best matches with their names, and the arguments of the first ones. Run one with run_operation.",
    _schema(
        {
            "query": {"type": "string", "description": "Words, such as: create invoice."},
            "server": {"type": "string", "description": "Only operations of the server with this id."},
            "tag": {"type": "string", "description": "Only operations with this tag."},
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_FOUND,
                "default": DEFAULT_FOUND,
                "description": f"How many to list. Default: {DEFAULT_FOUND}. Value 1\N{EN DASH}{MAX_FOUND}.",
            },
        },
        "query",
    ),
    safe=True,
)

RUN_OPERATION = MetaTool(
    "run_operation",
    "Run one operation of a connected API. Look up its name and arguments with find_operations first.",
    _schema(
        {
            "name": {"type": "string", "description": "Its name, as find_operations gives it."},
            "arguments": {
                "type": "object",
                "properties": {},
                "description": "The arguments of the operation, as its parameters describe them.",
            },
        },
        "name",
    ),
    safe=False,
)

READ_RESULT = MetaTool(
    "read_result",
    "Read on in the result of an earlier call that was cut, from where it ended.",
    _schema(
        {
            "call_id": {"type": "string", "description": "The call_id in the result that was cut."},
            "offset": {
                "type": "integer",
                "minimum": 0,
                "description": "Where to go on: next_offset of the last part. Value >= 0.",
            },
        },
        "call_id",
        "offset",
    ),
    safe=True,
)


def read_find(arguments: JsonObject) -> FindRequest:
    """The request in arguments that fit `FIND_OPERATIONS`."""
    limit = arguments.get("limit")
    limit = limit if isinstance(limit, int) else DEFAULT_FOUND
    return FindRequest(
        text_at(arguments, "query"), text_at(arguments, "server"), text_at(arguments, "tag"), limit
    )


def read_run(arguments: JsonObject, catalog: Catalog) -> tuple[Tool, JsonObject]:
    """The tool and its arguments, in arguments that fit `RUN_OPERATION`.

    Raises:
        ArgumentError: the catalog has no such tool; names that are near are in the message.
    """
    name = text_at(arguments, "name")
    tool = catalog.by_name(name)
    if tool is not None:
        return tool, object_at(arguments, "arguments")
    near = get_close_matches(name, [tool.name for tool in catalog], _MAX_NEAR)
    hint = f" Near it: {', '.join(near)}." if near else " Look for it with find_operations."
    raise ArgumentError(f"There is no operation {quote(name)}.{hint}", argument="name", pointer="/name")


def read_reading(arguments: JsonObject) -> ReadRequest:
    """The request in arguments that fit `READ_RESULT`."""
    offset = arguments.get("offset")
    return ReadRequest(text_at(arguments, "call_id"), offset if isinstance(offset, int) else 0)


def found_json(found: Sequence[Tool], schemas: Iterable[bytes], total: int) -> bytes:
    """The answer of `find_operations`: JSON with the tools, the first of them with their argument schemas.

    `schemas` belong to `found`, in order, as many as there are; `total` is how many operations matched.
    """
    left = FOUND_SCHEMA_BYTES
    entries = [_entry(tool) for tool in found]
    for entry, schema in zip(entries, schemas, strict=False):
        left -= len(schema)
        if left < 0:
            break
        entry["parameters"] = orjson.Fragment(schema)
    return orjson.dumps({"operations": entries, "matches": total})


def _entry(tool: Tool) -> dict[str, object]:
    operation = tool.operation
    first_line = operation.description.partition("\n")[0]
    entry: dict[str, object] = {
        "name": tool.name,
        "server": tool.server_id,
        "operation": operation.key,
        "summary": first_line[:_MAX_SUMMARY_CHARS],
    }
    return {**entry, "tags": operation.tags} if operation.tags else entry


def pages_of(text: str, offset: int, size: int) -> JsonObject:
    """One part of a kept text for `read_result`: `size` characters from `offset`, and where to go on."""
    part = text[offset : offset + size]
    page: JsonObject = {"text": part, "offset": offset, "total": len(text)}
    end = offset + len(part)
    return {**page, "next_offset": end} if end < len(text) else page


META_TOOLS = (FIND_OPERATIONS, RUN_OPERATION, READ_RESULT)
