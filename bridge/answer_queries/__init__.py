"""Queries of stored answers, and outlines of those that are too long, made in child processes."""
