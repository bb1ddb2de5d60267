"""`make fuzz`: what no client of ours sends, to all that strangers reach. See `make fuzz ARGS=--help`."""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz import documents, mcp_messages, model_streams, page_results
from tests.fuzz.hunt import Area, Budget, hunt
from tests.fuzz.search import AREA as BYTES
from tests.fuzz.search import search

AREAS = {
    area.name: area for area in (each.AREA for each in (page_results, documents, mcp_messages, model_streams))
}
ABOUT_BYTES = "HTTP requests to every route, of our own OpenAPI document and odd ones, and frames of pages"


def main() -> int:
    """Exit code 1 when something was found: an internal error, a traceback, an answer of no known form."""
    chosen = _parser().parse_args()
    first = int(time.time()) // 86_400 * 1_000_000 if chosen.first is None else chosen.first
    budget = Budget(chosen.seconds, chosen.count)
    found: list[str] = []
    for name in chosen.only or [BYTES, *AREAS]:
        began = time.monotonic()
        more = _search_bytes(first, budget) if name == BYTES else _hunt(AREAS[name], first, budget)
        print(f"{name}: {time.monotonic() - began:.0f} s from seed {first}, {len(more)} findings", flush=True)
        found += more
    for each in found:
        print(f"\n{each}", file=sys.stderr)
    return 1 if found else 0


def _parser() -> argparse.ArgumentParser:
    areas = "; ".join([f"{BYTES}: {ABOUT_BYTES}", *(f"{area.name}: {area.about}" for area in AREAS.values())])
    parser = argparse.ArgumentParser(
        prog="make fuzz", description="What no client of ours sends.", epilog=areas
    )
    parser.add_argument("--seconds", type=float, default=120, help="for each area (default: 120)")
    parser.add_argument(
        "--count", type=int, default=sys.maxsize, help="most cases of each area (default: any)"
    )
    parser.add_argument(
        "--first", type=int, help="first seed; the same one makes the same cases (default: of today)"
    )
    parser.add_argument(
        "--only", action="append", choices=[BYTES, *AREAS], help="an area; several are possible"
    )
    return parser


def _hunt(area: Area, first: int, budget: Budget) -> Sequence[str]:
    with tempfile.TemporaryDirectory() as folder:
        searched = asyncio.run(hunt(area, Path(folder), first, budget))
    print(f"{area.name}: {searched.tried} cases")
    return [str(finding) for finding in searched.findings]


def _search_bytes(first: int, budget: Budget) -> Sequence[str]:
    found = asyncio.run(search(first, budget.count, budget.seconds))
    print(f"{BYTES}: {json.dumps(found.sent)}, answers by status {dict(sorted(found.statuses.items()))}")
    print(f"{BYTES}: left when all had hung up: {found.left}")
    print(f"{BYTES}: the log, {len(found.log)} bytes:", found.log[:3000], sep="\n")
    return found.wrong


if __name__ == "__main__":
    sys.exit(main())
