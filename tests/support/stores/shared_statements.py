"""Compiled SQL that all databases of this process share: a fifth of the time of a test that starts a bridge.

SQLAlchemy keeps it for each engine, and each test has some of its own.
"""

from functools import cache
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine import Dialect

_compiled: dict[Any, Any] = {}
"""As `compiled_cache` of SQLAlchemy wants it. None of the statements of the tests has to go."""


@event.listens_for(Engine, "engine_connect")
def _share_statements(connection: Connection) -> None:
    connection.dialect.__class__ = _alike(type(connection.dialect))
    connection.execution_options(compiled_cache=_compiled)


@cache
def _alike(dialect: type[Dialect]) -> type[Dialect]:
    """A dialect whose instances are equal, because SQLAlchemy finds what was compiled by dialect, too."""
    if "__eq__" in vars(dialect):
        return dialect

    def are_equal(self: Dialect, other: object) -> bool:
        return type(self) is type(other)

    def hash_class(self: Dialect) -> int:
        return hash(type(self))

    members = {"__eq__": are_equal, "__hash__": hash_class, "supports_statement_cache": True}
    return type(dialect.__name__, (dialect,), members)
