"""Calls that were refused before a page was asked: the newest of each user, and how many by days."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "refused_calls",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("user_id", sa.String(32), sa.ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
        sa.Column("tool", sa.String(64), nullable=False),
        sa.Column("server_id", sa.String(64), nullable=True),
        sa.Column("code", sa.String(30), nullable=False),
        sa.Column("asked_by", sa.Text, nullable=True),
        sa.Column("chat_id", sa.Text, nullable=True),
        sa.Column("at", sa.Double, nullable=False),
    )
    op.create_index("ix_refused_calls_user_id_at", "refused_calls", ["user_id", "at"])
    op.create_table(
        "refused_days",
        sa.Column("user_id", sa.String(32), sa.ForeignKey("users.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("refused", sa.BigInteger, nullable=False),
    )
