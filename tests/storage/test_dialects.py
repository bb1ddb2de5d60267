"""Where the databases differ: what is inserted or changed, and whose fault a refusal is."""

import pytest
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError, StatementError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from bridge.storage.dialects import build_upsert, insert_missing, is_unfit, reason_of
from bridge.storage.tables import ToolNameRow


class _Refusal(Exception):
    def __init__(self, text: str, sqlstate: str | None = None, primary: str | None = None) -> None:
        super().__init__(text)
        self.sqlstate = sqlstate
        self.diag = type("Diagnostic", (), {"message_primary": primary})()


@pytest.mark.parametrize("dialect", [sqlite.dialect(), postgresql.dialect()], ids=lambda each: each.name)
def test_an_upsert_changes_all_but_the_key_or_what_it_is_told(dialect: sqlite.dialect) -> None:
    """By the primary key, in both databases' words."""
    text = str(build_upsert(dialect.name, ToolNameRow).compile(dialect=dialect))
    assert "ON CONFLICT (scope, server_id, operation_key) DO UPDATE SET name = excluded.name" in text
    assert "DO NOTHING" in str(insert_missing(dialect.name, ToolNameRow).compile(dialect=dialect))


@pytest.mark.parametrize(
    ("error", "unfit"),
    [
        (IntegrityError("INSERT", {}, _Refusal("there is one", "23505")), True),
        (ProgrammingError("INSERT", {}, _Refusal("permission denied", "42501")), False),
        (ProgrammingError("INSERT", {}, _Refusal("gone"), connection_invalidated=True), False),
        (OperationalError("INSERT", {}, _Refusal("server closed the connection")), False),
        (StatementError("no such value", "INSERT", {}, _Refusal("")), True),
        (PoolTimeout("no connection is free"), False),
        (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"), True),
        (ConnectionResetError(), False),
    ],
)
def test_the_entry_is_to_blame_only_for_what_another_entry_would_not_meet(
    error: Exception, *, unfit: bool
) -> None:
    """Rights, connections and a full pool are the operator's affair, and may be well in a second."""
    assert is_unfit(error) is unfit


def test_a_reason_is_one_line_without_sql_and_without_values() -> None:
    """PostgreSQL puts whole rows into the detail of an error."""
    said = _Refusal(
        "duplicate key\nDETAIL:  Key (key_hash)=(secret) already exists.", "23505", "duplicate key"
    )
    assert reason_of(IntegrityError("INSERT INTO", {"key": "secret"}, said)) == "duplicate key"
    assert reason_of(OperationalError("SELECT", {}, _Refusal("no\nserver\n\tIs it running?"))) == "no server"
    assert reason_of(OSError("disk full")) == "disk full"
