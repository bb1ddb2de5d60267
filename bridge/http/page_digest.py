"""The digest of the page's sources, by which a page that was built of them is known to be theirs still.

Standard library only: `make run` builds the page before anything is installed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

SOURCES_MEMBER = "sources"
"""Member of the manifest of a page that was built in a clone: the digest of what it was built of."""

_DIGEST_CHARS = 16


def list_sources(folder: Path) -> list[Path]:
    """Return all files of a folder, sorted."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def digest_of_files(folder: Path, paths: Iterable[Path]) -> str:
    """Return one digest of the names below `folder` and the contents of these files."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.relative_to(folder).as_posix()}\n".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:_DIGEST_CHARS]
