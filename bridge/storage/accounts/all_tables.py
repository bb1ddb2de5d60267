"""Every table, for what copies a database, or exports and deletes all that belongs to a user."""

from __future__ import annotations

from importlib import import_module

from bridge.features import FEATURES
from bridge.storage.chat.conversation_tables import Base

for _feature in FEATURES.values():
    if _feature.tables:
        import_module(_feature.tables)

ALL_TABLES = Base.metadata
"""The tables of the bridge and of its features."""
