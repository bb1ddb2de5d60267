"""Kept items are found by the ids of their provider, too; null: there is none, or nobody noted it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Apply."""
    op.add_column("kept_items", sa.Column("provider_id", sa.String(200), nullable=True))
    op.create_index("kept_items_by_provider", "kept_items", ["user_id", "provider_id"])
