"""A release gathers the entries that changes brought as files."""

from pathlib import Path

import pytest

from make.changelog import add_entries, publish

CHANGELOG = """# Changelog

## [Unreleased]

The second release:

### New and changed

- Add one.

## [1.0.0] - 2026-12-01

- First.
"""
ENTRIES = {
    "api-two.md": "Add [two](../docs/two.md),\nand three.\n",
    "breaks-api-list.md": "Rename the list.\n",
    "page-button.md": "Fix a button.\n",
}
ADDED = """# Changelog

## [Unreleased]

The second release:

### What breaks

- Rename the list.

### New and changed

- Add one.
- Add [two](docs/two.md), and three.

### Mended

- Fix a button.

## [1.0.0] - 2026-12-01

- First.
"""


def test_entries_come_to_stand_in_groups_what_breaks_first() -> None:
    """Operators read before an update what they have to do."""
    assert add_entries(CHANGELOG, ENTRIES) == ADDED
    assert add_entries(CHANGELOG, {}) == CHANGELOG


def test_a_release_moves_entries_below_its_heading_and_deletes_their_files(tmp_path: Path) -> None:
    """The next release would announce an entry that stays once more."""
    folder = repository(tmp_path)
    publish(folder, "1.1.0", "2026-12-24")
    headings = "## [Unreleased]\n\n## [1.1.0] - 2026-12-24\n"
    assert (folder / "CHANGELOG.md").read_text() == ADDED.replace("## [Unreleased]\n", headings)
    assert list((folder / "changes").iterdir()) == []


@pytest.mark.parametrize(("version", "said"), [("1.0.0", "already has a section"), ("", "not a version")])
def test_a_version_is_named_and_released_once(version: str, said: str, tmp_path: Path) -> None:
    """A second section of one version would hide the notes of the first."""
    folder = repository(tmp_path)
    with pytest.raises(ValueError, match=said):
        publish(folder, version, "2026-12-24")
    assert (folder / "CHANGELOG.md").read_text() == CHANGELOG
    assert len(list((folder / "changes").iterdir())) == len(ENTRIES)


def test_a_changelog_without_entries_to_come_is_released_as_it_is(tmp_path: Path) -> None:
    """Git keeps no empty folder: after a release there is none."""
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    publish(tmp_path, "1.1.0", "2026-12-24")
    assert "## [1.1.0] - 2026-12-24\n\nThe second release:\n" in (tmp_path / "CHANGELOG.md").read_text()


def repository(folder: Path) -> Path:
    (folder / "CHANGELOG.md").write_text(CHANGELOG)
    (folder / "changes").mkdir()
    for name, entry in ENTRIES.items():
        (folder / "changes" / name).write_text(entry)
    return folder
