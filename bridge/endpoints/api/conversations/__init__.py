"""Conversations: the list, messages, answers as they are made, tools."""
