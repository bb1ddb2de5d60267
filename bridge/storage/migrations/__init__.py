"""Alembic migrations of the database."""

HEAD = "0027"
"""The newest revision; a database that is there needs no Alembic to be opened."""
