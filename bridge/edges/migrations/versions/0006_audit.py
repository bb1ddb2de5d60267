"""The audit log, which only grows, and a journal in which an ending stays as it is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_TRIGGERS = {
    "audit_is_not_changed": """BEFORE UPDATE ON audit
        BEGIN SELECT RAISE(ABORT, 'entries of the audit log are not changed'); END""",
    "audit_is_cut_at_its_old_end": """BEFORE DELETE ON audit WHEN OLD.id > (SELECT min(id) FROM audit)
        BEGIN SELECT RAISE(ABORT, 'only the oldest entry of the audit log may go'); END""",
    "an_ending_stays": """BEFORE UPDATE OF state, user_id, tool, operation_key, arguments, opened_at ON calls
        WHEN OLD.ended_at IS NOT NULL AND (NEW.state, NEW.user_id, NEW.tool, NEW.operation_key,
            NEW.arguments, NEW.opened_at) IS NOT (OLD.state, OLD.user_id, OLD.tool, OLD.operation_key,
            OLD.arguments, OLD.opened_at)
        BEGIN SELECT RAISE(ABORT, 'a call that has ended is not changed'); END""",
}


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.Double, nullable=False, index=True),
        sa.Column("kind", sa.String(30), nullable=False),
        sa.Column("user_id", sa.String(32), index=True),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("call_id", sa.String(64)),
        sa.Column("server_id", sa.String(64)),
        sa.Column("operation_key", sa.Text),
        sa.Column("detail", sa.Text, nullable=False),
    )
    for name, body in _TRIGGERS.items():
        op.execute(f"CREATE TRIGGER {name} {body}")


def downgrade() -> None:
    """Take back."""
    for name in _TRIGGERS:
        op.execute(f"DROP TRIGGER {name}")
    op.drop_table("audit")
