"""What `make/newest` installs and what differs: `python -m make.newest_packages names`, or `compare`.

`names` prints what pyproject.toml asks for, without the versions; `compare` reads what `pip freeze` printed,
and tells what is not as in requirements-dev.lock.
"""

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
REQUIREMENT = re.compile(r"(?P<package>[A-Za-z0-9._-]+(?:\[[^\]]*\])?)[^;]*(?P<marker>;.*)?")
OURS = "direct-tool-bridge["
"""Begins what an extra takes from the others."""

PINNED = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)", re.MULTILINE)


def list_names(project: Mapping[str, Any]) -> Iterator[str]:
    """Return all that is asked for, without versions."""
    extras: Mapping[str, Sequence[str]] = project["project"]["optional-dependencies"]
    asked: Sequence[str | Mapping[str, str]] = [
        *project["project"]["dependencies"],
        *(each for extra in extras.values() for each in extra if not each.startswith(OURS)),
        *project["dependency-groups"]["build"],
        *project["dependency-groups"]["dev"],
    ]
    for requirement in asked:
        if isinstance(requirement, str) and (found := REQUIREMENT.fullmatch(requirement)):
            yield f"{found['package'].strip()} {found['marker'] or ''}".rstrip()


def list_differences(locked: str, installed: str) -> Iterator[str]:
    """Return what is installed in another version than is locked, a line each."""
    before = _versions_in(locked)
    now = _versions_in(installed)
    for name, version in sorted(now.items()):
        if before.get(name) != version:
            yield f"{name}: {before.get(name, 'not in the lock')} → {version}"


def _versions_in(text: str) -> dict[str, str]:
    return {found["name"].lower().replace("_", "-"): found["version"] for found in PINNED.finditer(text)}


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


def main(what: str) -> None:
    """Print one of the two."""
    if what == "names":
        _print_lines(list_names(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))))
        return
    locked = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    _print_lines(list(list_differences(locked, sys.stdin.read())) or ["Everything is as in the lock."])


if __name__ == "__main__":
    main(sys.argv[1])
