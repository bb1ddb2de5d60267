"""Providers of models that users set up in the page; replicas hear of their changes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "model_providers",
        sa.Column("user_id", sa.String(32), sa.ForeignKey("users.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("is_shared", sa.Boolean, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("key_id", sa.String(16), nullable=True),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE CONSTRAINT TRIGGER raise_change_counter"
            " AFTER INSERT OR UPDATE OR DELETE ON model_providers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
            " EXECUTE FUNCTION raise_change_counter('model_providers')"
        )
