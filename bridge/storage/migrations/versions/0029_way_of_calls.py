"""What sent a call's request, and whether the user's login went along."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    """Apply."""
    op.add_column("calls", sa.Column("transport", sa.String(10), nullable=True))
    op.add_column("calls", sa.Column("login", sa.Boolean, nullable=True))
