"""Conversations and their messages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "conversations",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("user_id", sa.String(32), sa.ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("updated_at", sa.Double, nullable=False),
        sa.Column("head_id", sa.String(40)),
        sa.Column("run_id", sa.String(40)),
        sa.Column("run_state", sa.String(20), index=True),
        sa.Column("settings", sa.LargeBinary, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("key_id", sa.String(16)),
        sa.Index("conversations_by_user", "user_id", "updated_at"),
    )
    op.create_table(
        "conversation_messages",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column(
            "conversation_id",
            sa.String(40),
            sa.ForeignKey("conversations.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("parent_id", sa.String(40)),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("key_id", sa.String(16)),
        sa.UniqueConstraint("conversation_id", "seq", name="conversation_messages_in_order"),
    )


def downgrade() -> None:
    """Take back."""
    for table in ("conversation_messages", "conversations"):
        op.drop_table(table)
