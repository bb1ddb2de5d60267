"""What users chose to show to models."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Apply."""
    owner = sa.ForeignKey("users.id", ondelete="CASCADE")
    lists = (sa.Column(name, sa.JSON, nullable=False) for name in ("servers", "tags", "names", "pinned"))
    op.create_table(
        "selections",
        sa.Column("user_id", sa.String(32), owner, primary_key=True),
        *lists,
        sa.Column("max_tools", sa.Integer),
        sa.Column("max_tokens", sa.Integer),
    )


def downgrade() -> None:
    """Take back."""
    op.drop_table("selections")
