"""`tool-bridge completion`: what a shell makes of its script."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["se"], ["serve", "settings"]),
        (["serve", "--appro"], ["--approve", "--approval-time"]),
        (["key", "--markers", "zero"], ["zero_width"]),
        (["check", "sho"], []),
        (["completion", "z"], ["zsh"]),
        (["call", "get"], ["getOpeningHours", "getProduct"]),
        (["call", "getProduct", "get"], []),
        (["smoke", "--tool", "li"], ["listProducts"]),
        (["call", "--k"], ["--key"]),
    ],
)
def test_a_shell_completes_commands_options_choices_and_tools(
    tmp_path: Path, words: list[str], expected: list[str]
) -> None:
    """Nobody remembers thirty options; the script holds them all, and asks the bridge for tools only.

    What is expanded by the shell must never run: here a name that no bridge gives.
    """
    program = tmp_path / "tool-bridge"
    listed = (
        "getProduct  GET /x  [shop]\nlistProducts  GET /y\n$(touch${IFS}ran)  GET /z\ngetOpeningHours  GET /h"
    )
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{listed}\nEND\n", encoding="utf-8")
    program.chmod(0o755)
    script = subprocess.run(
        [sys.executable, "-m", "bridge", "completion", "bash"], capture_output=True, text=True, check=True
    ).stdout
    asks = (
        f"COMP_WORDS=(tool-bridge {' '.join(words)}); COMP_CWORD={len(words)};"
        '_tool_bridge; echo "${COMPREPLY[@]}"'
    )
    environ = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ran = subprocess.run(
        ["bash", "-c", f"{script}\n{asks}"],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert sorted(ran.stdout.split()) == sorted(expected)
    assert [each.name for each in tmp_path.iterdir()] == ["tool-bridge"]
