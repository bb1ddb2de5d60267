"""What `find_operations` finds, beside the ranking by words alone, and the processor time that it takes.

RestBench's questions and the documents of its haystack lie beside the repository; without them only the
questions of `questions.toml` and the generated document are measured.
"""

import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median

from bench.documents.worker import generate_document
from bench.measure import percentile
from bench.report import print_table
from bench.search.recall import (
    Question,
    measure_recall,
    own_questions,
    rest_bench_questions,
    search_by,
    tools_of_file,
)
from bridge.catalog.search.indexes import FusedIndex, OperationIndex, PlainIndex
from bridge.heap import freeze_heap
from tests.real_documents.documents import ROOT, find_documents
from toolserver.openapi.document import parse_document
from toolserver.tool.catalog import Tool
from toolserver.tool.compile import CompiledOperation, compile_document

_REST_BENCH = ROOT.parent / "shared" / "restbench"
_HAYSTACK = ("digitalocean", "jellyfin", "slack-web", "gitea", "openai", "mastodon", "notion")
_DEPTHS = (5, 10, 20)
_OPERATIONS = 10_000
_ROUNDS = 5

_INDEXES: dict[str, Callable[[Sequence[CompiledOperation]], OperationIndex]] = {
    "words": PlainIndex,
    "fused": FusedIndex,
}


def measure_search() -> dict[str, object]:
    """Measure recall and processor time, print two tables and give all figures."""
    recall: dict[str, dict[str, list[float]]] = {}
    rows: list[list[object]] = []
    asked = 0
    for about, tools, questions in _sets():
        asked += len(questions)
        operations = [tool.operation for tool in tools]
        found = recall[about] = {
            name: measure_recall(search_by(make(operations), tools), questions, _DEPTHS)
            for name, make in _INDEXES.items()
        }
        for name, values in found.items():
            rows.append([f"{about}, {name}", len(tools), *values])
    head = ["questions about, ranking", "operations", *(f"@{depth} %" for depth in _DEPTHS)]
    print_table("Recall of searches", head, rows)
    return {"recall": recall, "questions": asked, "times": _measure_times()}


def _sets() -> list[tuple[str, list[Tool], list[Question]]]:
    files = {document.name: file for document, file in find_documents().items()}
    sets = [
        (name, tools_of_file(files[name], name), questions)
        for name, questions in own_questions().items()
        if name in files
    ]
    haystack = [tool for name in _HAYSTACK if name in files for tool in tools_of_file(files[name], name)]
    questions_file = _REST_BENCH / "tmdb.json"
    if questions_file.exists():
        questions = rest_bench_questions(questions_file)
        tools = tools_of_file(_REST_BENCH / "tmdb_oas.json", questions_file.stem)
        sets.append(("TMDB (RestBench)", tools, questions))
        sets.append(("TMDB in the haystack", [*tools, *haystack], questions))
    else:
        print(f"RestBench: not run, there is no {questions_file.name} in ../shared/restbench")
    return sets


def _measure_times() -> dict[str, object]:
    document = parse_document(json.dumps(generate_document(_OPERATIONS)))
    of_one = compile_document(document, source_url=None).operations
    of_many = _of_real_documents()
    asked = [question.text for questions in own_questions().values() for question in questions]
    freeze_heap()  # as a bridge does when its documents are loaded
    times: dict[str, object] = {}
    rows: list[list[object]] = []
    for about, operations in (("generated", of_one), ("real", of_many)):
        for name, make in _INDEXES.items():
            built = median(_seconds(partial(make, operations)) for _ in range(_ROUNDS))
            ask = make(operations).rank_operations
            searched = sorted(
                median(_seconds(partial(ask, query)) for _ in range(_ROUNDS)) * 1000 for query in asked
            )
            what = f"{len(operations):,} {about}, {name}"
            found = [built, median(searched), percentile(searched, 0.95)]
            rows.append([what, *found])
            times[f"{about}, {name}"] = dict(zip(("index_s", "median_ms", "p95_ms"), found, strict=True))
    head = ["operations, ranking", "index s", "median ms", "p95 ms"]
    print_table("Processor time of searches (aims: 0.3 s, 4 ms)", head, rows)
    return times


def _of_real_documents() -> list[CompiledOperation]:
    """Operations of the real documents that are here, repeated until there are ten thousand."""
    listed = [tools_of_file(file, document.name) for document, file in find_documents().items()]
    found = [tool.operation for tools in listed for tool in tools]
    return (found * (_OPERATIONS // max(1, len(found)) + 1))[:_OPERATIONS]


def _seconds(action: Callable[[], object]) -> float:
    """Processor seconds of one run, without the time to free what it made."""
    start = time.thread_time()
    made = action()
    taken = time.thread_time() - start
    del made
    return taken
