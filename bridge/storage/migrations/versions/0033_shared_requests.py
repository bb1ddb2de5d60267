"""Saved requests that the owner of a server shares with all who have it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    """Apply."""
    server = sa.ForeignKey("servers.id", ondelete="CASCADE")
    op.create_table(
        "shared_requests",
        sa.Column("server_id", sa.String(64), server, primary_key=True),
        sa.Column("requests", sa.Text, nullable=False),
    )
