"""Modules loaded on first use: their imports take a second that many starts need not spend, or may fail.

This table is the only place that says so; an import inside a function would hide it.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from typing import Any, Literal

LazyName = Literal["migrate", "replica", "span_exporter", "uvloop"]

LAZY_MODULES: Mapping[LazyName, str] = {
    "migrate": "bridge.storage.migrations.upgrade:migrate_tables",  # alembic
    "replica": "bridge.app.replica:Replica",  # redis
    "span_exporter": "bridge.telemetry.otlp_exporter:OtlpExporter",  # opentelemetry, an extra
    "uvloop": "uvloop:new_event_loop",  # not on Windows
}
"""Name to `module:attribute`; the comment names the slow package behind it."""


def load_lazily(name: LazyName) -> Any:
    """Import and return what the table names; the caller states its type."""
    return pkgutil.resolve_name(LAZY_MODULES[name])
