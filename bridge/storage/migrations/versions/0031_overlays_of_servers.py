"""Overlays, by which the owner of a server edits its tools."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    """Apply."""
    op.add_column("servers", sa.Column("overlays", sa.JSON, nullable=True))
