"""`python -m bench [NAME …] [--quick]`: all of `make bench` when none is named; the last line is JSON."""

import argparse
import json
import os
import time
from collections.abc import Callable

from bench.answers.measure import measure_answers
from bench.busy_thread import measure_busy_thread
from bench.cluster.failover import measure_failover
from bench.connections import measure_connections
from bench.crowd.many_pages import measure_many_pages
from bench.documents.ways import measure_document_ways
from bench.documents.worker import LARGEST, generate_document, measure_documents
from bench.event_loop import VARIABLE, loop_name, run
from bench.extension.call_cost import measure_extension
from bench.hostile import measure_hostile
from bench.mcp import measure_mcp
from bench.model_endpoint import measure_model_endpoint
from bench.model_streams import compare_model_streams
from bench.page.first_view import measure_first_view
from bench.page.long_lists import measure_long_lists
from bench.page.page_load import measure_page_load
from bench.replicas import measure_replicas
from bench.report import print_line, print_table
from bench.round_trips import Effort, compare_journals_on_postgresql, compare_round_trips
from bench.search.measure import measure_search
from bench.start import measure_starts
from bench.stored_history import measure_stored_history
from bench.tokens.measure import measure_tokens
from bench.validators import measure_validators

Bench = Callable[[Effort], dict[str, object]]


def _is_quick(effort: Effort) -> bool:
    return effort.repetitions < Effort().repetitions


_BENCHES: dict[str, Bench] = {
    "round-trips": lambda effort: run(compare_round_trips(effort)),
    "journal-postgresql": lambda effort: run(compare_journals_on_postgresql(effort)),
    "busy-thread": lambda effort: run(measure_busy_thread(effort.seconds)),
    "mcp": lambda effort: run(measure_mcp(quick=_is_quick(effort))),
    "connections": lambda _effort: run(measure_connections()),
    "many-pages": lambda effort: run(measure_many_pages(quick=_is_quick(effort))),
    "answers": lambda _effort: measure_answers(),
    "validators": lambda _effort: measure_validators(),
    "model-streams": lambda _effort: run(compare_model_streams()),
    "model": lambda effort: run(measure_model_endpoint(quick=_is_quick(effort))),
    "stored-history": lambda effort: run(measure_stored_history(quick=_is_quick(effort))),
    "hostile": lambda effort: run(measure_hostile(quick=_is_quick(effort))),
    "start": lambda effort: measure_starts(quick=_is_quick(effort)),
    "page-load": lambda effort: measure_page_load(quick=_is_quick(effort)),
    "first-view": lambda effort: measure_first_view(quick=_is_quick(effort)),
    "long-lists": lambda effort: measure_long_lists(quick=_is_quick(effort)),
    "extension": lambda effort: measure_extension(quick=_is_quick(effort)),
    "documents": lambda _effort: run(measure_documents()),
    "document-ways": lambda _effort: run(measure_document_ways(json.dumps(generate_document(LARGEST)))),
    "tokens": lambda _effort: measure_tokens(),
    "search": lambda _effort: measure_search(),
    "replicas": lambda effort: run(measure_replicas(quick=_is_quick(effort))),
    "failover": lambda effort: run(measure_failover(quick=_is_quick(effort))),
}
_ONLY_NAMED = {"replicas", "failover", "journal-postgresql", "many-pages"}
"""Need what `make bench` shall not wait for: PostgreSQL, Redis, many sockets."""


def main() -> None:
    """Run the benchmarks named on the command line, print tables and at the end one JSON line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Ratios within one run.")
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"any of {', '.join(_BENCHES)}; default: all but {', '.join(_ONLY_NAMED)}",
    )
    parser.add_argument("--quick", action="store_true", help="short round trips: a look rather than a number")
    parser.add_argument("--event-loop", choices=("uvloop", "asyncio"), help="default: as a bridge chooses")
    arguments = parser.parse_args()
    if arguments.event_loop:
        os.environ[VARIABLE] = arguments.event_loop
    if unknown := [name for name in arguments.names if name not in _BENCHES]:
        parser.error(f"there is no benchmark {unknown[0]}")
    effort = Effort(repetitions=2, seconds=0.3) if arguments.quick else Effort()
    chosen = arguments.names or [name for name in _BENCHES if name not in _ONLY_NAMED]
    print(f"Event loop: {loop_name()}")
    found: dict[str, object] = {}
    seconds: dict[str, float] = {}
    for name in chosen:
        begun = time.perf_counter()
        found[name.replace("-", "_")] = _BENCHES[name](effort)
        seconds[name] = time.perf_counter() - begun
    print_table("Time taken", ["benchmark", "s"], [*seconds.items(), ("all", sum(seconds.values()))])
    print_line({"event_loop": loop_name(), "seconds": seconds, **found})


if __name__ == "__main__":
    main()
