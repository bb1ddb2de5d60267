"""What a login at a provider said of a user, and whether an operator has disabled the user."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    """Apply."""
    op.add_column("users", sa.Column("role", sa.String(10), nullable=True))
    op.add_column("users", sa.Column("groups", sa.Text, nullable=True))
    op.add_column("users", sa.Column("logged_in_at", sa.Double, nullable=True))
    op.add_column("users", sa.Column("login_ends_at", sa.Double, nullable=True))
    op.add_column("users", sa.Column("disabled_at", sa.Double, nullable=True))
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE TRIGGER raise_change_counter AFTER UPDATE OF role, login_ends_at, disabled_at ON users"
            " FOR EACH STATEMENT EXECUTE FUNCTION raise_change_counter('devices')"
        )
