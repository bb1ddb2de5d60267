"""What is installed: the wheel holds everything that the bridge opens by path or loads by name."""

import subprocess
import sys
import zipfile
from pathlib import Path

from tests.house.source import ROOT, files


def test_the_wheel_holds_every_module_page_migration_and_example(tmp_path: Path) -> None:
    """An editable install finds what a wheel lacks, and so does every test that runs beside the sources."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=60)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    packages = ("bridge/", "toolserver/", "static/", "examples/", "plugins/")
    wanted = set(files("", under=packages))
    assert "bridge/storage/migrations/versions/0001_initial.py" in wanted
    assert "static/executor/tool_runner.js" in wanted
    assert sorted(wanted - held) == []
