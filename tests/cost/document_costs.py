"""What documents cost: calls for reading, schemas and arguments, and the memory of a catalog."""

import json
from collections.abc import Callable
from functools import cache

from bench.documents.worker import generate_document
from bridge.catalog.search.indexes import FusedIndex
from examples.document_files import read_document_text
from tests.cost.counting import calls_of, traced_memory, waste_calls
from tests.support.documents.compiled import read_compiled
from toolserver.arguments.arguments import ArgumentValidator, parse_arguments
from toolserver.openapi.document import parse_document
from toolserver.tool.compile import DocumentTools
from toolserver.tool.compiled_lines import compiled_to_lines

OPERATIONS = 50
TIMES = 20

_MAX_BYTES = 2**20
_ORDER = json.dumps({"customer": "Ada", "items": [{"product_id": 1, "quantity": 2}], "gift_wrap": True})


@cache
def _text() -> bytes:
    return json.dumps(generate_document(OPERATIONS)).encode()


def _tools() -> DocumentTools:
    return DocumentTools(parse_document(_text()), source_url=None)


async def _nothing() -> None:
    """What is measured here puts nothing off."""


async def measure_compiling(_measured: object, waste: int) -> float:
    """Calls for reading and compiling one operation of a document."""

    async def compile_text() -> None:
        _tools()
        waste_calls(waste * OPERATIONS)

    return await calls_of(compile_text, OPERATIONS, _nothing)


async def measure_schemas(_measured: object, waste: int) -> float:
    """Calls for the schema of one tool's arguments."""
    prepared: list[DocumentTools] = []

    async def prepare() -> None:
        prepared.append(_tools())

    async def write_schemas() -> None:
        tools = prepared[-1]
        for operation in tools.compiled.operations:
            tools.schema_of(operation.key)
        waste_calls(waste * OPERATIONS)

    await prepare()
    return await calls_of(write_schemas, OPERATIONS, prepare)


async def measure_search_index(_measured: object, waste: int) -> float:
    """Calls for adding one operation to the index of a search."""
    operations = _tools().compiled.operations

    async def index_tools() -> None:
        FusedIndex(operations)
        waste_calls(waste * OPERATIONS)

    return await calls_of(index_tools, OPERATIONS, _nothing)


async def measure_argument_check(_measured: object, waste: int) -> float:
    """Calls for parsing and validating the arguments of one call."""
    tools = DocumentTools(parse_document(read_document_text("shop.json")), source_url=None)
    validator = ArgumentValidator(tools.schema_of("POST /orders").schema_json)

    async def check() -> None:
        for _ in range(TIMES):
            validator.validate_arguments(parse_arguments(_ORDER, max_bytes=_MAX_BYTES))
            waste_calls(waste)

    return await calls_of(check, TIMES, _nothing)


async def measure_catalog_memory(_measured: object, waste: int) -> float:
    """Bytes for one operation of a catalog as the bridge holds it."""
    lines = list(compiled_to_lines(_tools().compiled))
    read_compiled(lines)
    return _bytes_of(lambda: read_compiled(lines), waste * OPERATIONS) / OPERATIONS


async def measure_document_memory(_measured: object, waste: int) -> float:
    """Bytes of a document with catalog and schemas, in percent of what `json.loads` makes of its text."""

    def read_everything() -> DocumentTools:
        tools = _tools()
        for operation in tools.compiled.operations:
            tools.schema_of(operation.key)
        return tools

    read_everything()
    plain = _bytes_of(lambda: json.loads(_text()), 0)
    return _bytes_of(read_everything, waste * plain // 100) / plain * 100


def _bytes_of(make: Callable[[], object], waste: int) -> int:
    with traced_memory() as held:
        made = make(), bytes(waste)
        found = held()
    del made
    return found
