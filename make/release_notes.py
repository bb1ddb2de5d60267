"""Prints what the changelog says of a version, or of the next: `python -m make.release_notes Unreleased`.

Entries that still stand in `changes/` belong to the next version.

Links into the repository become plain text, and parentheses of nothing but such links are left out: notes are
read where no repository is around them.
"""

import argparse
import re
import sys
import tomllib

from make.changelog import CHANGELOG, CHANGES, ROOT, UNRELEASED, add_entries, find_section, read_entries

LINK = re.compile(r"\[([^\]]+)\]\((?!https?://)[^)]*\)")
ONLY_LINKS = re.compile(rf"\s+\({LINK.pattern}(?:,\s+{LINK.pattern})*\)")


class NoNotes(Exception):
    """The changelog does not have what a release needs; the text says what."""


def main() -> int:
    """Print the notes of a version; status 1, and why, if the changelog is not ready for it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", help="as in pyproject.toml")
    version: str = parser.parse_args().version
    declared: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    try:
        if version not in (declared, UNRELEASED):
            raise NoNotes(f"pyproject.toml has version {declared}")
        changelog = (ROOT / CHANGELOG).read_text(encoding="utf-8")
        entries = read_entries(ROOT / CHANGES)
        if entries and version != UNRELEASED:
            raise NoNotes(f"{CHANGES}/ has entries: run `make changelog VERSION={version}`")
        sys.stdout.write(notes_of(version, add_entries(changelog, entries)))
    except NoNotes as error:
        sys.stderr.write(f"no notes of {version}: {error}\n")
        return 1
    return 0


def notes_of(version: str, changelog: str) -> str:
    """Return the section of a version as Markdown, without its heading.

    Raises:
        NoNotes: there is no such section, it is empty, or it has no date though it is a release.
    """
    section = find_section(changelog, version)
    if section is None:
        raise NoNotes(f"CHANGELOG.md has no heading `## [{version}] - YYYY-MM-DD`")
    if version != UNRELEASED and section.date is None:
        raise NoNotes("its heading in CHANGELOG.md has no date")
    text = changelog[section.start : section.end].strip()
    if not text:
        raise NoNotes("its section of CHANGELOG.md is empty")
    return LINK.sub(r"\1", ONLY_LINKS.sub("", text)) + "\n"


if __name__ == "__main__":
    sys.exit(main())
