"""Presents operations as tools: names, definitions, catalog, selection, search, advertised document.

Receives operations and gives what models and callers are shown of them.
"""
