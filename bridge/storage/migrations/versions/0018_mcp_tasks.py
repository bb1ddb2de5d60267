"""Tasks: calls of MCP clients that poll for the result."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "mcp_tasks",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("user_id", sa.String(32), sa.ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
        sa.Column("asked_by", sa.Text, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("ended_at", sa.Double, nullable=True),
        sa.Column("is_cancelled", sa.Boolean, nullable=False),
        sa.Column("result", sa.LargeBinary, nullable=True),
        sa.Column("key_id", sa.String(16), nullable=True),
    )
    op.create_index("ix_mcp_tasks_user_id_created_at", "mcp_tasks", ["user_id", "created_at"])
