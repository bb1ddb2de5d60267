"""`make run` in a fresh clone: before anything is installed, and how far it says that it is."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from bridge.storage.write_ahead_log import WriteAheadLog
from tests.support.terminals import running_in_terminal

ROOT = Path(__file__).parents[2]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The program without `.venv`, and nowhere to install packages from."""
    folder = tmp_path / "clone"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, folder)
    for name in ("make", "bridge", "plugins"):
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


@pytest.fixture
def ready_clone(clone: Path) -> Path:
    """A clone that installs nothing, in which the program only says with what it was started."""
    _write_program(clone / "make" / "setup", "echo Installing the packages >&2")
    (clone / ".venv" / "bin").mkdir(parents=True)
    _write_program(clone / ".venv" / "bin" / "tool-bridge", 'echo "tool-bridge $*"')
    return clone


def _write_program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def test_make_run_speaks_before_anything_else_happens(clone: Path, tmp_path: Path) -> None:
    """Finding F-24: it was silent for twelve seconds. Here the first step never ends."""
    os.mkfifo(tmp_path / "never")
    _write_program(tmp_path / "python", f"read line <{tmp_path}/never")
    environ = {**offline(clone), "PYTHON": str(tmp_path / "python")}
    with running_in_terminal(command("--port 0"), clone, environ) as made:
        assert "Ctrl+C stops it" in made.read_until("\n")


def test_make_run_says_at_which_step_it_is(ready_clone: Path, tmp_path: Path) -> None:
    """Without a terminal in whole lines: a log has them one below the other."""
    ran = make_run(ready_clone, f"--port 0 --data '{tmp_path}/data'")
    assert ran.returncode == 0
    said = re.sub(r"\d+\.\d+( s|\.\d+)", "N", ran.stderr).splitlines()
    assert said == [
        "make run sets up and starts a bridge with sample APIs. Ctrl+C stops it.",
        "[1/4] environment: Python N; data folder and port are free",
        "[2/4] packages: …",
        "Installing the packages",
        "[2/4] packages: ready after N",
        "[3/4] page: …",
        "[3/4] page: not built after N (build/page.log says why); its sources are served, which are slower",
        "[4/4] start: the bridge and its sample APIs",
    ]
    assert ran.stdout == f"tool-bridge demo --build {ready_clone}/build --port 0 --data {tmp_path}/data\n"
    assert "The page cannot be built" in (ready_clone / "build" / "page.log").read_text()
    plugins = {path.name for path in (ready_clone / "build" / "plugins").iterdir()}
    assert plugins == {"tool_bridge_pipe.py", "tool_bridge_subquery.py"}


def test_a_terminal_shows_how_long_a_step_takes(ready_clone: Path, tmp_path: Path) -> None:
    """A line that counts is alive; what the installer says stands above it, on a line of its own."""
    os.mkfifo(tmp_path / "go on")
    _write_program(ready_clone / "make" / "setup", f"read line <'{tmp_path}/go on'; echo Almost done >&2")
    with running_in_terminal(command("--port 0"), ready_clone, offline(ready_clone)) as made:
        made.read_until("\r\033[K[2/4] packages: 2 s")
        (tmp_path / "go on").write_text("now\n")
        said = made.read_to_end()
    assert "\r\033[KAlmost done\r\n" in said
    assert re.search(r"\r\033\[K\[2/4\] packages: ready after \d+\.\d s\r\n", said)


def test_an_installation_that_fails_ends_make_run_with_its_status(ready_clone: Path) -> None:
    """A script that starts the bridge must learn of it."""
    _write_program(ready_clone / "make" / "setup", "echo no network >&2; exit 3")
    ran = make_run(ready_clone, "--port 0")
    assert ran.returncode != 0
    assert "Error 3" in ran.stderr
    assert "no network\n[2/4] packages: not installed after" in ran.stderr
    assert ran.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "environ", "added"),
    [
        ("--port 0", {"DISPLAY": ":0"}, ["--open"]),
        ("--port 0 --no-open", {"DISPLAY": ":0"}, ["--open"]),
        ("--port 0 --json", {"DISPLAY": ":0"}, []),
        ("--port 0", {"DISPLAY": ":0", "SSH_CONNECTION": "::1 1 ::1 22"}, []),
        ("--port 0", {"DISPLAY": ":0", "CI": "true"}, []),
        ("--port 0", {}, []),
    ],
)
def test_make_run_opens_the_page_where_a_person_sits_before_a_screen(
    ready_clone: Path, arguments: str, environ: dict[str, str], added: list[str]
) -> None:
    """The arguments of the user come last, so `--no-open` wins."""
    elsewhere = ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "SSH_TTY", "CI")
    usual = {name: value for name, value in offline(ready_clone).items() if name not in elsewhere}
    with running_in_terminal(command(arguments), ready_clone, usual | environ) as made:
        started_with = made.read_to_end().partition("tool-bridge demo")[2].split()
    assert started_with[2:] == [*added, *arguments.split()]


def test_control_c_ends_an_installation_without_a_traceback(ready_clone: Path, tmp_path: Path) -> None:
    """The first line promises it, also before there is a bridge to stop."""
    os.mkfifo(tmp_path / "never")
    _write_program(ready_clone / "make" / "setup", f"echo Begun >&2; read line <'{tmp_path}/never'")
    with running_in_terminal(command("--port 0"), ready_clone, offline(ready_clone)) as made:
        made.read_until("Begun")
        made.press_control_c()
        said = made.read_to_end()
    assert "Traceback" not in said
    assert "[3/4]" not in said
