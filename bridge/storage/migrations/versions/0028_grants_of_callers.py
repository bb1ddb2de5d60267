"""A grant for a chat is one for the caller that asked there; of those made before nobody knows for whom."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    """Apply."""
    op.add_column("grants", sa.Column("caller_id", sa.Text, nullable=True))
    op.execute("DELETE FROM grants WHERE scope = 'chat'")
