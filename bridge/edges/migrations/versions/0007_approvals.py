"""Approval modes of users, their grants, and what was decided of each call."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Apply."""
    op.add_column("calls", sa.Column("decision", sa.Text))
    op.create_table(
        "approval_modes",
        _reference("user_id", "users.id", 32, primary_key=True),
        sa.Column("mode", sa.String(10), nullable=False),
    )
    op.create_table(
        "grants",
        sa.Column("id", sa.String(32), primary_key=True),
        _reference("user_id", "users.id", 32),
        _reference("server_id", "servers.id", 64),
        sa.Column("operation_key", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("scope", sa.String(10), nullable=False),
        sa.Column("chat_id", sa.Text),
        sa.Column("granted_at", sa.Double, nullable=False),
        sa.Column("expires_at", sa.Double),
    )
    op.create_index("ix_grants_user_id", "grants", ["user_id"])


def downgrade() -> None:
    """Take back."""
    op.drop_table("grants")
    op.drop_table("approval_modes")
    op.drop_column("calls", "decision")


def _reference(name: str, target: str, size: int, *, primary_key: bool = False) -> sa.Column[str]:
    owner = sa.ForeignKey(target, ondelete="CASCADE")
    return sa.Column(name, sa.String(size), owner, nullable=False, primary_key=primary_key)
