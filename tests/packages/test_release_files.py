"""What goes out with a release beside the packages: the list of components, and the notes."""

import json
import re
from typing import Any

import pytest

from bridge import __version__
from make.release_notes import UNRELEASED, NoNotes, notes_of
from make.sbom import list_components
from tests.clients.environments import RELEASE
from tests.house.source import ROOT, text_of
from tests.support.programs import needs

CHANGELOG = """# Changelog

## [Unreleased]

## [1.1.0] - 2026-12-01

- New, see [the page](docs/new.md) and [others](https://example.org/x).
- Newer ([how](docs/new.md),
  [why](docs/adr/1.md#so)), and newest ([how](docs/new.md), or not).

## [1.0.0]

- First.
"""


def test_notes_are_the_section_of_their_version_without_links_into_the_repository() -> None:
    """They are read on a page of releases, where a relative link leads nowhere."""
    assert notes_of("1.1.0", CHANGELOG) == (
        "- New, see the page and [others](https://example.org/x).\n- Newer, and newest (how, or not).\n"
    )


@pytest.mark.parametrize(
    ("version", "said"), [("2.0.0", "no heading"), ("1.0.0", "no date"), (UNRELEASED, "is empty")]
)
def test_a_release_without_notes_is_none(version: str, said: str) -> None:
    """Whoever updates reads them first; they are not written afterwards."""
    with pytest.raises(NoNotes, match=said):
        notes_of(version, CHANGELOG)


def test_the_changelog_of_this_repository_has_notes_of_what_is_next() -> None:
    """Its headings are those that the command looks for."""
    assert notes_of(UNRELEASED, text_of("CHANGELOG.md")).startswith("The first release:")


@pytest.mark.slow
def test_the_list_of_components_has_every_package_of_the_lock_and_every_vendored_script() -> None:
    """Whoever looks for a library with a hole in it looks here, and finds its version and digest."""
    needs.need_environment(RELEASE)
    listed = list_components()
    assert json.dumps(listed) == json.dumps(list_components()), "the same bytes each time"
    found = {(each["name"], each["version"]) for each in listed["components"]}
    locked = re.findall(r"^([a-z0-9.-]+)==(\S+)", text_of("requirements.lock"), re.MULTILINE)
    vendored = [path for path in (ROOT / "static" / "vendor").iterdir() if path.suffix in {".js", ".svg"}]
    assert {_plain(name, version) for name, version in locked} <= {_plain(*each) for each in found}
    assert len(found) == len(locked) + len(vendored)
    assert all(_digests(each) for each in listed["components"])
    assert _root(listed) == ("direct-tool-bridge", __version__)


def _plain(name: str, version: str) -> tuple[str, str]:
    return re.sub(r"[-_.]+", "-", name).lower(), version


def _digests(component: dict[str, Any]) -> list[Any]:
    return [
        *component.get("hashes", []),
        *(x for ref in component.get("externalReferences", []) for x in ref["hashes"]),
    ]


def _root(listed: dict[str, Any]) -> tuple[str, str]:
    root = listed["metadata"]["component"]
    return root["name"], root["version"]
