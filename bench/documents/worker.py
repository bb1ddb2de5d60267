"""How long documents take to become tools, and whether anybody has to wait for it.

Documents are generated: the same text every time. They go through the worker process as the bridge does it,
while a probe that wants to run every millisecond measures how late it ever was, and how much of that this
process computed; the rest is the machine's other work.
"""

import asyncio
import gc
import json
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from bench.documents.ratios import measure_ratios
from bench.measure import time_each
from bench.report import print_table
from bridge.documents.worker import DocumentWorker
from toolserver.json_types import JsonObject, JsonValue

if sys.platform != "win32":
    import resource

_TICK_S = 0.001
_LARGE_YAML_BYTES = 4_000_000
LARGEST = 11_422
"""Operations of a document that is as large as the largest real one: 20 MB."""

_SIZES = (100, 1_000, LARGEST)

_DETAILS = " ".join(["What comes back is as it was when it was last put there, and says so."] * 10)


@dataclass(slots=True)
class _Stall:
    longest_s: float = 0.0
    """How late the probe ever was."""
    computed_s: float = 0.0
    """The most processor time the event loop's thread ever spent between two runs of the probe."""


def generate_document(operations: int) -> JsonObject:
    """A 3.1 document with so many operations, half of them with a body, over shared and circular schemas."""
    paths: JsonObject = {}
    for number in range((operations + 1) // 2):
        group = f"Part{number % 50}"
        paths[f"/shelves/{number}/{{item}}"] = {
            "parameters": [
                {"name": "item", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 1}}
            ],
            "get": _operation(f"readShelf{number}", "Read one item of a shelf, with its parts."),
            "put": {
                **_operation(f"writeShelf{number}", "Replace one item of a shelf, with its parts."),
                "requestBody": {
                    "required": True,
                    "content": _json_of(group),
                },
            },
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Generated shelves", "version": "1"},
        "servers": [{"url": "https://shelves.example/v1"}],
        "paths": paths,
        "components": {"schemas": {f"Part{number}": _schema(number) for number in range(50)}},
    }


def _operation(name: str, summary: str) -> JsonObject:
    return {
        "operationId": name,
        "summary": summary,
        "description": f"{summary}\n\n{_DETAILS}",
        "parameters": [
            {"name": "fields", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
            {"name": "X-Trace", "in": "header", "description": "Any text.", "schema": {"type": "string"}},
        ],
        "responses": {
            "200": {"description": "Done", "content": _json_of("Part0")},
            **{
                status: {"description": f"{said}; nothing was changed", "content": _json_of("Part1")}
                for status, said in (("400", "Not understood"), ("404", "Not there"), ("500", "Broken"))
            },
        },
    }


def _json_of(group: str) -> JsonObject:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{group}"}}}


def _schema(number: int) -> JsonObject:
    return {
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "minLength": 1, "description": f"What part {number} is called"},
            "weight": {"type": "number", "minimum": 0},
            "state": {"type": "string", "enum": ["new", "used", "broken"]},
            "inside": {"type": "array", "items": {"$ref": f"#/components/schemas/Part{(number + 1) % 50}"}},
        },
    }


def to_yaml(value: JsonValue, depth: int = 0) -> str:
    """Block YAML of a JSON value; scalars are written as JSON, which YAML reads alike."""
    pad = "  " * depth
    if isinstance(value, dict) and value:
        entries = (f"{pad}{json.dumps(key)}:{_nested_yaml(item, depth)}" for key, item in value.items())
        return "".join(entries)
    if isinstance(value, list) and value:
        return "".join(f"{pad}-{_nested_yaml(item, depth)}" for item in value)
    return f"{pad}{json.dumps(value)}\n"


def _nested_yaml(value: JsonValue, depth: int) -> str:
    if isinstance(value, dict | list) and value:
        return "\n" + to_yaml(value, depth + 1)
    return f" {json.dumps(value)}\n"


async def measure_documents() -> dict[str, object]:
    """Compile generated documents in the worker, print a table and give all figures."""
    gc.freeze()  # as every command does after its imports, which a collection would otherwise go through
    worker = DocumentWorker()
    rows: list[list[object]] = []
    results: dict[str, object] = {}
    try:
        await worker.start_child()
        for title, text in _texts():
            loads_s = _time_json(text) if title.startswith("JSON") else None
            taken_s, stall, operations = await _measure(worker, text)
            results[title] = {
                "bytes": len(text),
                "operations": operations,
                "seconds": taken_s,
                "longest_stall_ms": stall.longest_s * 1000,
                "longest_computed_ms": stall.computed_s * 1000,
                "json_loads_s": loads_s,
            }
            ratio = taken_s / loads_s if loads_s else "-"
            megabytes = len(text) / 1e6
            rows.append([title, megabytes, operations, taken_s, operations / taken_s, ratio])
            rows[-1] += [stall.longest_s * 1000, stall.computed_s * 1000]
    finally:
        await worker.close()
    head = [
        "document",
        "MB",
        "operations",
        "seconds",
        "operations/s",
        ": json.loads",
        "stall ms",
        "computed ms",
    ]
    print_table("Documents through the worker process", head, rows)
    results["worker_peak_megabytes"] = peak = _peak_megabytes_of_children()
    if peak is not None:
        print(f"\nThe worker process held at most {peak:.0f} MB.")
    generated = [(title, text) for title, text in _texts() if title.startswith("JSON")]
    return {**results, **measure_ratios(generated)}


def _texts() -> list[tuple[str, str]]:
    texts = [(f"JSON, {count} operations", json.dumps(generate_document(count))) for count in _SIZES]
    per_operation = len(to_yaml(generate_document(1_000))) / 1_000
    large = to_yaml(generate_document(int(_LARGE_YAML_BYTES / per_operation)))
    return [*texts, (f"YAML, {len(large) / 1e6:.1f} MB", large)]


def _peak_megabytes_of_children() -> float | None:
    """Of the largest child that has ended; None on Windows, which does not keep it."""
    if sys.platform == "win32":
        return None
    # kibibytes on Linux, bytes on macOS
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit / 1e6


def _time_json(text: str) -> float:
    return time_each(lambda: json.loads(text), rounds=3) / 1e6


async def _measure(worker: DocumentWorker, text: str) -> tuple[float, _Stall, int]:
    async def compile_text() -> int:
        compiled = await worker.compile_document(text, source_url=None, base_url=None)
        return len(compiled.operations)

    start = time.perf_counter()
    stall, operations = await _watch(compile_text)
    return time.perf_counter() - start, stall, operations


async def _watch(work: Callable[[], Awaitable[int]]) -> tuple[_Stall, int]:
    """Run `work` beside the probe."""
    stall = _Stall()
    probe = asyncio.create_task(_probe(stall))
    try:
        result = await work()
    finally:
        probe.cancel()
        with suppress(asyncio.CancelledError):
            await probe
    return stall, result


async def _probe(stall: _Stall) -> None:
    while True:
        before, computed = time.perf_counter(), time.thread_time()
        await asyncio.sleep(_TICK_S)
        stall.longest_s = max(stall.longest_s, time.perf_counter() - before - _TICK_S)
        stall.computed_s = max(stall.computed_s, time.thread_time() - computed)
