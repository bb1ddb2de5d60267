"""The process of one validation: what openapi-core says about a document, apart from the compiling process.

Of a list of MCP tools it is what JSON Schema says about their arguments.

The result is a report for the document's author and blocks nothing. Nothing is fetched or read: on its own
the library would follow a `$ref` to any address and any file of this machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NoReturn

import jsonschema_rs
import orjson
from openapi_spec_validator import OpenAPIV2SpecValidator, OpenAPIV30SpecValidator, OpenAPIV31SpecValidator

from bridge.documents.framing import decode_text, serve_requests
from toolserver.json_types import array_at, object_at
from toolserver.openapi.document import MCP, Document
from toolserver.openapi.json_pointer import pointer_token
from toolserver.openapi.overlay import parse_edited_document

MAX_PROBLEMS = 50
"""Maximum number of problems listed; in a document with more, most have one cause."""

PROBLEM_CHARS = 500


class NotInDocument(Exception):
    """A reference leads out of the document."""


class _NothingIsRetrieved(dict[str, Callable[[str], NoReturn]]):
    """Handlers for every possible URL scheme, since without one the library opens the address itself."""

    def __contains__(self, scheme: object) -> bool:
        return True

    def __getitem__(self, scheme: str) -> Callable[[str], NoReturn]:
        return _refuse


def _refuse(uri: str) -> NoReturn:
    raise NotInDocument(f"{uri} is not part of the document")


class _Swagger2(OpenAPIV2SpecValidator):
    resolver_handlers = _NothingIsRetrieved()


class _OpenApi30(OpenAPIV30SpecValidator):
    resolver_handlers = _NothingIsRetrieved()


class _OpenApi31(OpenAPIV31SpecValidator):
    resolver_handlers = _NothingIsRetrieved()


_VALIDATORS = {"2.0": _Swagger2, "3.0": _OpenApi30}


def validate_document(text: str, overlays: Sequence[str | bytes] = ()) -> list[str]:
    """Return the problems of a document that parses, as its overlays leave it.

    At most `MAX_PROBLEMS`, each with its location.

    Takes seconds for megabytes: run it away from the event loop.
    """
    document = parse_edited_document(text, overlays)
    if document.version == MCP:
        return _schema_problems(document)
    validator = _VALIDATORS.get(document.version, _OpenApi31)
    problems: list[str] = []
    try:
        for error in islice(validator(document.written).iter_errors(), MAX_PROBLEMS):
            problems.append(f"{_place(error.absolute_path)}: {error.message}"[:PROBLEM_CHARS])
    except Exception as error:  # a boundary: where the validator itself fails, the document has a problem
        problems.append(f"The validator failed: {type(error).__name__}: {error}"[:PROBLEM_CHARS])
    return problems


def _schema_problems(document: Document) -> list[str]:
    """What JSON Schema 2020-12 says about the argument schemas of a tool list; one problem per tool."""
    problems: list[str] = []
    for index, tool in enumerate(array_at(document.written, "tools")):
        schema = object_at(tool, "inputSchema") if isinstance(tool, dict) else {}
        try:
            jsonschema_rs.meta.validate({key: value for key, value in schema.items() if key != "$schema"})
        except jsonschema_rs.ValidationError as error:
            place = _place(["tools", index, "inputSchema", *error.instance_path])
            problems.append(f"{place}: {error.message}"[:PROBLEM_CHARS])
    return problems[:MAX_PROBLEMS]


def _place(path: Iterable[str | int]) -> str:
    return "#/" + "/".join(pointer_token(str(part)) for part in path)


def _lines(_request: object, text: bytes, *overlays: bytes) -> Iterator[bytes]:
    yield orjson.dumps({"problems": validate_document(decode_text(text), overlays)})


if __name__ == "__main__":
    serve_requests(_lines)
