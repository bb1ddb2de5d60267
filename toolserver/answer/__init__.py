"""Renders what an API answered for callers and models: results, outlines, queries, what went wrong.

Receives what an API answered and gives what callers and models read.
"""
