"""What the page about commands says that `--json` prints is what it prints."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.house.source import text_of
from tests.support.commands import run_command

PAGE = "docs/reference/command-line.md"
_SAID = re.compile(r"With `--json`(?: in `\w+`)?: (?P<members>.+?)(?:\.\s|\.$)", re.DOTALL)


def documented(command: str) -> set[str]:
    """The members that the section of a command names first; what is in parentheses explains."""
    section = text_of(PAGE).partition(f"\n## `{command}`\n")[2].partition("\n## ")[0]
    said = _SAID.search(section)
    assert said, f"{command}: the page does not say what --json prints"
    return set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", said["members"])))


def printed(data: Path, *words: str) -> dict[str, Any]:
    ended = run_command(*words, "--json", "--data", str(data))
    assert ended.status == 0, ended.errors
    return json.loads(ended.output)


@pytest.mark.parametrize(
    ("words", "within"),
    [
        (("init",), ""),
        (("key", "--user", "ann"), ""),
        (("link", "--user", "ann"), ""),
        (("users",), "users"),
        (("backup", "FILE"), ""),
    ],
)
def test_members_of_what_a_command_prints_are_those_that_its_page_names(
    tmp_path: Path, words: tuple[str, ...], within: str
) -> None:
    """Finding P-L11: four members of a user had come, and whoever reads them from a program found none."""
    data = tmp_path / "data"
    if words[0] != "init":
        printed(data, "key", "--user", "ann")
    value = printed(data, *(str(tmp_path / "new.backup") if word == "FILE" else word for word in words))
    assert set(value[within][0] if within else value) == documented(words[0])
