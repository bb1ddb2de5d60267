"""Calls, notices and markers as text that a chat shows."""
