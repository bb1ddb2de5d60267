"""Limits that were set in the page, and what users set for calls."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "limits",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("value", sa.Double, nullable=False),
    )
    owner = sa.ForeignKey("users.id", ondelete="CASCADE")
    op.create_table(
        "call_settings",
        sa.Column("user_id", sa.String(32), owner, primary_key=True),
        sa.Column("server_id", sa.String(64), primary_key=True),
        sa.Column("operation_key", sa.Text, primary_key=True),
        sa.Column("deadline_s", sa.Double),
        sa.Column("max_parallel", sa.Integer),
        sa.Column("in_order", sa.Boolean),
    )


def downgrade() -> None:
    """Take back."""
    op.drop_table("call_settings")
    op.drop_table("limits")
