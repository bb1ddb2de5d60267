"""A compiled document, carried as lines."""

from dataclasses import replace

import pytest
from msgspec import structs

from tests.support.documents.compiled import compiled as compiled_text
from tests.support.documents.compiled import document_text, overlay_text, read_compiled
from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject, JsonValue
from toolserver.tool.compile import CompiledDocument, compile_document
from toolserver.tool.compiled_lines import CompiledReader, compiled_to_lines

PATHS: JsonObject = {
    "/pets/{id}": {"get": {"operationId": "getPet", "summary": "One pet"}},
    "/up": {"post": {"description": "größer\u2028"}},
}
SERVERS: list[JsonValue] = [{"url": "https://api.example/v1/"}]


def compiled(**root: JsonValue) -> CompiledDocument:
    return compile_document(document_with(PATHS, root), source_url=None)


def test_a_compiled_document_survives_its_journey_as_lines() -> None:
    """A worker process writes them, the event loop reads them one by one; bytes must arrive as they left."""
    flow: JsonObject = {"authorizationUrl": "/a", "tokenUrl": "/t", "scopes": {"read": "All"}}
    schemes: JsonObject = {
        "k": {"type": "apiKey", "in": "header", "name": "X"},
        "o": {"type": "oauth2", "flows": {"authorizationCode": flow}},
    }
    needs: JsonValue = [{"o": ["read", "write"]}]
    document = compiled(servers=[], components={"securitySchemes": schemes}, security=needs)
    assert document.operations[0].scopes == (("o", ("read", "write")),)
    lines = list(compiled_to_lines(document))
    assert len(lines) == 2
    assert read_compiled(lines) == document


def test_a_lone_surrogate_travels_as_a_question_mark() -> None:
    """YAML may escape one, in texts that only people read, and no encoding carries it."""
    document = compiled(servers=SERVERS)
    (operation, *_) = document.operations
    odd = structs.replace(operation, summary="a\ud800b", tags=("\udfff",))
    arrived = read_compiled(compiled_to_lines(replace(document, operations=(odd,))))
    assert arrived.operations == (structs.replace(operation, summary="a?b", tags=("?",)),)


@pytest.mark.parametrize("count", [0, 1])
def test_missing_lines_are_noticed(count: int) -> None:
    """A worker that dies half-way must not leave half a catalog."""
    lines = list(compiled_to_lines(compiled(servers=SERVERS)))
    reader = CompiledReader()
    for line in lines[:count]:
        reader.feed_line(line)
    with pytest.raises(ValueError, match="incomplete"):
        reader.finish_document()


def test_a_line_never_grows_with_the_document() -> None:
    """The bridge reads line by line, and everybody else waits for a line."""
    document = compiled(servers=SERVERS)
    many = replace(document, operations=document.operations * 1_000)
    lines = list(compiled_to_lines(many))
    assert max(map(len, lines)) < 200_000
    assert read_compiled(lines) == many


def test_a_document_without_operations_travels_too() -> None:
    """Everything skipped is a result a user must see."""
    document = replace(compiled(servers=SERVERS), operations=())
    assert read_compiled(compiled_to_lines(document)) == document


def test_what_was_before_an_edit_travels_too() -> None:
    """A page marks beside the edited tool what its author wrote."""
    edit = overlay_text({"target": "$.paths['/products'].get", "update": {"summary": "All that we sell"}})
    document = compiled_text(document_text(), overlays=[edit])
    assert read_compiled(compiled_to_lines(document)) == document
