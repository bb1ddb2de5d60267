"""The list of tools that MCP clients read."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject
from toolserver.tool.catalog import Tool
from toolserver.tool.compile import DocumentTools
from toolserver.tool.mcp_tools import list_mcp_tools
from toolserver.tool.meta_tools import META_TOOLS


def tools_of(paths: JsonObject) -> tuple[list[Tool], Callable[[Tool], bytes]]:
    """The tools, and what gives their schemas."""
    document = DocumentTools(document_with(paths), source_url=None)
    tools = [Tool(operation.suggested_name, "s", operation) for operation in document.compiled.operations]
    return tools, lambda tool: document.schema_of(tool.operation.key).schema_json


def operation(method: str) -> JsonObject:
    """One operation, whose answer has a schema."""
    answer: JsonObject = {
        "description": "ok",
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
    return {method: {"operationId": f"{method}It", "responses": {"200": answer}}}


def entry_of(method: str) -> dict[str, Any]:
    """What is listed of it."""
    (entry,) = orjson.loads(list_mcp_tools(*tools_of({"/it": operation(method)})))
    return entry


@pytest.mark.parametrize(
    ("method", "hints"),
    [
        ("get", {"readOnlyHint": True}),
        ("head", {"readOnlyHint": True}),
        ("put", {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True}),
        ("delete", {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True}),
        ("post", {"readOnlyHint": False, "destructiveHint": True}),
        ("patch", {"readOnlyHint": False, "destructiveHint": True}),
    ],
)
def test_annotations_follow_the_method(method: str, hints: dict[str, bool]) -> None:
    """RFC 9110, 9.2; clients that skip their own question for what only reads rely on it."""
    assert entry_of(method)["annotations"] == {**hints, "openWorldHint": True}


def test_no_tool_has_an_output_schema() -> None:
    """Clients validate results against it, while APIs do not keep to theirs; nothing asks for one."""
    assert set(entry_of("get")) == {"name", "description", "inputSchema", "annotations"}


def test_argument_schemas_are_spliced_in_as_they_are() -> None:
    """Reading and writing five hundred schemas for each list would cost what splicing saves."""
    (tool,), schema_of = tools_of({"/it": operation("get")})
    assert schema_of(tool) in list_mcp_tools([tool], schema_of)


def test_the_order_is_that_of_the_tools_and_the_bytes_are_the_same_each_time() -> None:
    """A list that changes without a change costs every client its cache of the prompt."""
    tools, schema_of = tools_of({f"/{name}": operation(name) for name in ("put", "get", "post")})
    listed = list_mcp_tools(tools, schema_of)
    assert [entry["name"] for entry in orjson.loads(listed)] == [tool.name for tool in tools]
    assert listed == list_mcp_tools(tools, schema_of)


def test_meta_tools_come_last_and_say_that_they_stay_here() -> None:
    """But for the one that runs any operation, which may change something anywhere."""
    listed = orjson.loads(list_mcp_tools(*tools_of({"/it": operation("get")}), meta_tools=META_TOOLS))
    hints = {entry["name"]: entry["annotations"] for entry in listed}
    assert list(hints) == ["getIt", "find_operations", "run_operation", "read_result"]
    assert hints["find_operations"] == {"readOnlyHint": True, "openWorldHint": False}
    assert hints["run_operation"]["destructiveHint"] is True
