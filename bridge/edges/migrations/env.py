"""Alembic's entry point; the bridge runs it when it opens its store."""

from __future__ import annotations

from alembic import context
from sqlalchemy import create_engine

from bridge.edges.store_tables import Base

engine = create_engine(context.config.get_main_option("sqlalchemy.url") or "sqlite://")
with engine.connect() as connection:
    context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()
engine.dispose()
