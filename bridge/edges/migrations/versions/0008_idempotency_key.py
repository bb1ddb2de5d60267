"""Whether requests of a server that change something carry their call's id."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Apply."""
    column = sa.Column("idempotency_key", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("servers", column)
