"""`tool-bridge serve` on each event loop that it knows, as a process."""

import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.support.commands import run_command

pytestmark = pytest.mark.slow

SHOP = Path(__file__).parents[2] / "examples" / "documents" / "shop.json"


@pytest.mark.parametrize(
    ("options", "logged"),
    [
        ((), "INFO bridge.cli.serve.command: Event loop: uvloop (it is installed)."),
        (
            ("--event-loop", "uvloop"),
            "INFO bridge.cli.serve.command: Event loop: uvloop (the settings say so).",
        ),
        (
            ("--event-loop", "asyncio"),
            "INFO bridge.cli.serve.command: Event loop: asyncio (the settings say so).",
        ),
    ],
    ids=["auto", "uvloop", "asyncio"],
)
@pytest.mark.skipif(sys.platform == "win32", reason="uvloop has no build for Windows")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_bridge_serves_and_stops_on_either_event_loop(
    tmp_path: Path, options: tuple[str, ...], logged: str, number: signal.Signals
) -> None:
    """Its document worker is a child process, its end a signal: both belong to the loop."""
    command = [sys.executable, "-m", "bridge", "serve", "--json", "--port", "0", "--data", str(tmp_path)]
    with subprocess.Popen(
        [*command, "--spec", str(SHOP), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        facts = json.loads(process.stdout.readline())
        asked = urllib.request.Request(
            f"{facts['base_url']}/openapi.json", headers={"Authorization": f"Bearer {facts['key']}"}
        )
        with urllib.request.urlopen(asked, timeout=30) as answer:
            assert "openapi" in json.load(answer)
        process.send_signal(number)
        output, errors = process.communicate(timeout=40)
    assert (output, process.returncode) == ("", 0)
    assert logged in errors.splitlines()
    assert [line for line in errors.splitlines() if not line.startswith("INFO ")] == []


def test_an_event_loop_that_is_not_known_is_refused(tmp_path: Path) -> None:
    """The message says which there are."""
    environ = {"TOOL_BRIDGE_EVENT_LOOP": "tokio"}
    started = run_command("serve", "--port", "0", "--data", str(tmp_path), environ=environ)
    assert started.status == 2
    assert "TOOL_BRIDGE_EVENT_LOOP must be auto, uvloop or asyncio, not 'tokio'." in started.errors
