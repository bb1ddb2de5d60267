"""Flattens schemas of arguments into the form that models and validators accept.

Receives schemas as a document has them and gives schemas without references or recursion, within a budget.
"""
