"""Operations as tools: names, definitions, the catalog, selection, search, the advertised document.

Receives operations and gives what models and callers are shown of them.
"""
