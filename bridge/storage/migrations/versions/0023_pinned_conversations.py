"""Conversations can be pinned."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Apply."""
    op.add_column("conversations", sa.Column("pinned", sa.Double, nullable=True))
