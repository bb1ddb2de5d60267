"""The page about the architecture has every package, and the walks name what there is."""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from bridge.calls.state_machine import CallEvent, CallPhase
from tests.house.call_diagram import replaced
from tests.house.code_names import is_in_code
from tests.house.source import VENDORED, files, refuse, repository_files, text_of, tree_of

PAGE = "docs/explanation/architecture.md"
ROW = re.compile(r"^\| `([^`]+/)` \| (.+) \|$", re.MULTILINE)
QUOTED_NAME = re.compile(r"`([A-Z]\w*(?:\.\w+)?|[a-z]+(?:_\w+)+|[a-z]+[A-Z]\w*)`")
NOT_OURS = frozenset(
    {"create_task", "previous_response_id", "run_ended", "run_operation", "run_started", "tool_state"}
    | {*CallPhase, *CallEvent}
)
"""Of a library, of OpenAI's API, events, the name of a tool, and values of the table of calls."""


def test_every_package_is_in_a_table() -> None:
    """Nineteen of thirty-three modules were once missing, and nothing said so."""
    named = {folder for folder, _ in _rows()}
    there = {*_docstrings(), *_script_folders()}
    refuse(f"{PAGE} lacks `{folder}`" for folder in sorted(there - named))
    refuse(f"{PAGE}: there is no package `{folder}`" for folder in sorted(named - there))


def test_a_package_is_described_once() -> None:
    """What two places say of a package differs after the second change; its docstring is the one place."""
    first_lines = _docstrings()
    refuse(
        f"{PAGE}: `{folder}` is described as {sentence!r}, its docstring begins with {first_lines[folder]!r}"
        for folder, sentence in _rows()
        if first_lines.get(folder, sentence) != sentence
    )


def test_every_name_of_the_page_exists() -> None:
    """A reader follows a walk by searching for its names, one after the other."""
    refuse(
        f"{PAGE} names `{name}`, which does not exist"
        for name in QUOTED_NAME.findall(text_of(PAGE))
        if name not in NOT_OURS and not is_in_code(name)
    )


def test_a_walk_fits_on_a_screen() -> None:
    """What has to be scrolled is read as a reference, not as a way."""
    walks = re.findall(r"^## (Walk .*?)$(.*?)(?=^## )", text_of(PAGE), re.MULTILINE | re.DOTALL)
    assert len(walks) == 4
    refuse(f"{PAGE}: {title} is longer than 45 lines" for title, text in walks if text.count("\n") > 45)


def test_the_life_of_a_call_is_that_of_the_table() -> None:
    """A diagram drawn by hand is right until the next change of the table."""
    if replaced(text_of(PAGE)) != text_of(PAGE):
        refuse([f"{PAGE}: run python -m tests.house.call_diagram"])


def _rows() -> Iterator[tuple[str, str]]:
    yield from ROW.findall(text_of(PAGE))


def _docstrings() -> dict[str, str]:
    """First line of the docstring of each Python package, by folder."""
    return {
        name.removesuffix("__init__.py"): (ast.get_docstring(tree_of(name)) or "").partition("\n")[0]
        for name in files("/__init__.py", under=("bridge/", "toolserver/"))
    }


def _script_folders() -> set[str]:
    """Folders of the page, what is vendored among them."""
    parents = {
        f"{PurePosixPath(name).parent.as_posix()}/"
        for name in repository_files()
        if name.startswith("static/")
    }
    assert VENDORED in parents
    return parents - {"static/"}
