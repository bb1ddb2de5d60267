"""Named devices and their choice per server, forwarder keys and the users they name, two kinds of tickets."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Apply."""
    op.add_column("users", sa.Column("display_name", sa.String(100)))
    op.add_column("api_keys", _flag("forwarder", sa.false()))
    op.add_column("tickets", _flag("printed", sa.true()))
    op.add_column("devices", sa.Column("name", sa.String(100), nullable=False, server_default="Browser"))
    op.add_column("devices", sa.Column("last_seen_at", sa.Double, nullable=False, server_default="0"))
    op.create_table(
        "device_choices",
        _reference("user_id", "users.id", 32, primary_key=True),
        _reference("server_id", "servers.id", 64, primary_key=True),
        _reference("device_id", "devices.id", 32),
    )


def downgrade() -> None:
    """Take back."""
    op.drop_table("device_choices")
    for table, column in (
        ("devices", "last_seen_at"),
        ("devices", "name"),
        ("tickets", "printed"),
        ("api_keys", "forwarder"),
        ("users", "display_name"),
    ):
        op.drop_column(table, column)


def _flag(name: str, default: sa.ColumnElement[bool]) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False, server_default=default)


def _reference(name: str, target: str, size: int, *, primary_key: bool = False) -> sa.Column[str]:
    owner = sa.ForeignKey(target, ondelete="CASCADE")
    return sa.Column(name, sa.String(size), owner, nullable=False, primary_key=primary_key)
