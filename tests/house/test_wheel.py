"""What is installed: the wheel holds what the bridge opens by path or loads by name, and nothing else."""

import hashlib
import json
import re
import tarfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from packaging.metadata import Metadata
from packaging.utils import parse_wheel_filename

from bridge.bundled import INSTALLED
from tests.house.source import ROOT, refuse, repository_files
from tests.support.wheel import build_both, build_wheel, copy_checkout

WHEEL_BYTES = 3_200_000
PACKAGES = ("bridge/", "toolserver/")
BUNDLED = ("extension/", "examples/", "plugins/")
"""Folders of the checkout that a wheel has in the package."""

PAGE = f"bridge/{INSTALLED}/built_page/"
EPOCH = 1_700_000_000
SHORT_OF = ("/.ci/", "/.devcontainer/", "/.github/", "/.git/", "/node_modules/", "/build/", "/.venv/")
"""What an sdist has no use for."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel of this checkout, built at a fixed time."""
    return build_both(tmp_path_factory.mktemp("built"), epoch=EPOCH)


def test_the_wheel_holds_what_is_used_and_nothing_else(built: Path) -> None:
    """An editable install finds what a wheel lacks, and so does every test that runs beside the sources."""
    wanted = {name for name in repository_files() if name.startswith(PACKAGES)}
    assert {"bridge/storage/migrations/versions/0016_initial.py", "bridge/py.typed"} <= wanted
    bundled = {f"bridge/{INSTALLED}/{name}" for name in repository_files() if name.startswith(BUNDLED)}
    assert f"bridge/{INSTALLED}/extension/manifest.json" in bundled
    held = {name for name in _names_of(_wheel(built)) if not name.startswith(PAGE)}
    about = {f"direct_tool_bridge-{_version()}.dist-info/{name}" for name in DIST_INFO}
    assert held == wanted | bundled | about


DIST_INFO = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")


def test_a_wheel_leaves_two_names_that_no_other_package_has(built: Path) -> None:
    """Finding house-H4: other packages bring `examples` and `static`, too; one removed what another used."""
    names = {name.partition("/")[0] for name in _names_of(_wheel(built))}
    assert names == {"bridge", "toolserver", f"direct_tool_bridge-{_version()}.dist-info"}


def test_a_wheel_is_small_and_has_the_page_once(built: Path) -> None:
    """Finding house-H4: source maps and sources, which an installed bridge never serves, were half of it."""
    assert _wheel(built).stat().st_size < WHEEL_BYTES
    assert not [name for name in _names_of(_wheel(built)) if name.endswith(".map") or "/static/" in name]


def test_the_metadata_say_what_an_index_shows(built: Path) -> None:
    """A version on an index cannot be changed any more; its description has no repository around it."""
    with zipfile.ZipFile(_wheel(built)) as archive:
        raw = archive.read(f"direct_tool_bridge-{_version()}.dist-info/METADATA")
    metadata = Metadata.from_email(raw, validate=False)
    assert (metadata.name, str(metadata.version)) == ("direct-tool-bridge", _version())
    assert (metadata.license_expression, metadata.license_files) == ("MIT", ["LICENSE"])
    assert str(metadata.requires_python) == ">=3.11"
    assert metadata.description_content_type == "text/markdown"
    classifiers = metadata.classifiers or []
    assert "Programming Language :: Python :: 3.11" in classifiers
    assert not [each for each in classifiers if each.startswith("License ::")], "the expression says it"
    links = re.findall(r"\]\(([^)]*)\)", metadata.description or "")
    refuse(f"deploy/package.md: {link}" for link in links if "://" not in link)


def test_the_built_page_is_complete(built: Path) -> None:
    """Every file that a document names or preloads is there, and compressed."""
    wheel = _wheel(built)
    names = set(_names_of(wheel))
    with zipfile.ZipFile(wheel) as archive:
        manifest = json.loads(archive.read(f"{PAGE}manifest.json"))
        loaded = {*manifest["preloads"]["index.html"], "style.css", "sections/tools_view.js"}
        assert loaded == {"app.js", "executor_worker.js", "style.css", "sections/tools_view.js"}
    for name in loaded:
        assert {f"{PAGE}{name}{end}" for end in ("", ".br", ".gz")} <= names


def test_an_sdist_needs_no_node_and_gives_the_same_wheel(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever installs from source has Python, and nothing else; and gets what was tested, to the byte."""
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        refuse(
            f"the sdist holds {name}"
            for name in archive.getnames()
            if any(part in f"/{name.partition('/')[2]}/" for part in SHORT_OF)
        )
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(EPOCH))
    again = build_wheel(tmp_path, source)
    assert f"{PAGE}manifest.json" in _names_of(again)
    assert again.read_bytes() == _wheel(built).read_bytes()


def test_another_checkout_gives_the_same_bytes(built: Path, tmp_path: Path) -> None:
    """Whoever doubts a package builds it again from the tag, and compares."""
    clone = copy_checkout(tmp_path / "clone")
    (clone / "node_modules").symlink_to(ROOT / "node_modules")
    again = build_both(tmp_path / "again", clone, epoch=EPOCH)
    assert _digests(again) == _digests(built)


def _wheel(built: Path) -> Path:
    (wheel,) = built.glob("*.whl")
    assert str(parse_wheel_filename(wheel.name)[1]) == _version()
    return wheel


def _version() -> str:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def _digests(folder: Path) -> Sequence[tuple[str, str]]:
    return sorted((path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in folder.iterdir())


def _names_of(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()
