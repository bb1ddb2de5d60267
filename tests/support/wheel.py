"""The wheel of this checkout, with the built page in it."""

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

from tests.house.source import ROOT, repository_files
from tests.support.programs import needs


def build_wheel(folder: Path, source: Path = ROOT, environ: Mapping[str, str] = os.environ) -> Path:
    """Build it into `folder`, which takes seconds; raises CalledProcessError with what hatchling wrote."""
    needs.find(needs.PAGE_TOOLS)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=source, env=environ, check=True, capture_output=True, timeout=120)
    (wheel,) = folder.glob("*.whl")
    return wheel


def build_both(folder: Path, source: Path = ROOT, *, epoch: int | None = None) -> Path:
    """Build sdist and wheel into `folder`, and return it; `epoch`: SOURCE_DATE_EPOCH."""
    needs.find(needs.PAGE_TOOLS)
    environ = os.environ if epoch is None else {**os.environ, "SOURCE_DATE_EPOCH": str(epoch)}
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=source, env=environ, check=True, capture_output=True, timeout=120)
    return folder


def copy_checkout(folder: Path) -> Path:
    """Copy what is in the repository into `folder`, without times, as another clone has it; returns it."""
    for name in repository_files():
        copied = folder / name
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copied)
    return folder


def unpack_wheel(folder: Path, wheel: Path | None = None) -> Path:
    """Unpack one, built anew if none is given.

    A Python with the folder that is returned on its path runs what is installed, not the checkout.
    """
    packages = folder / "installed"
    with zipfile.ZipFile(wheel or build_wheel(folder)) as archive:
        archive.extractall(packages)
    return packages
