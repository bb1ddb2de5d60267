"""Tools about tools."""

import json

import jsonschema_rs
import pytest

from tests.support.tools import tools_named
from toolserver.arguments import ArgumentValidator
from toolserver.catalog import Catalog
from toolserver.errors import ArgumentError
from toolserver.meta_tools import (
    FIND_OPERATIONS,
    META_TOOLS,
    READ_RESULT,
    RUN_OPERATION,
    FindRequest,
    ReadRequest,
    found_json,
    pages_of,
    read_find,
    read_reading,
    read_run,
)
from toolserver.naming import OWN_NAMES

CATALOG = Catalog(tools_named("listPets", "getPet", getPet={"tags": ["pets"], "description": "One.\nPet."}))


def test_their_names_are_reserved_and_their_schemas_valid() -> None:
    """An operation of the same name would shadow them, or be shadowed."""
    assert {tool.name for tool in META_TOOLS} <= OWN_NAMES
    for tool in META_TOOLS:
        assert jsonschema_rs.meta.is_valid(json.loads(tool.schema_json))
        assert list(json.loads(tool.schema_json)) == ["type", "properties", "required"]


def test_a_find_request_has_defaults() -> None:
    """Only the words are needed."""
    ArgumentValidator(FIND_OPERATIONS.schema_json).validate({"query": "pets"})
    assert read_find({"query": "pets"}) == FindRequest("pets", "", "", 8)
    assert read_find({"query": "a", "server": "s", "tag": "t", "limit": 3}) == FindRequest("a", "s", "t", 3)


def test_a_run_request_names_a_tool_and_its_arguments() -> None:
    """An operation without arguments needs none."""
    ArgumentValidator(RUN_OPERATION.schema_json).validate({"name": "getPet", "arguments": {"id": 1}})
    tool, arguments = read_run({"name": "getPet", "arguments": {"id": 1}}, CATALOG)
    assert (tool.name, arguments) == ("getPet", {"id": 1})
    assert read_run({"name": "listPets"}, CATALOG)[1] == {}


def test_a_wrong_name_is_answered_with_the_near_ones() -> None:
    """A model repairs a slip at once instead of searching again."""
    with pytest.raises(ArgumentError, match="Near it: listPets"):
        read_run({"name": "list_pets"}, CATALOG)
    with pytest.raises(ArgumentError, match="find_operations"):
        read_run({"name": "xyzzy"}, CATALOG)


def test_found_operations_come_with_their_arguments_as_far_as_they_fit() -> None:
    """With them the model can call at once; twenty large schemas would fill its context."""
    tools = CATALOG.tools
    answer = json.loads(found_json(tools, [b'{"type":"object"}', b"[" + b"1," * 20_000 + b"1]"], 7))
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
            },
        ],
        "matches": 7,
    }


def test_a_kept_text_is_read_in_parts_to_its_end() -> None:
    """What was cut must be there to the last character."""
    ArgumentValidator(READ_RESULT.schema_json).validate({"call_id": "c", "offset": 0})
    assert read_reading({"call_id": "c", "offset": 4}) == ReadRequest("c", 4)
    assert pages_of("abcdef", 0, 4) == {"text": "abcd", "offset": 0, "total": 6, "next_offset": 4}
    assert pages_of("abcdef", 4, 4) == {"text": "ef", "offset": 4, "total": 6}
    assert pages_of("abcdef", 9, 4) == {"text": "", "offset": 9, "total": 6}
