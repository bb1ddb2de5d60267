"""Responses that are made, read, resumed, and run in the background."""
