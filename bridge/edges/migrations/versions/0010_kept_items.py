"""What is kept of answers: items, responses and their stream events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Apply."""
    _create_items()
    _create_responses()
    op.create_table(
        "kept_events",
        sa.Column(
            "response_id",
            sa.String(200),
            sa.ForeignKey("kept_responses.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("first", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("last", sa.Integer, nullable=False),
        sa.Column("frames", sa.LargeBinary, nullable=False),
        sa.Column("key_id", sa.String(16)),
    )


def downgrade() -> None:
    """Take back."""
    for table in ("kept_events", "kept_responses", "kept_items"):
        op.drop_table(table)


def _create_items() -> None:
    op.create_table(
        "kept_items",
        sa.Column("row_id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("user_id", sa.String(32), _owner(), nullable=False),
        sa.Column("id", sa.String(200), nullable=False),
        sa.Column("response_id", sa.String(200), nullable=False),
        sa.Column("side", sa.String(6), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("type", sa.String(200), nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("key_id", sa.String(16)),
        sa.Column("conversation_id", sa.String(200)),
        sa.Column("message_id", sa.String(200)),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("used_at", sa.Double, nullable=False, index=True),
        sa.UniqueConstraint("user_id", "id", name="kept_items_by_id"),
        sa.Index("kept_items_by_conversation", "user_id", "conversation_id", "id"),
        sa.Index("kept_items_by_message", "user_id", "message_id"),
        sa.Index("kept_items_by_response", "user_id", "response_id", "side", "position"),
        sa.Index("kept_items_usage", "user_id", "used_at", "size", "created_at"),
    )


def _create_responses() -> None:
    op.create_table(
        "kept_responses",
        sa.Column("id", sa.String(200), primary_key=True),
        sa.Column("user_id", sa.String(32), _owner(), nullable=False, index=True),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("status", sa.String(20), nullable=False, index=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("request", sa.LargeBinary, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("key_id", sa.String(16)),
        sa.Column("background", sa.Boolean, nullable=False),
        sa.Column("previous_id", sa.String(200)),
        sa.Column("conversation_id", sa.String(200)),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("ended_at", sa.Double),
        sa.Column("used_at", sa.Double, nullable=False, index=True),
    )


def _owner() -> sa.ForeignKey:
    return sa.ForeignKey("users.id", ondelete="CASCADE")
