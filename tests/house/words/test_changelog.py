"""Entries of the changelog are short, and stand in files of their own until a release."""

import re

import pytest

from make.changelog import CHANGES, UNRELEASED, find_section
from tests.house.source import files, refuse, text_of
from tests.house.words.rules import entries_in_changelog, fault_of_entry

FILE_NAME = re.compile(rf"{CHANGES}/[a-z0-9]+(?:-[a-z0-9]+)+\.md")
BULLET = re.compile(r"^- (.+)$", re.MULTILINE)


def test_an_entry_is_a_file_of_one_short_sentence_that_begins_with_a_verb() -> None:
    """A user reads the changelog before an update: 168 entries of up to 236 words were read by few."""
    names = files("", under=(f"{CHANGES}/",))
    refuse(
        [
            f"{name}: is called otherwise than `AREA-SLUG.md`"
            for name in names
            if not FILE_NAME.fullmatch(name)
        ]
        + [f"{name}: {fault}" for name in names if (fault := fault_of_entry(text_of(name)))]
    )


def test_new_entries_are_not_added_to_the_changelog_itself() -> None:
    """Two branches that add a line at the same place meet in a conflict."""
    entries = unreleased_entries()
    refuse(f"CHANGELOG.md: “{entry[:40]} …” {fault}" for entry in entries if (fault := fault_of_entry(entry)))
    if len(entries) > entries_in_changelog():
        pytest.fail(f"CHANGELOG.md, Unreleased: new entries are files in {CHANGES}/", pytrace=False)
    assert len(entries) == entries_in_changelog(), "lower `entries_in_changelog` in rules.toml"


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ("Warn about [guessable keys](../docs/reference/settings.md), at\neach start.\n", None),
        ("- Warn about guessable keys.\n", "has a heading, a bullet"),
        ("# Keys\n\nWarn about guessable keys.\n", "has a heading, a bullet"),
        ("A guessable key is refused.\n", "begins with “A”"),
        (f"Warn {'very ' * 30}early.\n", "has 32 words"),
        ("\n", "is empty"),
    ],
)
def test_an_entry_is_judged(entry: str, fault: str | None) -> None:
    """The message says what to change, also to someone who has not read CONTRIBUTING."""
    found = fault_of_entry(entry)
    assert found is None if fault is None else found is not None and found.startswith(fault)


def unreleased_entries() -> list[str]:
    changelog = text_of("CHANGELOG.md")
    section = find_section(changelog, UNRELEASED)
    assert section is not None
    return BULLET.findall(changelog[section.start : section.end])
