"""The file that says which users have an open page, so that the next start knows whom to wait for.

Its functions block.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from pathlib import Path

from bridge.operating_system import replace_private_file

OPEN_PAGES_FILE = "open-pages.json"
"""Name of the file in the data folder."""

_log = logging.getLogger(__name__)


def read_users(path: Path) -> frozenset[str]:
    """Return the ids of the users in the file; nobody without one that can be read."""
    try:
        return frozenset(map(str, json.loads(path.read_text(encoding="utf-8"))))
    except (OSError, ValueError, TypeError):
        return frozenset()


def write_users(path: Path, user_ids: Iterable[str]) -> None:
    """Replace the file; a disk that refuses it is logged, because only a wait after a start depends on it."""
    try:
        replace_private_file(path, json.dumps(sorted(user_ids)))
    except OSError as error:
        _log.warning("%s could not be written: %s", path.name, error.strerror or error)
