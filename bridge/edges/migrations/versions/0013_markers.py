"""How the answers of a key name what is kept of them; null: as their client does."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Apply."""
    op.add_column("api_keys", sa.Column("markers", sa.String(10), nullable=True))
