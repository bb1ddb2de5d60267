"""The conversation API: list, messages, runs, tools."""
