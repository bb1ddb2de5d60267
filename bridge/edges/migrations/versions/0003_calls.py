"""Calls: the journal of what was sent, and how it ended."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Apply."""
    owner = sa.ForeignKey("users.id", ondelete="CASCADE")
    op.create_table(
        "calls",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("user_id", sa.String(32), owner, nullable=False, index=True),
        sa.Column("tool", sa.String(64), nullable=False),
        sa.Column("server_id", sa.String(64), nullable=False),
        sa.Column("operation_key", sa.Text, nullable=False),
        sa.Column("safe", sa.Boolean, nullable=False),
        sa.Column("arguments", sa.Text),
        sa.Column("chat_id", sa.Text),
        sa.Column("device_id", sa.String(32)),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("may_begin", sa.Boolean, nullable=False),
        sa.Column("http_status", sa.Integer),
        sa.Column("content_type", sa.Text),
        sa.Column("error", sa.Text),
        sa.Column("opened_at", sa.Double, nullable=False, index=True),
        sa.Column("ended_at", sa.Double),
        sa.Column("late", sa.Text),
    )


def downgrade() -> None:
    """Take back."""
    op.drop_table("calls")
