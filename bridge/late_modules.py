"""Modules that are loaded when they are first needed: their imports take a second, and many starts need none.

This table is the only place that says so; an import inside a function would hide it.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from typing import Any, Literal

LateName = Literal["http_provider", "migrate"]

LATE: Mapping[LateName, str] = {
    "http_provider": "bridge.providers.http_provider:HttpProvider",  # openai
    "migrate": "bridge.storage.migration:migrate_tables",  # alembic
}
"""`module:attribute` by name, and the package for whose sake it is late."""


def load_late(name: LateName) -> Any:
    """What the table names; the caller says what type it is."""
    return pkgutil.resolve_name(LATE[name])
