"""Turns OpenAPI documents into tools.

Receives the text of a document; gives its operations as tools, each with a name, a description, an argument
schema and a request plan. Pure: no sockets, no event loop, no clock, no files, and no import of `bridge`.

What others may import stands in `__all__`, and is described in `docs/how-to/use-toolserver-as-a-library.md`.
The modules below belong to the bridge, and change with it.
"""

from toolserver.errors import ArgumentError, DocumentError, RequestError
from toolserver.openapi.document import Document, DocumentLimits, parse_document
from toolserver.request.build import Request, build_request
from toolserver.tool.compile import CompiledOperation, DocumentTools
from toolserver.tool.function_calls import openai_tool, read_arguments

__all__ = [
    "ArgumentError",
    "CompiledOperation",
    "Document",
    "DocumentError",
    "DocumentLimits",
    "DocumentTools",
    "Request",
    "RequestError",
    "build_request",
    "openai_tool",
    "parse_document",
    "read_arguments",
]
