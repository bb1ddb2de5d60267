"""Which answer of a model a call belongs to, and by which id the model knows it."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Apply."""
    op.add_column("calls", sa.Column("turn_id", sa.Text))
    op.add_column("calls", sa.Column("turn_call_id", sa.Text))


def downgrade() -> None:
    """Take back."""
    op.drop_column("calls", "turn_call_id")
    op.drop_column("calls", "turn_id")
