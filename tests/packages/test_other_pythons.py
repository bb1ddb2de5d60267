"""`make test-python` says why where it cannot try another Python."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "make" / "test-python"
BASICS = ("bash", "env", "dirname", "id", "realpath", "mktemp", "rm")


def run_with(folder: Path, *programs: str, **variables: str) -> tuple[int, str]:
    """Status and last line where only these programs are to be found, besides the basic ones."""
    for name in (*BASICS, *programs):
        found = shutil.which(name)
        (folder / name).symlink_to(found or "/bin/true")
    environ = {"PATH": str(folder), "TMPDIR": str(folder), **variables}
    ended = subprocess.run([SCRIPT], env=environ, capture_output=True, text=True, check=False, timeout=60)
    return ended.returncode, ended.stderr.strip().splitlines()[-1]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root comes so far")
@pytest.mark.parametrize(
    ("programs", "variables", "why"),
    [
        ((), {}, "there is no debootstrap: apt-get install -y debootstrap"),
        (("debootstrap",), {"SYSTEM": str(SCRIPT.parent / "system")}, "SYSTEM lies inside the repository"),
        (("debootstrap", "awk"), {}, "apt names no mirror of Debian: MIRROR=… make test-python"),
    ],
)
def test_what_is_lacking_is_said(
    tmp_path: Path, programs: tuple[str, ...], variables: dict[str, str], why: str
) -> None:
    """Finding house-H7: a proof that cannot be had here must not look like one that failed."""
    assert run_with(tmp_path, *programs, **variables) == (1, f"make test-python: not run: {why}")
    assert not [each for each in tmp_path.iterdir() if each.name.startswith("debian-13")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may do it")
def test_who_is_not_root_is_told(tmp_path: Path) -> None:
    """`chroot` refuses with fewer words."""
    assert run_with(tmp_path) == (1, "make test-python: not run: chroot needs root")
