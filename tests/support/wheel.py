"""The wheel of this checkout, with the built page in it."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.house.source import ROOT
from tests.support.programs import needs


def build_wheel(folder: Path, source: Path = ROOT) -> Path:
    """Build it into `folder`, which takes seconds; raises CalledProcessError with what hatchling wrote."""
    needs.find(needs.PAGE_TOOLS)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True, timeout=120)
    (wheel,) = folder.glob("*.whl")
    return wheel


def build_both(folder: Path, source: Path = ROOT, *, epoch: int | None = None) -> Path:
    """Build sdist and wheel into `folder`, and return it; `epoch`: SOURCE_DATE_EPOCH."""
    needs.find(needs.PAGE_TOOLS)
    environ = os.environ if epoch is None else {**os.environ, "SOURCE_DATE_EPOCH": str(epoch)}
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=source, env=environ, check=True, capture_output=True, timeout=120)
    return folder


def unpack_wheel(folder: Path) -> Path:
    """Build and unpack it; a Python with this folder on its path runs what is installed, not the checkout."""
    packages = folder / "installed"
    with zipfile.ZipFile(build_wheel(folder)) as archive:
        archive.extractall(packages)
    return packages
