"""Homes of users, facts that all replicas share, counters of what all of them keep alike, and the fence.

Pairings stand in a table, of a single bridge as well, so that code and confirmation may meet at any replica.

The counters are raised by triggers, in the transaction of the change, so that changes by commands count, too.
The fence is a trigger as well. SQLite serves one process, which needs none.
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

_FENCE = """CREATE FUNCTION check_epoch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM FROM homes WHERE user_id = NEW.user_id AND epoch = NEW.epoch FOR SHARE;
    IF NOT FOUND THEN
        RAISE integrity_constraint_violation USING
            MESSAGE = 'another replica has claimed this user', CONSTRAINT = 'check_epoch';
    END IF;
    RETURN NULL; END $$"""
"""Refuses what is written under a claim that is not the user's latest. It runs in the commit, so that the row
of the home is not locked while a client thinks. A statement that does not name the epoch is not checked."""

_FENCED = ("calls", "kept_responses", "kept_items", "conversations")

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
    _add_pairings()
    _add_epochs()
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_FUNCTION)
        for table, (topic, changes) in _COUNTED.items():
            op.execute(
                f"CREATE TRIGGER raise_change_counter AFTER {changes} ON {table}"
                f" FOR EACH STATEMENT EXECUTE FUNCTION raise_change_counter('{topic}')"
            )
        op.execute(_FENCE)
        for table in _FENCED:
            op.execute(
                f"CREATE CONSTRAINT TRIGGER check_epoch AFTER INSERT OR UPDATE OF epoch ON {table}"
                " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.epoch IS NOT NULL)"
                " EXECUTE FUNCTION check_epoch()"
            )


def _add_pairings() -> None:
    op.create_table(
        "pairings",
        sa.Column("secret_hash", sa.String(64), primary_key=True),
        sa.Column("code_hash", sa.String(64), nullable=False, unique=True),
        sa.Column("public_key", sa.Text, nullable=False),
        sa.Column("browser", sa.String(100), nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("user_id", sa.String(32), sa.ForeignKey("users.id", ondelete="CASCADE"), nullable=True),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("device_id", sa.String(32), nullable=True),
        sa.Column("requested_at", sa.Double, nullable=False),
        sa.Column("expires_at", sa.Double, nullable=False),
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
    for table in ("conversations", "kept_items"):
        op.add_column(table, sa.Column("epoch", sa.BigInteger, nullable=True))
