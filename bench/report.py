"""Tables for people, one JSON line for machines."""

import os
import platform
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version

import orjson

_PACKAGES = ("aiohttp", "python-socketio", "python-engineio", "orjson", "jsonschema-rs", "pydantic", "pyyaml")


def describe_machine() -> dict[str, object]:
    """What a number depends on: processor, system, versions and date."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.system()} {platform.machine()}",
        "processor": _processor_name(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        **{name: version(name) for name in _PACKAGES},
    }


def print_table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """The first column is text and flush left, the others are figures and flush right."""
    cells = [list(head), *([_figure(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    print(f"\n{title}\n")
    for number, row in enumerate(cells):
        padded = [
            row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        print("  ".join(padded))
        if number == 0:
            print("  ".join("-" * width for width in widths))


def print_line(results: dict[str, object]) -> None:
    """Everything measured, as one line of JSON on standard output."""
    sys.stdout.write(orjson.dumps({**describe_machine(), **results}).decode() + "\n")


def _figure(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:.0f}" if abs(cell) >= 100 else f"{cell:.2f}"
    return str(cell)


def _processor_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor()
