"""Where the data folder is, which bridge runs on it, and whether one could listen.

Standard library only: `make run` asks before anything is installed.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bridge.operating_system import home_folder, is_running

RUNNING_FILE = "running.json"
"""File in the data folder that says where the bridge using it can be reached."""

DATA_VARIABLE = "TOOL_BRIDGE_DATA"

DEFAULT_PORT = 8765
"""The default port is fixed, because browser storage is per origin (ruling 25)."""


def default_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Return `TOOL_BRIDGE_DATA`, else `tool-bridge` in the user's data folder (XDG base directories).

    Raises:
        NoHomeFolder: the environment names neither, and the user has no home folder.
    """
    if chosen := environ.get(DATA_VARIABLE):
        return Path(chosen)
    base = environ.get("XDG_DATA_HOME")
    return (Path(base) if base else home_folder() / ".local" / "share") / "tool-bridge"


def running_bridge(data_dir: Path) -> dict[str, Any] | None:
    """Return the facts that the bridge on this data folder wrote, if its process is running.

    On Windows a bridge that was killed counts as running: a process cannot be asked for there.
    """
    running = written_facts(data_dir)
    return running if running is not None and is_running(running["pid"]) else None


def written_facts(data_dir: Path) -> dict[str, Any] | None:
    """Return the facts that a bridge wrote, running or killed.

    `base_url`, `pid`, `key_ids`, `database` (`sqlite` or `postgresql`), `replica`.
    """
    try:
        return json.loads((data_dir / RUNNING_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def describe_running(data_dir: Path) -> str:
    """Return the sentence that says where the bridge on a data folder runs; "" if it has not written that."""
    running = running_bridge(data_dir)
    return "" if running is None else f"It runs at {running['base_url']}/ as process {running['pid']}."


def refusal_to_listen(host: str, port: int) -> str | None:
    """Return why a bridge cannot listen there now; None if it can. Port 0 is any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        return reason_of_refusal(error)
    except OverflowError as error:  # no port at all
        return str(error).rstrip(".")
    return None


def reason_of_refusal(error: OSError) -> str:
    """Return why nothing can listen, without the address that the library repeats in its text."""
    code = error.errno or 0  # names that cannot be resolved have negative ones
    return os.strerror(code) if code > 0 else error.strerror or str(error)
