"""Creates the tables of a database, or upgrades them, by Alembic."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

_FOLDER = str(Path(__file__).parent)


def migrate_tables(connection: Connection) -> None:
    """Upgrade the tables to the newest revision, in the transaction of `connection`; blocks."""
    config = Config()
    config.set_main_option("script_location", _FOLDER)
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def knows_revision(revision: str) -> bool:
    """Return whether tables of a revision can be upgraded."""
    return revision in {each.revision for each in ScriptDirectory(_FOLDER).walk_revisions()}
