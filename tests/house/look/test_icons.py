"""Icons come from one file of Lucide's, which has those that the page names and no others."""

import re

from make.take_icons import VERSION, named_icons
from tests.house.source import VENDORED, files, text_of

ICONS = f"{VENDORED}lucide-{VERSION}.svg"


def test_the_file_has_the_icons_that_the_type_names() -> None:
    """ADR 72: an icon that is missing would be an empty square, which no test of words sees."""
    assert re.findall(r'<symbol id="([a-z0-9-]+)"', text_of(ICONS)) == named_icons()
    assert named_icons() == sorted(named_icons())


def test_only_what_is_used_is_built_in() -> None:
    """Issue 43 point 7: an icon set kept by others, only what is used."""
    scripts = "".join(text_of(name) for name in (*files(".js", under=("static/",)), "static/index.html"))
    assert [name for name in named_icons() if f'"{name}"' not in scripts and f"#{name}" not in scripts] == []


def test_the_page_names_the_present_version() -> None:
    """Two places name the file: what draws before any script runs, and what draws afterwards."""
    name = ICONS.removeprefix("static/")
    for place in ("static/index.html", "static/ui/icon.js"):
        assert re.findall(r"vendor/lucide-[\d.]+\.svg", text_of(place)) == [name]
