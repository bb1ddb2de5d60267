"""OpenAPI documents in, tools out.

Receives the text of a document; gives operations as tools: a name, a description, a schema of arguments and a
request plan each. Pure: no sockets, no event loop, no clock, no files, and no import of `bridge`.
"""
