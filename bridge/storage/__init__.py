"""Persistence of a bridge: its database (SQLite or PostgreSQL), write-ahead log and files of answers."""
