"""The owner of a server can offer it to every user."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    """Apply."""
    op.add_column("servers", sa.Column("is_shared", sa.Boolean, nullable=True))
