"""`make check` runs pyright beside the other checks; the checks are played."""

import os
import select
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = ("node", "ruff", "lint-imports", "codespell", "pytest")
OTHERS = ("page_tools", "lint_extension", "audit_dependencies")
Play = Callable[..., None]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Has `make/check` beside programs that do nothing; takes what some of them do instead."""
    folder = tmp_path / "checkout"
    for name in (*(f".venv/bin/{name}" for name in PROGRAMS), *(f"make/{name}" for name in OTHERS)):
        script(folder / name, "true")
    shutil.copy(ROOT / "make" / "check", folder / "make" / "check")

    def has(**texts: str) -> None:
        for name, text in texts.items():
            script(folder / ".venv" / "bin" / name, text)

    return has


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def check(tmp_path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [tmp_path / "checkout" / "make" / "check"], capture_output=True, text=True, check=False, timeout=60
    )


def test_pyright_and_the_other_checks_do_not_wait_for_each_other(play: Play, tmp_path: Path) -> None:
    """Issue 38: one core of two was idle."""
    meet = f'case "$*" in *pyright*) read -r _ <"{tmp_path}/pipe";; esac'
    os.mkfifo(tmp_path / "pipe")
    play(node=meet, pytest=f'echo done >"{tmp_path}/pipe"')  # the last of the others frees the first
    done = check(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("make check: all passed\n")


def test_every_check_runs_and_all_that_failed_are_named_at_the_end(play: Play, tmp_path: Path) -> None:
    """Who mends one after the other waits for each; and words of two checks must not mix."""
    play(node='case "$*" in *pyright*) echo one; echo two; exit 1;; esac', codespell="echo three; exit 65")
    done = check(tmp_path)
    assert done.returncode == 1
    assert "== pyright: failed\none\ntwo\n" in done.stderr
    assert "== codespell: failed\nthree\n" in done.stderr
    last = done.stderr.splitlines()[-1].removeprefix("make check: failed: ")
    assert sorted(last.split(",")) == ["codespell", "pyright"]
    assert "== house rules\n" in done.stderr


def test_a_page_that_is_not_formatted_fails_a_warning_included(play: Play, tmp_path: Path) -> None:
    """Finding house-H13: the page had neither formatter nor linter, and lines of 545 columns."""
    play(node='case "$*" in *"biome check --error-on-warnings") echo wide; exit 1;; esac')
    done = check(tmp_path)
    assert done.returncode == 1
    assert "== biome: failed\nwide\n" in done.stderr


def test_an_interruption_ends_both_lanes(play: Play, tmp_path: Path) -> None:
    """Else pyright goes on for a minute behind the prompt."""
    for name in ("types", "others"):
        os.mkfifo(tmp_path / name)
    play(
        **{
            program: f'echo $$ >"{tmp_path}/{lane}"; exec sleep 60'
            for program, lane in (("node", "types"), ("ruff", "others"))
        }
    )
    with subprocess.Popen(
        [tmp_path / "checkout" / "make" / "check"], stderr=subprocess.DEVNULL, start_new_session=True
    ) as running:
        written = [(tmp_path / name).read_text() for name in ("types", "others")]  # they run now
        descriptors = [os.pidfd_open(int(pid)) for pid in written]
        running.send_signal(signal.SIGINT)
        assert running.wait(20) == 130
    for descriptor in descriptors:
        assert select.select([descriptor], [], [], 20)[0], "it has ended"
        os.close(descriptor)
