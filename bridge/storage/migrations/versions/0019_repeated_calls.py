"""By what a call is known when its client sends it again, and whether its answer was heard."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Apply."""
    op.add_column("calls", sa.Column("caller", sa.Text, nullable=True))
    op.add_column("calls", sa.Column("digest", sa.String(64), nullable=True))
    op.add_column("calls", sa.Column("key_digest", sa.String(64), nullable=True))
    op.add_column("calls", sa.Column("heard", sa.Boolean, nullable=True))
    op.add_column("calls", sa.Column("heard_at", sa.Double, nullable=True))
    has_key = sa.text("key_digest IS NOT NULL")
    op.create_index(
        "ix_calls_key_digest",
        "calls",
        ["user_id", "key_digest"],
        sqlite_where=has_key,
        postgresql_where=has_key,
    )
