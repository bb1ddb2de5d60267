"""Ends with status 1 if a bridge runs on the data folder: the half of `make/no_second_bridge` in Python."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bridge.settings.running_bridge import default_folder, describe_running
from bridge.storage.write_ahead_log import WriteAheadLogInUse, check_unused


def main() -> int:
    """Read `--data` from the options of `tool-bridge demo`, and look there."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--data", type=Path, default=default_folder())
    options, _ = parser.parse_known_args()
    try:
        check_unused(options.data)
    except WriteAheadLogInUse as error:
        print(f"make run: {error}. {describe_running(options.data)}".rstrip(), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
