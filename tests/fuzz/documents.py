"""Documents broken at random, read as a bridge reads them; their plans, built into requests as in a page.

A document becomes tools or a reason, in bounded time. A plan with any arguments becomes a request to its own
origin, or is refused in words.
"""

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, cast
from urllib.parse import urlsplit

import yaml

from bridge.documents.worker import DocumentWorker
from bridge.errors import BridgeError
from tests.fuzz.hunt import Area, Attempt
from tests.real_documents.documents import find_documents
from tests.support.documents.argument_samples import NoSample, sample_arguments
from tests.support.documents.mutation import mutated, scrambled
from tests.support.documents.vectors import NODE
from toolserver.json_types import JsonObject, JsonValue, object_at
from toolserver.tool.compile import CompiledOperation

ROOT = Path(__file__).parents[2]
BUILDER = ROOT / "tests/page/support/try_requests.js"
EXAMPLES = ROOT / "examples" / "documents"
MAX_TEXT_CHARS = 40_000
"""Small documents are read a hundred times in the time of one large."""

DOCUMENT_S = 10.0
"""Hundreds of times what any of the documents takes when it is whole."""

_ANYTHING: tuple[JsonValue, ...] = (1, "../x", None, [], {})
OPERATIONS = 3
"""Whose plans are tried, of each document."""

ADDRESS = "https://api.example/openapi.json"


@cache
def texts() -> list[str]:
    """Our own documents, and the smaller real ones where they are."""
    paths = [*sorted(EXAMPLES.iterdir()), *sorted(find_documents().values())]
    found = [path.read_text(encoding="utf-8") for path in paths if path.suffix in (".json", ".yaml")]
    return [text for text in found if len(text) <= MAX_TEXT_CHARS]


@cache
def _values(text: str) -> str:
    return json.dumps(yaml.load(text, Loader=yaml.CSafeLoader), default=str)


def make_document(source: Random) -> JsonValue:
    """A document as text or as JSON, broken in a few places, and a number from which arguments are made."""
    text, count = source.choice(texts()), source.choice([1, 3, 10, 30])
    if source.random() < 0.3:
        return {"text": scrambled(text, source, count=count), "arguments": source.randrange(2**30)}
    document = cast(JsonValue, json.loads(mutated(_values(text), source, count=count)))
    return {"document": document, "arguments": source.randrange(2**30)}


@asynccontextmanager
async def open_worker(_folder: Path) -> AsyncGenerator[Attempt]:
    worker = DocumentWorker()
    await worker.start_child()
    builder = await asyncio.create_subprocess_exec(
        *(str(NODE), str(BUILDER)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=64 * 1024 * 1024,
        env={**os.environ, "NODE_OPTIONS": ""},
    )

    async def attempt(case: JsonValue) -> str:
        if not isinstance(case, dict):
            return ""
        text = case.get("text") if "text" in case else json.dumps(case.get("document"))
        return await _read(worker, builder, text, case.get("arguments")) if isinstance(text, str) else ""

    try:
        yield attempt
    finally:
        if builder.stdin is not None:
            builder.stdin.close()  # it ends with its input
        await builder.wait()
        await worker.close()


async def _read(worker: DocumentWorker, builder: asyncio.subprocess.Process, text: str, number: Any) -> str:
    try:
        async with asyncio.timeout(DOCUMENT_S):
            compiled = await worker.compile_document(text, source_url=ADDRESS, base_url=None)
            keys = [operation.key for operation in compiled.operations]
            schemas = await worker.compile_schemas(text, compiled.digest, keys)
    except TimeoutError:
        return f"it is read for more than {DOCUMENT_S} s"
    except BridgeError as refused:
        return _problem_of_refusal(refused)
    source = Random(str(number))
    chosen = source.sample(compiled.operations, min(OPERATIONS, len(compiled.operations)))
    for operation in chosen:
        schema = json.loads(schemas[operation.key].schema_json)
        if problem := await _build(builder, operation, schema, source):
            return f"{problem}\n{operation.key}: {operation.plan_json.decode()}"
    return ""


def _problem_of_refusal(refused: BridgeError) -> str:
    """A process that died took the documents of others with it; a reason must be in words."""
    code = refused.error.detail.get("code")
    died = "died" in refused.error.message
    return f"{code}: {refused.error.message or 'no words'}" if died or not refused.error.message else ""


async def _build(
    builder: asyncio.subprocess.Process, operation: CompiledOperation, schema: JsonObject, source: Random
) -> str:
    assert builder.stdin is not None
    assert builder.stdout is not None
    plan = json.loads(operation.plan_json)
    args = _arguments(schema, source)
    builder.stdin.write(json.dumps({"plan": plan, "args": args}).encode() + b"\n")
    await builder.stdin.drain()
    async with asyncio.timeout(DOCUMENT_S):
        line = await builder.stdout.readline()
    return _problem_of_request(operation, json.loads(line), args)


def _arguments(schema: JsonObject, source: Random) -> JsonValue:
    """Arguments that the schema accepts, if any can be made, mostly broken; always an object."""
    try:
        sample = sample_arguments(schema, full=source.random() < 0.7)
    except (
        NoSample,
        RecursionError,
        ValueError,
        TypeError,
        KeyError,
        IndexError,
        ArithmeticError,
        AttributeError,
    ):
        sample = {name: source.choice(_ANYTHING) for name in object_at(schema, "properties")}
    broken: JsonValue = json.loads(mutated(json.dumps(sample), source, count=source.choice([0, 1, 3])))
    return broken if isinstance(broken, dict) else {}


def _problem_of_request(operation: CompiledOperation, built: Mapping[str, Any], args: JsonValue) -> str:
    given = f"\n{json.dumps(args)[:2000]}"
    if "broken" in built:
        return f"the page's builder breaks: {built['broken']}{given}"
    request = built.get("request")
    if request is None:
        return ""
    parts = urlsplit(str(request["url"]))
    if f"{parts.scheme}://{parts.netloc}" != operation.origin:
        return f"a request to another origin: {request['url']!r} instead of {operation.origin!r}{given}"
    segments = parts.path.split("/")
    if ".." in segments or "." in segments[:-1]:  # an empty label at the end is a "."
        return f"a path that leads elsewhere: {request['url']!r}{given}"
    broken = [name for name, value in request["headers"] if {"\r", "\n", "\0"} & set(name + value)]
    return f"a header of several lines: {broken}{given}" if broken else ""


AREA = Area(
    "documents",
    "OpenAPI documents, their plans, and the requests that a page builds of them",
    make_document,
    open_worker,
)
