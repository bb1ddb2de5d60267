"""Tools about tools: they find and run operations of catalogs too large to show, and read on in results.

Gives their definitions, reads what a model sends to them and writes what they find. The catalog, the search
and the results belong to the caller. Their names are reserved (see `naming.OWN_NAMES`).
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple

import orjson

from toolserver.arguments.arguments import ArgumentValidator, parse_arguments
from toolserver.errors import ArgumentError, quote_text
from toolserver.json_types import JsonObject, dump_json, text_at
from toolserver.openapi.json_text import members_of
from toolserver.schema.hints import clean_text
from toolserver.tool.catalog import Tool

MAX_RESULTS = 50
DEFAULT_RESULTS = 8
MAX_RESULT_SCHEMAS = 8
"""Maximum number of operations in one answer of `find_operations` that come with their schemas."""

RESULT_SCHEMA_BYTES = 24_000
"""Maximum bytes of all schemas in one answer of `find_operations`; the best match always has its own."""

_MAX_SUMMARY_CHARS = 300
_MAX_ANSWER_CHARS = 300
"""Maximum characters of the shape of an answer, of which half have less than a quarter."""

_MAX_NEAR = 5
_MAX_NEAR_CHARS = 128
"""Maximum length of a name for which similar names are looked up: names are at most half as long."""


@dataclass(frozen=True, slots=True)
class MetaTool:
    """A tool of the bridge itself."""

    name: str
    description: str
    schema_json: bytes
    safe: bool
    """Whether running it changes nothing by itself."""


class FindRequest(NamedTuple):
    """The arguments of a `find_operations` call."""

    query: str
    server: str
    """"" for any."""
    tag: str
    limit: int


class RunRequest(NamedTuple):
    """The arguments of a `run_operation` call."""

    name: str
    arguments_text: str
    """As the model wrote it, so that integers keep all their digits. Not validated yet."""


class ReadRequest(NamedTuple):
    """The arguments of a `read_result` call."""

    call_id: str
    offset: int
    """Number of characters of the text to skip."""
    select: str
    """A query of the answer; "" for its text."""


def _schema(properties: JsonObject, *required: str) -> bytes:
    return dump_json({"type": "object", "properties": properties, "required": [*required]})


FIND_OPERATIONS = MetaTool(
    "find_operations",
    "Search the operations of all connected APIs by words, such as what you want to do and with what. Gives "
    "the best matches with their names, and the parameters of the first ones; to see those of another one, "
    "search its name. Run one with run_operation.",
    _schema(
        {
            "query": {"type": "string", "description": "Words, such as: create invoice."},
            "server": {"type": "string", "description": "Only operations of the server with this id."},
            "tag": {"type": "string", "description": "Only operations with this tag."},
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_RESULTS,
                "default": DEFAULT_RESULTS,
                "description": f"How many to list: 1 to {MAX_RESULTS}. Default: {DEFAULT_RESULTS}.",
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
            "name": {"type": "string", "description": "Its name, as find_operations returns it."},
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
    "Read the result of an earlier call that was too long: what select chooses of it, or its text from an "
    "offset.",
    _schema(
        {
            "call_id": {"type": "string", "description": "The call_id in the result."},
            "select": {
                "type": "string",
                "description": "What to choose of JSON, as JMESPath: orders[?total > `10`].{id: id}.",
            },
            "offset": {
                "type": "integer",
                "minimum": 0,
                "default": 0,
                "description": "Without select: where the text goes on, next_offset of the last part. "
                "Value >= 0. Default: 0.",
            },
        },
        "call_id",
    ),
    safe=True,
)


def read_find(text: str, *, max_bytes: int) -> FindRequest:
    """The request in the text of a `find_operations` call.

    Raises:
        ArgumentError: the text does not fit the tool.
    """
    arguments = _validated(FIND_OPERATIONS, parse_arguments(text, max_bytes=max_bytes))
    return FindRequest(
        text_at(arguments, "query"),
        text_at(arguments, "server"),
        text_at(arguments, "tag"),
        _integer(arguments, "limit", DEFAULT_RESULTS),
    )


def read_run(text: str, *, max_bytes: int) -> RunRequest:
    """The request in the text of a `run_operation` call.

    Some models write the inner arguments as a string that contains JSON; the string is then parsed.

    Raises:
        ArgumentError: the text does not fit the tool.
    """
    arguments = parse_arguments(text, max_bytes=max_bytes)
    inner = arguments.get("arguments")
    _validated(RUN_OPERATION, {**arguments, "arguments": {}} if isinstance(inner, str) else arguments)
    inner_text = inner if isinstance(inner, str) else members_of(text).get("arguments", "{}")
    return RunRequest(text_at(arguments, "name"), inner_text)


def read_reading(text: str, *, max_bytes: int) -> ReadRequest:
    """The request in the text of a `read_result` call.

    Raises:
        ArgumentError: the text does not fit the tool.
    """
    arguments = _validated(READ_RESULT, parse_arguments(text, max_bytes=max_bytes))
    offset = _integer(arguments, "offset", 0)
    return ReadRequest(text_at(arguments, "call_id"), offset, text_at(arguments, "select"))


def no_operation(name: str, tools: Iterable[Tool]) -> ArgumentError:
    """The error for a name that none of `tools` has; the message suggests similar ones."""
    near = similar_names(name, tools)
    hint = f" Near it: {', '.join(near)}." if near else " Look for it with find_operations."
    return ArgumentError(f"There is no operation {quote_text(name)}.{hint}", argument="name", pointer="/name")


def similar_names(name: str, tools: Iterable[Tool]) -> list[str]:
    """Names of `tools` that a mistyped name may have meant, the most similar first."""
    names = [tool.name for tool in tools] if len(name) <= _MAX_NEAR_CHARS else []
    return get_close_matches(name, names, _MAX_NEAR)


def inner_error(name: str, error: ArgumentError) -> ArgumentError:
    """An error in the arguments of an operation, rephrased for the caller of `run_operation`."""
    return ArgumentError(
        f"Arguments of {name}: {error.message}",
        argument=error.argument,
        pointer=f"/arguments{error.pointer}",
    )


def found_json(
    found: Sequence[Tool], schemas: Mapping[str, bytes], total: int, *, refused: Set[str] = frozenset()
) -> bytes:
    """The answer of `find_operations`: JSON with the tools, and as many of the `schemas` as fit.

    `total` is how many operations matched; `refused` are those that their user has not accepted. `schemas`
    and `refused` are both keyed by tool name.
    """
    remaining = RESULT_SCHEMA_BYTES
    entries: list[dict[str, object]] = []
    for tool in found:
        entry = _entry(tool)
        if tool.name in refused:
            entry["accepted"] = False
        schema = schemas.get(tool.name)
        if schema is not None and (not entries or len(schema) <= remaining):
            remaining -= len(schema)
            entry["parameters"] = orjson.Fragment(schema)
        entries.append(entry)
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
    if operation.tags:
        entry["tags"] = operation.tags
    if operation.answer:
        entry["answer"] = clean_text(operation.answer, _MAX_ANSWER_CHARS)
    return entry


def pages_of(text: str, offset: int, size: int) -> JsonObject:
    """One part of a stored text for `read_result`: `size` characters from `offset`, and where to read on."""
    part = text[offset : offset + size]
    page: JsonObject = {"text": part, "offset": offset, "total": len(text)}
    end = offset + len(part)
    return {**page, "next_offset": end} if end < len(text) else page


META_TOOLS = (FIND_OPERATIONS, RUN_OPERATION, READ_RESULT)
"""The bridge's own tools, in the order in which they are shown."""

META_NAMES = frozenset(meta.name for meta in META_TOOLS)

_VALIDATORS = {meta: ArgumentValidator(meta.schema_json, takes_more=False) for meta in META_TOOLS}


def _validated(meta: MetaTool, arguments: JsonObject) -> JsonObject:
    return _VALIDATORS[meta].validate_arguments(arguments)


def _integer(arguments: JsonObject, name: str, default: int) -> int:
    """The integer under `name`; JSON has one kind of numbers, so 8.0 is an integer, too."""
    value = arguments.get(name)
    return int(value) if isinstance(value, int | float) else default
