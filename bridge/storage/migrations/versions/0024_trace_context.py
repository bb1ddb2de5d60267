"""Requests of a server can carry the trace context of their call."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """Apply."""
    op.add_column("servers", sa.Column("trace_context", sa.Boolean, nullable=True))
