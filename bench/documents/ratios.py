"""What a document costs beside reading its JSON: its catalog, its schemas and its memory.

Ratios of processor time within one run, with `json.loads` of the same text as the measure: the catalog
(parse, names, descriptions, plans) on top of one such reading, then all argument schemas. `json.loads` has
the decoded text, the catalog its UTF-8 bytes, as they come from the network. Without the cyclic garbage
collector, as the worker process does it, and without the time to free what was read; on both sides.
Generated documents always; vendors' JSON documents over 1 MB where they are here (`make documents`).
"""

import gc
import json
import time
import tracemalloc
from collections.abc import Callable, Iterator
from statistics import median
from typing import TypeVar

from bench.report import print_table
from tests.real_documents.documents import find_documents
from toolserver.openapi.document import parse_document
from toolserver.tool.compile import DocumentTools

SAMPLE_BYTES = 1_000_000

_ROUNDS = 7
_T = TypeVar("_T")


def measure_ratios(generated: list[tuple[str, str]]) -> dict[str, object]:
    """Measure `generated` (titles and JSON texts) and the samples, print a table and give all figures."""
    results: dict[str, dict[str, float]] = {}
    for title, text in (*generated, *_samples()):
        results[title] = _measure(text)
    rows = [[title, *figures.values()] for title, figures in results.items()]
    head = ["document", "MB", "operations", "json.loads ms", "catalog, on top", "schemas", "memory"]
    print_table("Catalog, all schemas and memory, in times json.loads and its result", head, rows)
    on_top = {
        title: figures["catalog_on_top"]
        for title, figures in results.items()
        if figures["megabytes"] * 1e6 > SAMPLE_BYTES
    }
    made_here = {title for title, _ in generated}
    real = [ratio for title, ratio in on_top.items() if title not in made_here] or [*on_top.values()]
    most = max(on_top.values())
    print(
        f"\nOver 1 MB, on top of json.loads: real documents median {median(real):.2f}; with the generated "
        f"ones median {median(on_top.values()):.2f}, most {most:.2f}"
    )
    return {"ratios": results, "catalog_on_top_median": median(real), "catalog_on_top_most": most}


def _samples() -> Iterator[tuple[str, str]]:
    for document, file in find_documents().items():
        if document.size > SAMPLE_BYTES:
            yield document.name, file.read_text(encoding="utf-8")


def _measure(text: str) -> dict[str, float]:
    encoded = text.encode()
    operations = len(DocumentTools(parse_document(encoded), source_url=None).compiled.operations)
    loads_s, catalog_s, everything_s = _least_of_each(
        lambda: json.loads(text),
        lambda: DocumentTools(parse_document(encoded), source_url=None),
        lambda: _everything(encoded),
    )
    plain, _ = _memory(lambda: json.loads(text))
    ours, _ = _memory(lambda: _everything(encoded))
    return {
        "megabytes": len(text) / 1e6,
        "operations": float(operations),
        "json_loads_ms": loads_s * 1000,
        "catalog_on_top": catalog_s / loads_s - 1,
        "schemas": (everything_s - catalog_s) / loads_s,
        "memory": ours / plain,
    }


def _everything(text: bytes) -> DocumentTools:
    tools = DocumentTools(parse_document(text), source_url=None)
    for operation in tools.compiled.operations:
        tools.schema_of(operation.key)
    return tools


def _least_of_each(*actions: Callable[[], object]) -> list[float]:
    """Processor seconds of the least disturbed of some rounds; in each round one after the other."""
    rounds = [[_seconds(action) for action in actions] for _ in range(_ROUNDS)]
    return [min(taken) for taken in zip(*rounds, strict=True)]


def _seconds(action: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        result = action()
        taken = time.process_time() - start
    finally:
        gc.enable()
    del result  # freed when the clock has stopped
    return taken


def _memory(action: Callable[[], _T]) -> tuple[int, _T]:
    """Bytes allocated by Python while the result is held."""
    tracemalloc.start()
    try:
        result = action()
        return tracemalloc.get_traced_memory()[0], result
    finally:
        tracemalloc.stop()
