"""Indexes for the newest calls and audit entries of one user, and for what a killed bridge left open."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Apply."""
    is_open = sa.text("ended_at IS NULL")
    op.drop_index("ix_calls_user_id", "calls")
    op.create_index("ix_calls_user_id_opened_at", "calls", ["user_id", "opened_at"])
    op.create_index("ix_calls_open", "calls", ["id"], sqlite_where=is_open, postgresql_where=is_open)
    op.drop_index("ix_audit_user_id", "audit")
    op.create_index("ix_audit_user_id_at", "audit", ["user_id", "at"])


def downgrade() -> None:
    """Take back."""
    op.drop_index("ix_audit_user_id_at", "audit")
    op.create_index("ix_audit_user_id", "audit", ["user_id"])
    op.drop_index("ix_calls_open", "calls")
    op.drop_index("ix_calls_user_id_opened_at", "calls")
    op.create_index("ix_calls_user_id", "calls", ["user_id"])
