"""All tables, as the first release has them.

The revision is that of the last of the migrations that led here, so that a database they made opens as it is.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = None

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
    _create_users()
    _create_servers()
    _create_preferences()
    _create_calls()
    _create_items()
    _create_conversations()
    _create_triggers()


def _create_users() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("display_name", sa.String(length=100), nullable=True),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("label", sa.String(length=100), nullable=False),
        sa.Column("key_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("forwarder", sa.Boolean, nullable=False),
        sa.Column("show_calls", sa.String(length=10), nullable=True),
        sa.Column("markers", sa.String(length=10), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key_hash"),
    )
    op.create_index("ix_api_keys_user_id", "api_keys", ["user_id"])
    op.create_table(
        "tickets",
        sa.Column("ticket_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("expires_at", sa.Double, nullable=False),
        sa.Column("printed", sa.Boolean, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("ticket_hash"),
    )
    op.create_table(
        "devices",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("public_key", sa.Text, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("last_seen_at", sa.Double, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_devices_user_id", "devices", ["user_id"])


def _create_servers() -> None:
    op.create_table(
        "servers",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.String(length=32), nullable=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("named", sa.Text, nullable=True),
        sa.Column("source_url", sa.Text, nullable=True),
        sa.Column("base_url", sa.Text, nullable=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("inline_html", sa.Boolean, nullable=False),
        sa.Column("idempotency_key", sa.Boolean, nullable=False),
        sa.Column("added_at", sa.Double, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_servers_owner_id", "servers", ["owner_id"])
    op.create_table(
        "tool_names",
        sa.Column("scope", sa.String(length=32), nullable=False),
        sa.Column("server_id", sa.String(length=64), nullable=False),
        sa.Column("operation_key", sa.Text, nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("scope", "server_id", "operation_key"),
    )
    op.create_table(
        "acceptances",
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("server_id", sa.String(length=64), nullable=False),
        sa.Column("operation_key", sa.Text, nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("accepted_at", sa.Double, nullable=False),
        sa.ForeignKeyConstraint(["server_id"], ["servers.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "server_id", "operation_key"),
    )
    op.create_table(
        "selections",
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("servers", sa.JSON, nullable=False),
        sa.Column("tags", sa.JSON, nullable=False),
        sa.Column("names", sa.JSON, nullable=False),
        sa.Column("pinned", sa.JSON, nullable=False),
        sa.Column("max_tools", sa.Integer, nullable=True),
        sa.Column("max_tokens", sa.Integer, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id"),
    )
    op.create_table(
        "device_choices",
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("server_id", sa.String(length=64), nullable=False),
        sa.Column("device_id", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["device_id"], ["devices.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["server_id"], ["servers.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "server_id"),
    )


def _create_preferences() -> None:
    op.create_table(
        "limits",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("value", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "call_settings",
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("server_id", sa.String(length=64), nullable=False),
        sa.Column("operation_key", sa.Text, nullable=False),
        sa.Column("deadline_s", sa.Double, nullable=True),
        sa.Column("max_parallel", sa.Integer, nullable=True),
        sa.Column("in_order", sa.Boolean, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "server_id", "operation_key"),
    )
    op.create_table(
        "approval_modes",
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("mode", sa.String(length=10), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id"),
    )
    op.create_table(
        "grants",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("server_id", sa.String(length=64), nullable=False),
        sa.Column("operation_key", sa.Text, nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("scope", sa.String(length=10), nullable=False),
        sa.Column("chat_id", sa.Text, nullable=True),
        sa.Column("granted_at", sa.Double, nullable=False),
        sa.Column("expires_at", sa.Double, nullable=True),
        sa.ForeignKeyConstraint(["server_id"], ["servers.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_grants_user_id", "grants", ["user_id"])
    op.create_table(
        "memory_choices",
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("keeps_answers", sa.Boolean, nullable=False),
        sa.Column("reasoning", sa.String(length=20), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id"),
    )


def _create_calls() -> None:
    op.create_table(
        "calls",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("tool", sa.String(length=64), nullable=False),
        sa.Column("server_id", sa.String(length=64), nullable=False),
        sa.Column("operation_key", sa.Text, nullable=False),
        sa.Column("safe", sa.Boolean, nullable=False),
        sa.Column("arguments", sa.Text, nullable=True),
        sa.Column("chat_id", sa.Text, nullable=True),
        sa.Column("device_id", sa.String(length=32), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("may_begin", sa.Boolean, nullable=False),
        sa.Column("http_status", sa.Integer, nullable=True),
        sa.Column("content_type", sa.Text, nullable=True),
        sa.Column("error", sa.Text, nullable=True),
        sa.Column("decision", sa.Text, nullable=True),
        sa.Column("opened_at", sa.Double, nullable=False),
        sa.Column("ended_at", sa.Double, nullable=True),
        sa.Column("late", sa.Text, nullable=True),
        sa.Column("turn_id", sa.Text, nullable=True),
        sa.Column("turn_call_id", sa.Text, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    is_open = sa.text("ended_at IS NULL")
    op.create_index("ix_calls_open", "calls", ["id"], sqlite_where=is_open, postgresql_where=is_open)
    op.create_index("ix_calls_opened_at", "calls", ["opened_at"])
    op.create_index("ix_calls_user_id_opened_at", "calls", ["user_id", "opened_at"])
    op.create_table(
        "audit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("kind", sa.String(length=30), nullable=False),
        sa.Column("user_id", sa.String(length=32), nullable=True),
        sa.Column("actor", sa.String(length=100), nullable=False),
        sa.Column("call_id", sa.String(length=64), nullable=True),
        sa.Column("server_id", sa.String(length=64), nullable=True),
        sa.Column("operation_key", sa.Text, nullable=True),
        sa.Column("detail", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_audit_at", "audit", ["at"])
    op.create_index("ix_audit_user_id_at", "audit", ["user_id", "at"])


def _create_items() -> None:
    op.create_table(
        "kept_items",
        sa.Column("row_id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False),
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("response_id", sa.String(length=200), nullable=False),
        sa.Column("side", sa.String(length=6), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("type", sa.String(length=200), nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("key_id", sa.String(length=16), nullable=True),
        sa.Column("conversation_id", sa.String(length=200), nullable=True),
        sa.Column("message_id", sa.String(length=200), nullable=True),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("used_at", sa.Double, nullable=False),
        sa.Column("provider_id", sa.String(length=200), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("row_id"),
        sa.UniqueConstraint("user_id", "id", name="kept_items_by_id"),
    )
    op.create_index("ix_kept_items_used_at", "kept_items", ["used_at"])
    op.create_index("kept_items_by_conversation", "kept_items", ["user_id", "conversation_id", "id"])
    op.create_index("kept_items_by_message", "kept_items", ["user_id", "message_id"])
    op.create_index("kept_items_by_provider", "kept_items", ["user_id", "provider_id"])
    op.create_index("kept_items_by_response", "kept_items", ["user_id", "response_id", "side", "position"])
    op.create_index("kept_items_usage", "kept_items", ["user_id", "used_at", "size", "created_at"])
    op.create_table(
        "kept_responses",
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("request", sa.LargeBinary(), nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("key_id", sa.String(length=16), nullable=True),
        sa.Column("background", sa.Boolean, nullable=False),
        sa.Column("previous_id", sa.String(length=200), nullable=True),
        sa.Column("conversation_id", sa.String(length=200), nullable=True),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("ended_at", sa.Double, nullable=True),
        sa.Column("used_at", sa.Double, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_kept_responses_status", "kept_responses", ["status"])
    op.create_index("ix_kept_responses_used_at", "kept_responses", ["used_at"])
    op.create_index("ix_kept_responses_user_id", "kept_responses", ["user_id"])
    op.create_table(
        "kept_events",
        sa.Column("response_id", sa.String(length=200), nullable=False),
        sa.Column("first", sa.Integer, nullable=False),
        sa.Column("last", sa.Integer, nullable=False),
        sa.Column("frames", sa.LargeBinary(), nullable=False),
        sa.Column("key_id", sa.String(length=16), nullable=True),
        sa.ForeignKeyConstraint(["response_id"], ["kept_responses.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("response_id", "first"),
    )


def _create_conversations() -> None:
    op.create_table(
        "conversations",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("user_id", sa.String(length=32), nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("updated_at", sa.Double, nullable=False),
        sa.Column("head_id", sa.String(length=40), nullable=True),
        sa.Column("run_id", sa.String(length=40), nullable=True),
        sa.Column("run_state", sa.String(length=20), nullable=True),
        sa.Column("settings", sa.LargeBinary(), nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("key_id", sa.String(length=16), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("conversations_by_user", "conversations", ["user_id", "updated_at"])
    op.create_index("ix_conversations_run_state", "conversations", ["run_state"])
    op.create_table(
        "conversation_messages",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("conversation_id", sa.String(length=40), nullable=False),
        sa.Column("parent_id", sa.String(length=40), nullable=True),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("key_id", sa.String(length=16), nullable=True),
        sa.ForeignKeyConstraint(["conversation_id"], ["conversations.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("conversation_id", "seq", name="conversation_messages_in_order"),
    )


def _create_triggers() -> None:
    """Create the triggers by which the audit log only grows, and ended calls in the journal never change."""
    if op.get_bind().dialect.name == "sqlite":
        triggers = _SQLITE
    else:
        triggers = _POSTGRESQL
        for name, body in _POSTGRESQL_FUNCTIONS.items():
            op.execute(f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $${body}$$")
    for name, body in triggers.items():
        op.execute(f"CREATE TRIGGER {name} {body}")
