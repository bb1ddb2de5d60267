"""Creates the tables of a database, or upgrades them, by Alembic."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection


def migrate_tables(connection: Connection) -> bool:
    """Upgrade the tables to the newest revision, in the transaction of `connection`; blocks.

    False: their revision is unknown here, and nothing was changed.
    """
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError:
        return False
    return True
