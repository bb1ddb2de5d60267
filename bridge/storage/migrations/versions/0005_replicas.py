"""Homes of users, facts that all replicas share, and counters of what all of them keep alike.

The counters are raised by triggers, in the transaction of the change, so that changes by commands count, too.
SQLite serves one process, which needs none.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

_FUNCTION = """CREATE FUNCTION raise_change_counter() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO change_counters (topic, version) VALUES (TG_ARGV[0], 1)
    ON CONFLICT (topic) DO UPDATE SET version = change_counters.version + 1;
    RETURN NULL; END $$"""

_ALL = "INSERT OR UPDATE OR DELETE"

_COUNTED = {
    "api_keys": ("keys", _ALL),
    "devices": ("devices", "INSERT OR UPDATE OF public_key, name OR DELETE"),  # not of when it was last seen
    "servers": ("servers", _ALL),
    "acceptances": ("acceptances", _ALL),
    "selections": ("selections", _ALL),
    "limits": ("limits", _ALL),
    "call_settings": ("call_settings", _ALL),
    "approval_modes": ("approvals", _ALL),
    "grants": ("approvals", _ALL),
    "device_choices": ("device_choices", _ALL),
    "memory_choices": ("memory_choices", _ALL),
}
"""Topic and counted changes, by table."""


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "homes",
        sa.Column("user_id", sa.String(32), sa.ForeignKey("users.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("replica", sa.String(32), nullable=False, server_default=""),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("claimed_at", sa.Double, nullable=False),
    )
    op.create_index("ix_homes_replica", "homes", ["replica"])
    op.create_table(
        "cluster_facts",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "change_counters",
        sa.Column("topic", sa.String(32), primary_key=True),
        sa.Column("version", sa.BigInteger, nullable=False),
    )
    _add_epochs()
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_FUNCTION)
        for table, (topic, changes) in _COUNTED.items():
            op.execute(
                f"CREATE TRIGGER raise_change_counter AFTER {changes} ON {table}"
                f" FOR EACH STATEMENT EXECUTE FUNCTION raise_change_counter('{topic}')"
            )


def _add_epochs() -> None:
    """Add under which claim a row was written, and by which request it was asked for."""
    for table in ("calls", "kept_responses"):
        op.add_column(table, sa.Column("epoch", sa.BigInteger, nullable=True))
        op.add_column(table, sa.Column("request_id", sa.String(64), nullable=True))
        was_passed_on = sa.text("request_id IS NOT NULL")
        op.create_index(
            f"ix_{table}_request_id",
            table,
            ["request_id"],
            sqlite_where=was_passed_on,
            postgresql_where=was_passed_on,
        )
    op.add_column("conversations", sa.Column("epoch", sa.BigInteger, nullable=True))
