"""Alembic migrations of the database."""

HEAD = "0031"
"""The newest revision; a database that is there needs no Alembic to be opened."""
