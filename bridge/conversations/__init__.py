"""Conversations as values: messages over the items of turns, their tree, their window, their prompt. Pure."""
