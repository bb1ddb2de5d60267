"""Alembic's entry point; the bridge runs it when it opens its database, in a transaction of its own."""

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
