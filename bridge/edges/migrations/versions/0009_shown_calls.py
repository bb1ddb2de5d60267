"""How the answers of a key show the calls that the bridge ran; null: as its kind of key does."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Apply."""
    op.add_column("api_keys", sa.Column("show_calls", sa.String(10), nullable=True))
