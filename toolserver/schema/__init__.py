"""Schemas of arguments: a document's schemas read, flattened to what models and validators take, and written.

Receives schemas as a document has them and gives schemas without references or recursion, within a budget.
"""
