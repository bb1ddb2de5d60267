"""`tool-bridge` run by a user without a home folder, as services and containers often are."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.operating_system import NoHomeFolder, home_folder, is_superuser
from tests.features import ROOT

NOBODYS_ID = 54_321
"""A user that no machine knows: there is no entry that could name a home folder."""

PARSE = f"""\
import os, sys
import bridge.cli.serve_options
from bridge.cli.command_parser import build_parser
os.setuid({NOBODYS_ID})  # not before: it may not be allowed to read this Python
print(build_parser(["serve"])[0].parse_args(["serve", *sys.argv[1:]]).data)
"""

as_another_user = pytest.mark.skipif(not is_superuser(), reason="only root may run a program as another user")


def parse_without_home(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PARSE, *words],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **environ},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@as_another_user
def test_a_command_needs_no_home_folder_where_the_data_folder_is_named() -> None:
    """Finding W-39: the folder that nobody asked for was looked up first, and ended in a traceback."""
    assert parse_without_home("--data", "/srv/bridge").stdout == "/srv/bridge\n"
    assert parse_without_home(TOOL_BRIDGE_DATA="/srv/bridge").stdout == "/srv/bridge\n"
    assert parse_without_home(XDG_DATA_HOME="/srv").stdout == "/srv/tool-bridge\n"


@as_another_user
def test_without_a_home_folder_a_sentence_asks_for_the_data_folder() -> None:
    """Finding W-39: what can be done belongs into the message."""
    ended = parse_without_home()
    assert ended.returncode == 2
    assert "no home folder: name a folder by --data or TOOL_BRIDGE_DATA" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_home_folder_that_cannot_be_told_is_an_error_of_its_own() -> None:
    """Finding W-39: the page without a person looks for one, too, and `make run`."""

    def without_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    with pytest.raises(NoHomeFolder, match="no home folder"):
        home_folder(without_home)
