"""What is installed: the wheel holds everything that the bridge opens by path or loads by name."""

import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from tests.house.source import ROOT, files
from tests.support.wheel import build_wheel

PAGE_BYTES = 90_000
"""Of the page with its longest way in, the list of tools, and of the worker, compressed."""


def test_the_wheel_holds_every_module_page_migration_and_example(tmp_path: Path) -> None:
    """An editable install finds what a wheel lacks, and so does every test that runs beside the sources."""
    held = set(_names_of(build_wheel(tmp_path)))
    packages = ("bridge/", "toolserver/", "static/", "extension/", "examples/", "plugins/")
    wanted = set(files("", under=packages))
    assert "bridge/storage/migrations/versions/0001_initial.py" in wanted
    assert {"static/executor/tool_runner.js", "extension/manifest.json"} <= wanted
    assert sorted(wanted - held) == []


def test_the_built_page_is_small_and_complete(tmp_path: Path) -> None:
    """Every file that a document names or preloads is there, and compressed."""
    wheel = build_wheel(tmp_path)
    names = set(_names_of(wheel))
    with zipfile.ZipFile(wheel) as archive:
        manifest = json.loads(archive.read("built_page/manifest.json"))
        loaded = {*manifest["preloads"]["index.html"], "style.css", "sections/tools_view.js"}
        assert loaded == {"app.js", "executor_worker.js", "style.css", "sections/tools_view.js"}
        assert sum(len(archive.read(f"built_page/{name}.br")) for name in loaded) < PAGE_BYTES
    for name in loaded:
        assert {f"built_page/{name}{end}" for end in ("", ".br", ".gz", ".map")} <= names


def test_an_sdist_needs_no_node_to_become_a_wheel_with_the_page(tmp_path: Path) -> None:
    """Whoever installs from source has Python, and nothing else."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (sdist,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    assert not (source / "node_modules").exists()
    assert "built_page/manifest.json" in _names_of(build_wheel(tmp_path, source))


def _names_of(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()
