"""What tests need is installed by the first that asks, and nothing before it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.programs import needs
from tests.support.programs.needs import Need

ROOT = Path(__file__).parents[2]
ASK = """
import sys
from tests.support.programs import needs
print(needs.find(needs.Need("Program", (sys.argv[1],))))
"""


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def under_make(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_INSTALL", "1")


def command(folder: Path, text: str) -> Need:
    """A need whose command writes into `runs` what it is asked, and then does this."""
    script = folder / "make-program"
    script.write_text(f'#!/bin/sh\ncd "$(dirname "$0")"\necho "asked $1" >>runs\n{text}\n')
    script.chmod(0o755)
    return Need("Program", (str(script),))


def runs_in(folder: Path) -> list[str]:
    return (folder / "runs").read_text().splitlines()


def ask_at_once(need: Need, processes: int) -> list[tuple[int, str, str]]:
    """Ask in processes of one run of pytest; the status of each, and what it wrote."""
    environ = os.environ | {"PYTEST_XDIST_TESTRUNUID": "this run", "TEST_INSTALL": "1"}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", ASK, *need.command],
            cwd=ROOT,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(processes)
    ]
    answers = [process.communicate(timeout=120) for process in started]
    return [(process.returncode, *answer) for process, answer in zip(started, answers, strict=True)]


def test_without_make_a_test_is_skipped_and_told_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Someone who runs pytest by hand has not asked for a browser of 100 MB."""
    monkeypatch.delenv("TEST_INSTALL", raising=False)
    need = command(tmp_path, "exit 1")
    with pytest.raises(pytest.skip.Exception, match=f"needs Program: {need.shown} installs it"):
        needs.find(need)
    assert runs_in(tmp_path) == ["asked --find"]


@pytest.mark.usefixtures("under_make")
def test_what_is_found_is_asked_for_once(tmp_path: Path) -> None:
    """Hundreds of tests ask."""
    need = command(tmp_path, "echo /here/program")
    assert [needs.find(need), needs.find(need)] == ["/here/program"] * 2
    assert runs_in(tmp_path) == ["asked "]


def test_several_processes_install_one_after_the_other(tmp_path: Path) -> None:
    """Two apt-get at once would stop one another; the second finds what the first has installed."""
    need = command(
        tmp_path, "[ -d installed ] || { mkdir installing && sleep 0.2 && mv installing installed; }\necho it"
    )
    assert ask_at_once(need, 3) == [(0, "it\n", "")] * 3


def test_what_cannot_be_installed_is_tried_and_said_once_in_a_run(tmp_path: Path) -> None:
    """Each try may take minutes, and hundreds of tests would tell it hundreds of times."""
    need = command(tmp_path, "echo 'type this: …' >&2\nexit 1")
    answers = ask_at_once(need, 3)
    assert [status for status, _, _ in answers] == [1] * 3
    assert sum("type this: …" in said for _, _, said in answers) == 1
    assert all(
        f"needs Program, which cannot be had here: {need.shown} says why" in said for _, _, said in answers
    )
    assert runs_in(tmp_path) == ["asked "]


@pytest.mark.usefixtures("under_make")
@pytest.mark.timeout(2)
def test_an_installation_does_not_count_as_the_time_of_a_test(tmp_path: Path) -> None:
    """A browser takes longer than any test may."""
    assert needs.find(command(tmp_path, "sleep 2.2\necho it")) == "it"
