"""Tools about tools."""

import json

import jsonschema_rs
import pytest

from tests.support.documents.tools import tools_named
from toolserver.errors import ArgumentError
from toolserver.json_types import JsonObject
from toolserver.tool.meta_tools import (
    META_NAMES,
    META_TOOLS,
    FindRequest,
    ReadRequest,
    RunRequest,
    found_json,
    inner_error,
    no_operation,
    pages_of,
    read_find,
    read_reading,
    read_run,
)
from toolserver.tool.naming import OWN_NAMES

TOOLS = tools_named("listPets", "getPet", getPet={"tags": ["pets"], "description": "One.\nPet."})
LIMIT = 10_000


def test_their_names_are_reserved_and_their_schemas_valid() -> None:
    """An operation of the same name would shadow them, or be shadowed."""
    assert META_NAMES <= OWN_NAMES
    for tool in META_TOOLS:
        assert jsonschema_rs.meta.is_valid(json.loads(tool.schema_json))
        assert list(json.loads(tool.schema_json)) == ["type", "properties", "required"]


def test_a_find_request_has_defaults() -> None:
    """Only the words are needed."""
    assert read_find('{"query": "pets"}', max_bytes=LIMIT) == FindRequest("pets", "", "", 8)
    asked = '{"query": "a", "server": "s", "tag": "t", "limit": 3.0}'
    assert read_find(asked, max_bytes=LIMIT) == FindRequest("a", "s", "t", 3)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "x", "arguments": {"id": 9007199254740993, "price": 1.10}}',
        '\ufeff{ "arguments": {}, "name": "x",\n"arguments" :\t{"id": 9007199254740993, "price": 1.10} }',
        r'{"name": "x", "arguments": "{\"id\": 9007199254740993, \"price\": 1.10}"}',
    ],
)
def test_the_inner_arguments_of_a_run_request_are_the_models_own_text(text: str) -> None:
    """Integers above 2^53 and number formats survive; some models write the object as a string."""
    asked = read_run(text, max_bytes=LIMIT)
    assert asked == RunRequest("x", '{"id": 9007199254740993, "price": 1.10}')


def test_an_operation_without_arguments_needs_none() -> None:
    """Most models leave them out then."""
    assert read_run('{"name": "x"}', max_bytes=LIMIT) == RunRequest("x", "{}")


@pytest.mark.parametrize(
    ("text", "argument"),
    [
        ("{}", "name"),
        ('{"name": 5}', "name"),
        ('{"name": "x", "arguments": [1]}', "arguments"),
        ('{"name": "x", "arguments": null}', "arguments"),
        ('{"name": "x", "limit": 3}', "limit"),
        ('{"name": "x"', None),
    ],
)
def test_a_run_request_is_held_to_its_schema(text: str, argument: str | None) -> None:
    """An argument of the operation that stands beside `arguments` would be lost."""
    with pytest.raises(ArgumentError) as refused:
        read_run(text, max_bytes=LIMIT)
    assert refused.value.argument == argument


def test_a_wrong_name_is_answered_with_the_near_ones() -> None:
    """A model repairs a slip at once instead of searching again."""
    assert "Near it: listPets." in no_operation("list_pets", TOOLS).message
    assert "find_operations" in no_operation("xyzzy", TOOLS).message
    assert len(no_operation("listPets" * 100_000, TOOLS).message) < 300


def test_an_error_of_inner_arguments_says_where_they_stand() -> None:
    """The pointer leads into what the model sent."""
    error = inner_error("getPet", ArgumentError("`id` is wrong.", argument="id", pointer="/id"))
    assert (error.message, error.pointer) == ("Arguments of getPet: `id` is wrong.", "/arguments/id")


def test_found_operations_come_with_their_arguments_as_far_as_they_fit() -> None:
    """With them the model can call at once; twenty large schemas would fill its context."""
    small, large = b'{"type":"object"}', b"[" + b"1," * 20_000 + b"1]"
    answer = json.loads(found_json(TOOLS, {"listPets": small, "getPet": large}, 7, refused={"getPet"}))
    assert answer == {
        "operations": [
            {
                "name": "listPets",
                "server": "s",
                "operation": "GET /listPets",
                "summary": "GET /listPets",
                "parameters": {"type": "object"},
            },
            {
                "name": "getPet",
                "server": "s",
                "operation": "GET /getPet",
                "summary": "One.",
                "tags": ["pets"],
                "accepted": False,
            },
        ],
        "matches": 7,
    }


def test_the_best_match_always_has_its_parameters() -> None:
    """Else nobody could ever learn those of an operation with a very large schema."""
    large = b"[" + b"1," * 20_000 + b"1]"
    answer = json.loads(found_json(TOOLS, {"listPets": large, "getPet": b"{}"}, 2))
    assert ["parameters" in found for found in answer["operations"]] == [True, False]


def test_a_found_operation_tells_the_shape_of_its_answer() -> None:
    """Models choose among operations by what they answer, and need not call one to learn it."""
    fields: JsonObject = {f"field_{n}": {} for n in range(100)}
    schema: JsonObject = {"type": "array", "items": {"properties": fields}}
    content: JsonObject = {"application/json": {"schema": schema}}
    responses: JsonObject = {"200": {"description": "", "content": content}}
    (tool,) = tools_named("listPets", listPets={"responses": responses})
    (entry,) = json.loads(found_json([tool], {}, 1))["operations"]
    assert entry["answer"].startswith("[{field_0, field_1, ")
    assert len(entry["answer"]) == 300


def test_a_stored_text_is_read_in_parts_to_its_end() -> None:
    """What was cut must be there to the last character."""
    assert read_reading('{"call_id": "c", "offset": 4}', max_bytes=LIMIT) == ReadRequest("c", 4, "")
    assert pages_of("abcdef", 0, 4) == {"text": "abcd", "offset": 0, "total": 6, "next_offset": 4}
    assert pages_of("abcdef", 4, 4) == {"text": "ef", "offset": 4, "total": 6}
    assert pages_of("abcdef", 9, 4) == {"text": "", "offset": 9, "total": 6}
