"""Alembic's entry point, run in a transaction of its own when the bridge opens its database."""

from __future__ import annotations

from alembic import context

from bridge.storage.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
