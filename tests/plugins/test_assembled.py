"""The files that are pasted into Open WebUI."""

import pytest

from plugins.open_webui.assemble import HERE, PLUGINS, assembled
from tests.support.fake_open_webui import frontmatter, only_known_packages

BROUGHT = frozenset({"aiohttp", "jwt", "pydantic"})
"""Packages of Open WebUI's own that the plugins use."""

each_plugin = pytest.mark.parametrize("name", PLUGINS)


@each_plugin
def test_a_plugin_is_what_its_modules_make(name: str) -> None:
    """Else what is tested is not what is pasted: `python -m plugins.open_webui.assemble`."""
    assert (HERE / PLUGINS[name]).read_text(encoding="utf-8") == assembled(name)


@each_plugin
def test_a_plugin_needs_nothing_but_what_open_webui_has(name: str) -> None:
    """S2-15, S4-26: one file, loaded from its text, with no package to be installed."""
    text = (HERE / PLUGINS[name]).read_text(encoding="utf-8")
    assert only_known_packages(text, BROUGHT) == []
    facts = frontmatter(text)
    assert {"title", "author", "version", "license", "description"} <= facts.keys()
    assert "requirements" not in facts
