"""Conversations as values: messages with the items of turns, their tree, token window and prompt. Pure."""
