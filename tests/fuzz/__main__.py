"""`make fuzz`: odd requests, headers and frames to a bridge, any number. See `make fuzz ARGS=--help`."""

import argparse
import asyncio
import sys
import time

from tests.fuzz.search import search


def main() -> int:
    """Exit code 1 when there was an internal error, a traceback, or more log than a few lines."""
    parser = argparse.ArgumentParser(prog="make fuzz", description="Bytes that no client of ours sends.")
    parser.add_argument("--count", type=int, default=200_000, help="requests, odd headers and frames")
    parser.add_argument("--first", type=int, default=None, help="first seed; default: another one every day")
    chosen = parser.parse_args()
    first = int(time.time()) // 86_400 * 1_000_000 if chosen.first is None else chosen.first
    began = time.monotonic()
    found = asyncio.run(search(first, chosen.count))
    seconds = time.monotonic() - began
    print(f"{found.total} in {seconds:.0f} s from seed {first}: {dict(found.sent)}")
    print(f"answers by status: {dict(sorted(found.statuses.items()))}")
    print(f"left when all had hung up: {found.left}; the log, {len(found.log)} bytes:")
    print(found.log)
    for wrong in found.wrong:
        print(f"\n{wrong}", file=sys.stderr)
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
