"""Stored items and responses as values: their shape, ids, markers in texts, export and import; no I/O."""
