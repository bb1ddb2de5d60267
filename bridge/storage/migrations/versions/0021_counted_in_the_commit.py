"""Changes are counted in the commit, so that no transaction holds a counter while it waits for a row.

Counted after each statement, as before, two transactions could wait for each other: one that had deleted
grants and inserted another, which waits for its server, and one that had deleted that server, whose grants go
along.
"""

from __future__ import annotations

from alembic import op

revision = "0021"
down_revision = "0020"

_FUNCTION = """CREATE OR REPLACE FUNCTION raise_change_counter() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    counted CONSTANT text := 'tool_bridge.counted_' || TG_ARGV[0];
BEGIN
    IF current_setting(counted, true) = 'yes' THEN RETURN NULL; END IF;
    PERFORM set_config(counted, 'yes', true);
    PERFORM pg_advisory_xact_lock(hashtext('tool_bridge.change_counters'));
    INSERT INTO change_counters (topic, version) VALUES (TG_ARGV[0], 1)
    ON CONFLICT (topic) DO UPDATE SET version = change_counters.version + 1;
    RETURN NULL; END $$"""
"""Counts a topic once in a transaction, of however many rows. All topics stand behind one lock, held from the
first count to the end of the commit: two transactions that count several must not take them crosswise."""

_ALL = "INSERT OR UPDATE OR DELETE"

_COUNTED = {
    "api_keys": ("keys", _ALL),
    "devices": ("devices", "INSERT OR UPDATE OF public_key, name OR DELETE"),  # not of when it was last seen
    "servers": ("servers", _ALL),
    "acceptances": ("acceptances", _ALL),
    "selections": ("selections", _ALL),
    "limits": ("limits", _ALL),
    "call_settings": ("call_settings", _ALL),
    "approval_modes": ("approvals", _ALL),
    "grants": ("approvals", _ALL),
    "device_choices": ("device_choices", _ALL),
    "memory_choices": ("memory_choices", _ALL),
}
"""Topic and counted changes, by table: those of revision 0020."""


def upgrade() -> None:
    """Apply."""
    if op.get_bind().dialect.name != "postgresql":
        return
    op.execute(_FUNCTION)
    for table, (topic, changes) in _COUNTED.items():
        op.execute(f"DROP TRIGGER raise_change_counter ON {table}")
        op.execute(
            f"CREATE CONSTRAINT TRIGGER raise_change_counter AFTER {changes} ON {table}"
            " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
            f" EXECUTE FUNCTION raise_change_counter('{topic}')"
        )
