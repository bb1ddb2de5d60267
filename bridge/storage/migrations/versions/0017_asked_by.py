"""Who asked for a call, for people."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Apply."""
    op.add_column("calls", sa.Column("asked_by", sa.Text, nullable=True))
