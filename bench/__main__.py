"""`python -m bench [round-trips] [validators] [documents] [--quick]`: all of them when none is named."""

import argparse
import asyncio

from bench.report import print_line
from bench.round_trips import Effort, compare_round_trips

_ALL = ("round-trips",)


def main() -> None:
    """Run the benchmarks named on the command line, print tables and at the end one JSON line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="Benchmarks as ratios within one run."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(_ALL)}; default: all")
    parser.add_argument("--quick", action="store_true", help="a few seconds, for a look rather than a number")
    arguments = parser.parse_args()
    effort = Effort(2, 0.3) if arguments.quick else Effort()
    print_line({"round_trips": asyncio.run(compare_round_trips(effort))})


if __name__ == "__main__":
    main()
