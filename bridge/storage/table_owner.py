"""Whose tables a database holds: ours, and of which version, or another program's."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import Connection, inspect, text

from bridge.lazy_modules import load_lazily
from bridge.storage.migrations import HEAD

REVISION_TABLE = "alembic_version"
"""Table of the revision; other programs that use Alembic have one of that name, too."""

_OURS = re.compile(r"\d{4}")
"""Pattern of our revisions; Alembic's own are random."""

_EARLY = re.compile(r"00(0[1-9]|1[0-5])")
"""Pattern of revisions before the first release; revision 0016 creates all their tables in one step."""

_OTHERS = (
    "holds tables of another program; give the bridge a database of its own: another --data or --database"
)

_OTHER_TABLES = text(
    "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p')"
    f" AND relnamespace = to_regnamespace(current_schema()) AND relname <> '{REVISION_TABLE}'"
    " AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass"
    " AND objid = pg_class.oid AND deptype = 'e') LIMIT 1"
)
"""A table where ours would be made, but for those that belong to extensions of PostgreSQL."""


class FoundTables(NamedTuple):
    """What a database holds."""

    revision: str | None
    """Of our tables; None: there are none yet."""
    refusal: str
    """Why this version leaves it alone, as the rest of a sentence about it; "": it can use or migrate it."""

    @property
    def is_current(self) -> bool:
        """Whether the tables are those of this version."""
        return self.revision == HEAD


def look_at_tables(connection: Connection) -> FoundTables:
    """Look at what a database holds; changes nothing."""
    revision = None
    if inspect(connection).has_table(REVISION_TABLE):
        revision = connection.scalar(text(f"SELECT version_num FROM {REVISION_TABLE}"))
    if revision is None:
        return FoundTables(None, _OTHERS if _has_tables(connection) else "")
    return FoundTables(revision, _refusal_of(revision))


def _refusal_of(revision: str) -> str:
    if revision == HEAD:
        return ""
    if not _OURS.fullmatch(revision):
        return _OTHERS
    if _EARLY.fullmatch(revision):
        made = f"was made by a tool-bridge from before the first release (its tables are at {revision})"
        return f"{made}, which this one cannot read; choose another"
    knows: Callable[[str], bool] = load_lazily("knows_revision")
    return "" if knows(revision) else "was made by a newer tool-bridge; update this one or choose another"


def _has_tables(connection: Connection) -> bool:
    if connection.dialect.name == "postgresql":
        return connection.scalar(_OTHER_TABLES) is not None
    return bool(set(inspect(connection).get_table_names()) - {REVISION_TABLE})
