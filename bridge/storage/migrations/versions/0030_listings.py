"""Which servers are listed for a user and which are searched, and what the user chose of that."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "listings",
        sa.Column("scope", sa.String(32), primary_key=True),
        sa.Column("listed", sa.JSON, nullable=False),
        sa.Column("sizes", sa.JSON, nullable=False),
        sa.Column("choice", sa.String(64), nullable=False),
    )
    op.add_column("selections", sa.Column("listed", sa.JSON, nullable=True))
    op.add_column("selections", sa.Column("searched", sa.JSON, nullable=True))
