"""`make test` runs the Node tests beside pytest's; both are played."""

import os
import select
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """`make/test` beside one Node test; programs are yet to be played."""
    folder = tmp_path / "checkout"
    for name in ("make", "tests/page", "tests/extension", "tests/http/api/__pycache__"):
        (folder / name).mkdir(parents=True)
    (folder / "tests" / "page" / "one.test.js").touch()
    shutil.copy(ROOT / "make" / "test", folder / "make" / "test")
    return folder


def play(checkout: Path, **texts: str) -> None:
    for name, text in texts.items():
        program = checkout / ".venv" / "bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)


@pytest.mark.parametrize(
    ("node", "pytest_", "status"), [("true", "true", 0), ("exit 1", "true", 1), ("true", "exit 1", 1)]
)
def test_it_fails_if_one_of_them_does_and_shows_what_node_printed(
    checkout: Path, node: str, pytest_: str, status: int
) -> None:
    """The Node tests end first and wait: without this, no one would see that one of them failed."""
    play(checkout, node=f"echo dots; {node}", pytest=pytest_)
    done = subprocess.run(
        [checkout / "make" / "test"], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode != 0) == bool(status), done.stderr
    assert done.stdout == "dots\n"
    assert ("Not all tests passed." in done.stderr) == bool(status)


def test_an_interruption_ends_the_node_tests_too(checkout: Path, tmp_path: Path) -> None:
    """Else they go on for some seconds, and the prompt waits for them."""
    for name in ("node", "pytest"):
        os.mkfifo(tmp_path / name)
    play(
        checkout,
        node=f'echo $$ >"{tmp_path}/node"; exec sleep 60',
        pytest=f'echo $$ >"{tmp_path}/pytest"; exec sleep 60',
    )
    with subprocess.Popen(
        [checkout / "make" / "test"], stderr=subprocess.DEVNULL, start_new_session=True
    ) as running:
        written = [(tmp_path / name).read_text() for name in ("node", "pytest")]  # they run now
        descriptors = [os.pidfd_open(int(pid)) for pid in written]
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does
        assert running.wait(50) == 130
    for descriptor in descriptors:
        assert select.select([descriptor], [], [], 20)[0], "it has ended"
        os.close(descriptor)
