"""Rendering of tool calls, notices and item markers into the text that a chat shows."""
