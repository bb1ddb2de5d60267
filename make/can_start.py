"""Why a bridge would refuse to start: one runs on its data folder, or its port is taken.

Needs nothing installed: `make run` asks before it installs.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from bridge.operating_system import NoHomeFolder
from bridge.settings.running_bridge import DEFAULT_PORT, default_folder, describe_running, refusal_to_listen
from bridge.storage.errors import FolderInUse
from bridge.storage.write_ahead_log import check_unused


def refusal_of(arguments: Sequence[str]) -> str | None:
    """Look at `--data`, `--host` and `--port` of the arguments of `tool-bridge demo`; None: it can start."""
    parser = argparse.ArgumentParser("make run", add_help=False, allow_abbrev=False)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--host", default=os.environ.get("TOOL_BRIDGE_HOST") or "127.0.0.1")
    parser.add_argument("--port", type=int, default=os.environ.get("TOOL_BRIDGE_PORT") or str(DEFAULT_PORT))
    options, _ = parser.parse_known_args(arguments)
    try:
        data = options.data or default_folder()
    except NoHomeFolder as error:
        return f"{error}. Name a folder: TOOL_BRIDGE_DATA=FOLDER make run"
    try:
        check_unused(data)
    except FolderInUse as error:
        return f"{error}. {describe_running(data)}".rstrip()
    if refusal := refusal_to_listen(options.host, options.port):
        advice = 'Stop the program that listens there, or choose another port: make run ARGS="--port N".'
        return f"a bridge cannot listen on {options.host}:{options.port}: {refusal}. {advice}"
    return None
