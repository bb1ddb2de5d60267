"""`tool-bridge serve` with its log as lines of JSON, as a process."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SHOP = Path(__file__).parents[2] / "examples" / "documents" / "shop.json"


def log_of(folder: Path, *options: str) -> list[dict[str, Any]]:
    """What a bridge logs from its start to its end, each line read as JSON."""
    command = [sys.executable, "-m", "bridge", "serve", "--json", "--port", "0", "--data", str(folder)]
    with subprocess.Popen(
        [*command, "--spec", str(SHOP), "--log-format", "json", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        json.loads(process.stdout.readline())
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=40)
    return [json.loads(line) for line in errors.splitlines()]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="it is stopped by a signal")
def test_a_log_of_json_is_json_to_the_last_line_and_as_loud_as_was_asked(tmp_path: Path) -> None:
    """A collector cannot read the one line that is not; a part that is too loud can be told so."""
    loud = log_of(tmp_path)
    assert all({"time", "level", "logger", "message"} <= set(line) for line in loud)
    first = next(line for line in loud if line["logger"] == "bridge.cli.serve.command")
    assert (first["level"], first["message"].split(":")[0]) == ("info", "Event loop")
    quiet = log_of(tmp_path, "--log-level-of", "cli=warning")
    assert not [line for line in quiet if line["logger"] == "bridge.cli.serve.command"]
