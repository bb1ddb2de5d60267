"""The audit log, which only grows, and a journal in which an ending stays as it is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_SQLITE = {
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

_POSTGRESQL_FUNCTIONS = {
    "refuse_change": """BEGIN RAISE EXCEPTION USING ERRCODE = 'integrity_constraint_violation',
        MESSAGE = TG_ARGV[0]; END""",
    "refuse_gap": """BEGIN IF (SELECT max(id) FROM gone) > (SELECT min(id) FROM audit) THEN
        RAISE EXCEPTION USING ERRCODE = 'integrity_constraint_violation',
        MESSAGE = 'only the oldest entry of the audit log may go'; END IF; RETURN NULL; END""",
}

_POSTGRESQL = {
    "audit_is_not_changed": """BEFORE UPDATE ON audit
        FOR EACH ROW EXECUTE FUNCTION refuse_change('entries of the audit log are not changed')""",
    "audit_is_not_emptied": """BEFORE TRUNCATE ON audit
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('only the oldest entry of the audit log may go')""",
    "audit_is_cut_at_its_old_end": """AFTER DELETE ON audit REFERENCING OLD TABLE AS gone
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_gap()""",
    "an_ending_stays": """BEFORE UPDATE OF state, user_id, tool, operation_key, arguments, opened_at ON calls
        FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL AND (NEW.state, NEW.user_id, NEW.tool, NEW.operation_key,
            NEW.arguments, NEW.opened_at) IS DISTINCT FROM (OLD.state, OLD.user_id, OLD.tool,
            OLD.operation_key, OLD.arguments, OLD.opened_at))
        EXECUTE FUNCTION refuse_change('a call that has ended is not changed')""",
}


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "audit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("at", sa.Double, nullable=False, index=True),
        sa.Column("kind", sa.String(30), nullable=False),
        sa.Column("user_id", sa.String(32), index=True),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("call_id", sa.String(64)),
        sa.Column("server_id", sa.String(64)),
        sa.Column("operation_key", sa.Text),
        sa.Column("detail", sa.Text, nullable=False),
    )
    if op.get_bind().dialect.name == "sqlite":
        triggers = _SQLITE
    else:
        triggers = _POSTGRESQL
        for name, body in _POSTGRESQL_FUNCTIONS.items():
            op.execute(f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $${body}$$")
    for name, body in triggers.items():
        op.execute(f"CREATE TRIGGER {name} {body}")


def downgrade() -> None:
    """Take back."""
    if op.get_bind().dialect.name == "sqlite":
        for name in _SQLITE:
            op.execute(f"DROP TRIGGER {name}")
        op.drop_table("audit")
    else:
        op.execute("DROP TRIGGER an_ending_stays ON calls")
        op.drop_table("audit")
        for name in _POSTGRESQL_FUNCTIONS:
            op.execute(f"DROP FUNCTION {name}")
