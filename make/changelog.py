"""Moves the entries of `changes/` into a section of the changelog: `python -m make.changelog 0.2.0`.

Each change brings its entry as a file of its own, so that two branches never edit the same lines.
"""

import argparse
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
CHANGELOG = "CHANGELOG.md"
CHANGES = "changes"
UNRELEASED = "Unreleased"
BREAKING = "breaks-"
"""How the file of an entry begins that needs something done before an update."""
BREAKS, NEW, MENDED = GROUPS = ("What breaks", "New and changed", "Mended")
"""Headings of a section, in their order."""

_HEADING = re.compile(r"^## \[(?P<version>[^\]]+)\](?: - (?P<date>\d{4}-\d\d-\d\d))?$", re.MULTILINE)
_VERSION = re.compile(r"\d+\.\d+\.\d+\S*")
_GROUP = re.compile(r"^### (.+)$", re.MULTILINE)


class Section(NamedTuple):
    """Where the changelog has a version."""

    date: str | None
    heading: int
    start: int
    end: int
    """Places in its text: of the heading, after it, and at the next one."""


def main() -> int:
    """Write the section of a version; status 1, and why, if the changelog has it already."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", help="as pyproject.toml will have it")
    version: str = parser.parse_args().version
    try:
        publish(ROOT, version, datetime.now(UTC).date().isoformat())
    except ValueError as error:
        sys.stderr.write(f"make changelog: {error}\n")
        return 1
    return 0


def publish(folder: Path, version: str, date: str) -> None:
    """Write the section of a version in the changelog of a folder, and delete the files of its entries.

    Raises:
        ValueError: it is not a version, or the changelog has it already, or has no unreleased section.
    """
    if not _VERSION.fullmatch(version):
        raise ValueError(f"“{version}” is not a version: make changelog VERSION=0.2.0")
    changelog = (folder / CHANGELOG).read_text(encoding="utf-8")
    if find_section(changelog, version) is not None:
        raise ValueError(f"{CHANGELOG} already has a section for {version}")
    entries = read_entries(folder / CHANGES)
    section = _unreleased(changelog := add_entries(changelog, entries))
    headings = f"## [{UNRELEASED}]\n\n## [{version}] - {date}"
    text = changelog[: section.heading] + headings + changelog[section.start :]
    (folder / CHANGELOG).write_text(text, encoding="utf-8")
    for name in entries:
        (folder / CHANGES / name).unlink()


def find_section(changelog: str, version: str) -> Section | None:
    """Find a version in the changelog."""
    headings = list(_HEADING.finditer(changelog))
    ends = [*(each.start() for each in headings[1:]), len(changelog)]
    for heading, end in zip(headings, ends, strict=True):
        if heading["version"] == version:
            return Section(heading["date"], heading.start(), heading.end(), end)
    return None


def read_entries(folder: Path) -> dict[str, str]:
    """Names of files and what they say, in the order of the names."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}


def add_entries(changelog: str, entries: Mapping[str, str]) -> str:
    """Return the changelog with these entries in the groups of its unreleased section.

    Raises:
        ValueError: it has no unreleased section.
    """
    section = _unreleased(changelog)
    intro, *parts = _GROUP.split(changelog[section.start : section.end])
    groups = {group: body.strip() for group, body in zip(parts[::2], parts[1::2], strict=True)}
    for name, entry in entries.items():
        words = " ".join(entry.split()).replace("](../", "](")
        group = BREAKS if name.startswith(BREAKING) else MENDED if words.startswith("Fix ") else NEW
        groups[group] = f"{groups.get(group, '')}\n- {words}".strip()
    order = dict.fromkeys([*GROUPS, *groups])
    texts = [intro.strip(), *(f"### {group}\n\n{groups[group]}" for group in order if group in groups)]
    whole = "".join(f"{text}\n\n" for text in texts if text)
    return f"{changelog[: section.start]}\n\n{whole}{changelog[section.end :]}".rstrip() + "\n"


def _unreleased(changelog: str) -> Section:
    section = find_section(changelog, UNRELEASED)
    if section is None:
        raise ValueError(f"{CHANGELOG} has no heading `## [{UNRELEASED}]`")
    return section


if __name__ == "__main__":
    sys.exit(main())
