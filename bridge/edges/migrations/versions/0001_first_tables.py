"""First tables: users, keys, tickets, devices, servers, names, acceptances."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Apply."""
    _create_people()
    _create_servers()


def downgrade() -> None:
    """Take back."""
    for table in ("acceptances", "tool_names", "servers", "devices", "tickets", "api_keys", "users"):
        op.drop_table(table)


def _user(*, index: bool = False, primary_key: bool = False) -> sa.Column[str]:
    owner = sa.ForeignKey("users.id", ondelete="CASCADE")
    return sa.Column("user_id", sa.String(32), owner, nullable=False, index=index, primary_key=primary_key)


def _create_people() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("name", sa.String(100), nullable=False, unique=True),
        sa.Column("created_at", sa.Double, nullable=False),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(32), primary_key=True),
        _user(index=True),
        sa.Column("label", sa.String(100), nullable=False),
        sa.Column("key_hash", sa.String(64), nullable=False, unique=True),
        sa.Column("created_at", sa.Double, nullable=False),
    )
    op.create_table(
        "tickets",
        sa.Column("ticket_hash", sa.String(64), primary_key=True),
        _user(),
        sa.Column("expires_at", sa.Double, nullable=False),
    )
    op.create_table(
        "devices",
        sa.Column("id", sa.String(32), primary_key=True),
        _user(index=True),
        sa.Column("public_key", sa.Text, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
    )


def _create_servers() -> None:
    op.create_table(
        "servers",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("owner_id", sa.String(32), sa.ForeignKey("users.id", ondelete="CASCADE"), index=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("named", sa.Text),
        sa.Column("source_url", sa.Text),
        sa.Column("base_url", sa.Text),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("inline_html", sa.Boolean, nullable=False),
        sa.Column("added_at", sa.Double, nullable=False),
    )
    op.create_table(
        "tool_names",
        sa.Column("scope", sa.String(32), primary_key=True),
        sa.Column("server_id", sa.String(64), primary_key=True),
        sa.Column("operation_key", sa.Text, primary_key=True),
        sa.Column("name", sa.String(64), nullable=False),
    )
    op.create_table(
        "acceptances",
        _user(primary_key=True),
        sa.Column(
            "server_id", sa.String(64), sa.ForeignKey("servers.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("operation_key", sa.Text, primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("accepted_at", sa.Double, nullable=False),
    )
