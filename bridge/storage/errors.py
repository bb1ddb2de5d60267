"""Why a database cannot be opened.

Needs nothing installed: `make run` looks at the data folder before it installs.
"""

from __future__ import annotations

from bridge.told_failure import ToldFailure


class StoreError(ToldFailure):
    """The database cannot be opened; the text says why and what to do."""


class FolderInUse(StoreError):
    """Another bridge runs on the data folder."""
