"""`tool-bridge` under a bare number, as services and containers run it: a user without a home folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SHOP = Path(__file__).parents[2] / "examples" / "documents" / "shop.json"

NOBODY = """
import pwd, sys

def find_nobody(number):
    raise KeyError(number)

pwd.getpwuid = find_nobody
from bridge.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
"""The program for a user that the system does not know."""


def run(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", NOBODY, *words],
        env={"PATH": os.environ["PATH"], **environ},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("command", ["serve", "demo", "users", "link", "doctor", "backup"])
def test_a_command_that_needs_a_data_folder_asks_for_one(command: str) -> None:
    """Finding W-39: a traceback said "Could not determine home directory", with --data, too."""
    words = [command, "file"] if command == "backup" else [command]
    ended = run(*words)
    assert ended.returncode == 2
    assert "this user has no home folder: name a folder by --data or TOOL_BRIDGE_DATA" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("named_by", ["--data", "TOOL_BRIDGE_DATA", "XDG_DATA_HOME"])
def test_a_data_folder_that_is_named_needs_no_home(tmp_path: Path, named_by: str) -> None:
    """Finding W-39: whoever said where the data is has said everything."""
    words = ["init", *(["--data", str(tmp_path / "data")] if named_by == "--data" else [])]
    ended = run(*words, **({} if named_by == "--data" else {named_by: str(tmp_path / "data")}))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert list((tmp_path / "data").rglob("bridge.env"))


@pytest.mark.slow
def test_commands_that_need_no_data_run_without_a_home() -> None:
    """Finding W-39: a document is read, a bridge at an address is asked, and help is shown."""
    assert run("check", str(SHOP)).returncode == 0
    assert "getProduct" in run("tools", "--spec", str(SHOP)).stdout
    assert run("serve", "--help").returncode == 0
    asked = run("call", "getProduct", "--url", "http://127.0.0.1:9", "--key", "tbk_1")
    assert asked.returncode == 2
    assert "no bridge answers at http://127.0.0.1:9" in asked.stderr


def test_an_unattended_page_asks_for_a_profile(tmp_path: Path) -> None:
    """Finding W-39: the profile of its browser is the other folder that a home is looked up for."""
    policy = tmp_path / "page.toml"
    policy.write_text('[[servers]]\nurl = "https://api.example/openapi.json"\n')
    words = ("--url", "http://127.0.0.1:9", "--policy", str(policy), "--browser", "/bin/sh", "--no-sandbox")
    ended = run("page", *words)
    assert "this user has no home folder: name a folder for the profile by --profile" in ended.stderr
    assert "Traceback" not in ended.stderr
