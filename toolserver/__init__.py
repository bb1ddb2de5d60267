"""Turns OpenAPI documents into tools.

Receives the text of a document; gives its operations as tools, each with a name, a description, an argument
schema and a request plan. Pure: no sockets, no event loop, no clock, no files, and no import of `bridge`.
"""
