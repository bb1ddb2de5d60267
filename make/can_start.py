"""Ends with status 1 if a bridge would refuse to start: the half of `make/can_start` in Python."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from bridge.operating_system import NoHomeFolder
from bridge.settings.running_bridge import DEFAULT_PORT, default_folder, describe_running, refusal_to_listen
from bridge.storage.write_ahead_log import WriteAheadLogInUse, check_unused


def main() -> int:
    """Read `--data`, `--host` and `--port` from the options of `tool-bridge demo`, and look there."""
    parser = argparse.ArgumentParser("make run", add_help=False, allow_abbrev=False)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--host", default=os.environ.get("TOOL_BRIDGE_HOST") or "127.0.0.1")
    parser.add_argument("--port", type=int, default=os.environ.get("TOOL_BRIDGE_PORT") or str(DEFAULT_PORT))
    options, _ = parser.parse_known_args()
    try:
        data = options.data or default_folder()
    except NoHomeFolder as error:
        return _refuse(f"{error}. Name a folder: TOOL_BRIDGE_DATA=FOLDER make run")
    try:
        check_unused(data)
    except WriteAheadLogInUse as error:
        return _refuse(f"{error}. {describe_running(data)}".rstrip())
    if refusal := refusal_to_listen(options.host, options.port):
        advice = 'Stop the program that listens there, or choose another port: make run ARGS="--port N".'
        return _refuse(f"a bridge cannot listen on {options.host}:{options.port}: {refusal}. {advice}")
    return 0


def _refuse(why: str) -> int:
    print(f"make run: {why}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
