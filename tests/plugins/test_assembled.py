"""The files that are pasted into Open WebUI."""

import ast
from pathlib import Path

import pytest

from plugins.open_webui.assemble import PLUGINS, assemble_plugin, check_names, write_plugins
from plugins.open_webui.try_in_open_webui import function_to_install
from tests.support.fake_open_webui import frontmatter, only_known_packages

BROUGHT = frozenset({"aiohttp", "jwt", "pydantic"})
"""Packages of Open WebUI's own that the plugins use."""

each_plugin = pytest.mark.parametrize("name", PLUGINS)


def test_the_written_files_are_the_plugins_that_are_tested(tmp_path: Path) -> None:
    """`make packages` and `make run` write them into folders that need not be there."""
    write_plugins(tmp_path / "new")
    written = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "new").iterdir()}
    assert written == {file: assemble_plugin(name) for name, file in PLUGINS.items()}


@each_plugin
def test_a_plugin_needs_nothing_but_what_open_webui_has(name: str) -> None:
    """S2-15, S4-26: one file, loaded from its text, with no package to be installed."""
    text = assemble_plugin(name)
    assert only_known_packages(text, BROUGHT) == []
    facts = frontmatter(text)
    assert {"title", "author", "version", "license", "description"} <= facts.keys()
    assert "requirements" not in facts


@pytest.mark.parametrize(
    "second", ["LIMIT: int = 2", "A, LIMIT = 1, 2", "def LIMIT(): ...", "class LIMIT: ..."]
)
def test_two_modules_of_a_plugin_may_not_define_the_same_name(second: str) -> None:
    """In one file the later one silently takes the place of the other."""
    modules = {"tools": ast.parse("LIMIT = 1"), "shown": ast.parse(second)}
    with pytest.raises(ValueError, match=r"^shown\.py defines LIMIT, which tools\.py defines, too\.$"):
        check_names(modules)


def test_names_within_functions_are_their_own() -> None:
    """Only what stands at the top of a file meets there."""
    check_names({"tools": ast.parse("LIMIT = 1"), "shown": ast.parse("def f():\n    LIMIT = 2")})


@pytest.mark.parametrize(
    ("installed", "named", "expected"),
    [
        ([], "", "direct_tool_bridge"),
        (["other", "direct_tool_bridge"], "", "direct_tool_bridge"),
        (["tool_bridge"], "", "tool_bridge"),
        (["direct_tool_bridge"], "mine", "mine"),
    ],
)
def test_the_script_brings_an_installed_pipe_up_to_date(
    installed: list[str], named: str, expected: str
) -> None:
    """Pasted, it has the id that Open WebUI makes of its title; a second one would list every model twice."""
    assert function_to_install(installed, named) == expected
