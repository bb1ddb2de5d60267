"""Alembic migrations of the database."""

from __future__ import annotations

from pathlib import Path

HEAD = max(path.stem for path in (Path(__file__).parent / "versions").glob("[0-9]*.py"))[:4]
"""The newest revision, by the names of the files; a database that is there needs no Alembic to be opened."""
