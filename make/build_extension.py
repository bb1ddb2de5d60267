"""Packs the companion extension into a file and prints its digest."""

import argparse
import hashlib
import sys
from pathlib import Path

from bridge.http.companion import build_archive


def main() -> None:
    """Write the archive; the same files give the same bytes on every machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=Path)
    parser.add_argument("browser", nargs="?", choices=("chromium", "firefox"), default="chromium")
    asked = parser.parse_args()
    content = build_archive(browser=asked.browser)
    asked.target.parent.mkdir(parents=True, exist_ok=True)
    asked.target.write_bytes(content)
    sys.stdout.write(f"{hashlib.sha256(content).hexdigest()}  {asked.target}\n")


if __name__ == "__main__":
    main()
