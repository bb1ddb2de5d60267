"""What OpenAI refuses of native tool search: wrong tools, and calls of functions that are not loaded.

Shapes are judged by the types of the `openai` package, schemas by the documented rules of strict functions.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from openai.types.responses import ToolSearchTool
from openai.types.responses.namespace_tool import NamespaceTool
from openai.types.responses.response_input_item import ToolSearchCall
from openai.types.responses.response_tool_search_output_item_param import ResponseToolSearchOutputItemParam
from pydantic import BaseModel, ValidationError

from tests.support.documents.strict_rules import problems_of

Json = dict[str, Any]

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_ID = re.compile(r".{1,64}")

_SHAPES: dict[str, type[BaseModel]] = {
    "tool_search": ToolSearchTool,
    "namespace": NamespaceTool,
    "tool_search_call": ToolSearchCall,
    "tool_search_output": ResponseToolSearchOutputItemParam,
}


def find_search_refusal(tools: Sequence[Json], items: Sequence[Json]) -> str | None:
    """Return the message with which OpenAI would refuse a request; None: it would not."""
    return next(_refusals(tools, items), None)


def _refusals(tools: Sequence[Json], items: Sequence[Json]) -> Iterator[str]:
    for each in (*tools, *items):
        yield from _wrong_shape(each)
    if sum(tool.get("type") == "tool_search" for tool in tools) > 1:
        yield "Only one tool_search tool is allowed."
    known = set(_functions(tools))
    for item in items:
        match item.get("type"):
            case "tool_search_output":
                for _, tool in _tools_in(item["tools"]):
                    yield from _wrong_function(tool)
                known |= set(_functions(item["tools"]))
            case "function_call":
                yield from _wrong_call(item, known)
            case _:
                pass


def _wrong_shape(each: Json) -> Iterator[str]:
    shape = _SHAPES.get(str(each.get("type")))
    if shape is None:
        return
    try:
        shape.model_validate(each, strict=True)
    except ValidationError as error:
        yield f"Invalid {each['type']}: {error}"
    if each.get("id") is not None and not _ID.fullmatch(each["id"]):
        yield f"Invalid id of {each['type']}: at most 64 characters."


def _wrong_function(tool: Json) -> Iterator[str]:
    name = tool.get("name", "")
    if not _NAME.fullmatch(name):
        yield f"Invalid name of a loaded function: {name!r}."
    if not isinstance(tool.get("strict"), bool):
        yield f"The loaded function {name} does not say whether it is strict."
    elif tool["strict"] and (problems := problems_of(tool["parameters"])):
        yield f"Invalid schema for function {name!r}: {problems}"


def _wrong_call(item: Json, known: set[tuple[str, str]]) -> Iterator[str]:
    name, space = item["name"], item.get("namespace") or ""
    if space and (space, name) not in known and not (space == name and ("", name) in known):
        yield f"No function {name!r} in the namespace {space!r} has been loaded before its call."
    elif not space and ("", name) not in known and any(name == other for _, other in known):
        yield (
            f"Missing namespace for function_call {name!r}. It does not exist in the default namespace. "
            "Round-trip the model's function_call item with its namespace field included."
        )


def _functions(tools: Sequence[Json]) -> Iterator[tuple[str, str]]:
    return ((space, tool.get("name", "")) for space, tool in _tools_in(tools))


def _tools_in(tools: Sequence[Json]) -> Iterator[tuple[str, Json]]:
    for tool in tools:
        if tool.get("type") == "namespace":
            yield from ((tool["name"], inner) for inner in tool["tools"])
        elif tool.get("type") == "function":
            yield "", tool
