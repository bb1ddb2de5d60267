"""`make run` in a fresh clone, before anything is installed."""

import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from bridge.storage.write_ahead_log import WriteAheadLog

ROOT = Path(__file__).parents[2]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The program without `.venv`, and nowhere to install packages from."""
    folder = tmp_path / "clone"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, folder)
    for name in ("make", "bridge"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@contextmanager
def bridge_on(data: Path) -> Generator[None]:
    """What a running bridge holds and writes in its data folder."""
    data.mkdir()
    log = WriteAheadLog.open_log(data)
    (data / "running.json").write_text(json.dumps({"base_url": "http://127.0.0.1:8642", "pid": os.getpid()}))
    yield
    log.close()


def make_run(clone: Path, arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(arguments),
        cwd=clone,
        env=offline(clone) | environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def command(arguments: str) -> list[str]:
    return ["make", "--silent", "run", f"ARGS={arguments}"]


def offline(clone: Path) -> dict[str, str]:
    return {**os.environ, "PIP_NO_INDEX": "1", "HOME": str(clone)}


def first_words_of_make_run(clone: Path, arguments: str) -> str:
    """What it says until it installs packages, which takes a minute on a busy machine: it is ended then."""
    with subprocess.Popen(
        command(arguments),
        cwd=clone,
        env=offline(clone),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as begun:
        assert begun.stderr is not None
        said = ""
        try:
            while "Installing the packages" not in said and (line := begun.stderr.readline()):
                said += line
        finally:
            with suppress(ProcessLookupError):
                os.killpg(begun.pid, signal.SIGKILL)
    return said


@pytest.mark.parametrize("named_by", ["option", "variable", "default"])
def test_a_second_make_run_says_where_the_first_runs_and_installs_nothing(
    clone: Path, tmp_path: Path, named_by: str
) -> None:
    """D13: an installation of a minute that ends in a refusal."""
    data = tmp_path / "shared folder" if named_by != "default" else tmp_path / "tool-bridge"
    arguments = f"--port 0 --data '{data}' --json" if named_by == "option" else "--port 0"
    environ = {"TOOL_BRIDGE_DATA": str(data)} if named_by == "variable" else {"XDG_DATA_HOME": str(tmp_path)}
    with bridge_on(data):
        refused = make_run(clone, arguments, **environ)
    assert refused.returncode != 0
    assert f"another tool-bridge runs on {data}" in refused.stderr
    assert f"It runs at http://127.0.0.1:8642/ as process {os.getpid()}." in refused.stderr
    assert not (clone / ".venv").exists()


@pytest.mark.parametrize("named_by", ["option", "variable"])
def test_a_port_that_another_program_has_is_told_before_anything_is_installed(
    clone: Path, tmp_path: Path, named_by: str
) -> None:
    """The bridge would say so, a minute later."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        arguments = f"--data '{tmp_path / 'data'}'" + (f" --port {port}" if named_by == "option" else "")
        refused = make_run(clone, arguments, TOOL_BRIDGE_PORT="0" if named_by == "option" else str(port))
    assert refused.returncode != 0
    assert f"cannot listen on 127.0.0.1:{port}" in refused.stderr
    assert "--port" in refused.stderr
    assert not (clone / ".venv").exists()


def test_a_bridge_that_was_killed_does_not_stop_make_run(clone: Path, tmp_path: Path) -> None:
    """Its number may be another process's by now; it holds no lock any more."""
    with bridge_on(tmp_path / "data"):
        pass
    said = first_words_of_make_run(clone, f"--port 0 --data '{tmp_path / 'data'}'")
    assert "another tool-bridge" not in said
    assert "Installing the packages" in said


def test_an_environment_that_another_checkout_lends_by_a_link_is_left_alone(
    clone: Path, tmp_path: Path
) -> None:
    """It is another one's: to make it anew here would empty it there."""
    (tmp_path / "lent").mkdir()
    (tmp_path / "lent" / "place").write_text("another checkout")
    (clone / ".venv").symlink_to(tmp_path / "lent")
    assert "Installing the packages" in first_words_of_make_run(clone, f"--port 0 --data '{tmp_path}/data'")
    assert (tmp_path / "lent" / "place").read_text() == "another checkout"
    assert not (clone / ".venv").is_symlink()
