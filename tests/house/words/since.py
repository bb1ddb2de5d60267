"""Finds lines and commits that are newer than the rules of words.

`rules.toml` names their first commit. A list of old offences would change with every old text. A comparison
with the parent of the tested commit would pass each sentence once it is merged.
"""

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.house.source import ROOT

KINDS = ("*.md", "*.py", "*.js", "*.mjs", "*.cjs")
"""What people read, as patterns of git."""
DIFFERENCE = ("diff", "--unified=0", "--no-color", "--no-ext-diff", "--find-renames")
UNTRACKED = ("ls-files", "--others", "--exclude-standard", "-z")

_FILE = re.compile(r"^\+\+\+ (?:b/)?(.+?)\t?$")
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)")


class Commit(NamedTuple):
    """A commit with one parent."""

    hash: str
    subject: str


def has_history(base: str, folder: Path = ROOT) -> bool:
    """Whether this checkout has the commit; an unpacked archive and a shallow clone lack it."""
    return _ask_git(folder, "merge-base", "--is-ancestor", base, "HEAD") is not None


def new_lines(base: str, folder: Path = ROOT) -> dict[str, set[int]]:
    """Numbers of the lines that each file has since the base, whether or not they are committed.

    A line that another place has lost is moved, not new: who moves a function need not rewrite its docstring.
    """
    difference = _ask_git(folder, *DIFFERENCE, base, "--", *KINDS) or ""
    removed = {line[1:].strip() for line in difference.split("\n") if line.startswith("-")}
    lines: defaultdict[str, set[int]] = defaultdict(set)
    for file, number, text in _added(difference):
        if text.strip() not in removed:
            lines[file].add(number)
    for name in (_ask_git(folder, *UNTRACKED, "--", *KINDS) or "").split("\0"):
        if name:
            lines[name].update(range(1, (folder / name).read_text(encoding="utf-8").count("\n") + 2))
    return lines


def new_commits(base: str, folder: Path = ROOT) -> list[Commit]:
    """Commits since the base, without merges."""
    log = _ask_git(folder, "log", "--no-merges", "--abbrev=12", "--format=%h %s", f"{base}..HEAD") or ""
    return [Commit(*line.split(" ", maxsplit=1)) for line in log.splitlines()]


def _added(difference: str) -> Iterator[tuple[str, int, str]]:
    file, number = "", 0
    for line in difference.split("\n"):
        if found := _FILE.match(line):
            file = found[1]
        elif hunk := _HUNK.match(line):
            number = int(hunk[1])
        elif line.startswith("+"):
            yield file, number, line[1:]
            number += 1


def _ask_git(folder: Path, *command: str) -> str | None:
    """What git prints; nothing, where it fails or is missing."""
    git = ["git", "-c", "core.quotepath=off", *command]
    try:
        shown = subprocess.run(git, cwd=folder, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return shown.stdout.decode(errors="replace")
