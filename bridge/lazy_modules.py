"""Modules loaded on first use: their imports take a second that many starts need not spend, or may fail.

This table is the only place that says so; an import inside a function would hide it. What a library would
load without need can be withheld from it.
"""

from __future__ import annotations

import pkgutil
import sys
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

LazyName = Literal[
    "added_parts",
    "knows_revision",
    "migrate",
    "models_wing",
    "redis_connection",
    "redis_directory",
    "replica",
    "span_exporter",
    "straight_socket",
    "unread_libraries",
    "uvloop",
]

LAZY_MODULES: Mapping[LazyName, str] = {
    "added_parts": "bridge.app.added_parts:make_added_parts",  # importlib.metadata
    "knows_revision": "bridge.storage.migrations.upgrade:knows_revision",  # alembic
    "migrate": "bridge.storage.migrations.upgrade:migrate_tables",  # likewise
    "models_wing": "bridge.app.models_wing:ModelsWing",  # the wing itself, which may be off
    "redis_connection": "bridge.cluster.redis_connection:RedisConnection",  # redis, an extra
    "redis_directory": "bridge.cluster.redis_directory:RedisDirectory",  # likewise
    "replica": "bridge.app.replica:Replica",  # likewise
    "span_exporter": "bridge.telemetry.otlp_exporter:OtlpExporter",  # opentelemetry, an extra
    "straight_socket": "bridge.browsers.straight_socket:StraightPageSocket",  # insides of aiohttp
    "unread_libraries": "bridge.library_versions:explain_missing_name",  # likewise
    "uvloop": "uvloop:new_event_loop",  # not on Windows
}
"""Name to `module:attribute`; the comment names the slow package behind it."""


def load_lazily(name: LazyName) -> Any:
    """Import and return what the table names; the caller states its type."""
    return pkgutil.resolve_name(LAZY_MODULES[name])


@contextmanager
def withhold_module(name: str) -> Generator[None]:
    """Let what is imported here do without a module as if it were not installed; other threads can import it.

    Without effect on a module that has been imported.
    """
    finder = _Withheld(name)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _Withheld:
    """Finds that a module is missing, in the thread that made it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._thread = threading.get_ident()

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> None:
        """See `importlib.abc.MetaPathFinder`."""
        if name == self._name and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"{name} is withheld", name=name)
