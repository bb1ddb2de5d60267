"""What users want kept of answers, where that is less than the bridge keeps."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "memory_choices",
        sa.Column("user_id", sa.String(32), sa.ForeignKey("users.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("keeps_answers", sa.Boolean, nullable=False),
        sa.Column("reasoning", sa.String(20), nullable=False),
    )
