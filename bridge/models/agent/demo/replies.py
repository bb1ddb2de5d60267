"""Texts of the demo model: who it is, which tools it was offered, what its calls returned.

Receives a request or the items since the user's message; returns Markdown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from bridge.models.agent.items import Item, model_call
from bridge.models.agent.model import ModelRequest
from toolserver.json_types import JsonObject, JsonValue, array_at, load_json, object_at, text_at

MAX_TOOLS = 20
"""Maximum number of tools that an answer lists; the others are counted."""
MAX_RESULT_CHARS = 2000
"""Maximum characters of each result; the demo model says how much it leaves out."""
_MAX_SENTENCE = 120

_WHO = (
    "I am the demo model of Direct Tool Bridge. I need no provider and no key, and I understand only one "
    "thing: a line such as `CALL name {json}`. Several lines are several calls at once."
)
_NO_TOOLS = (
    "I was offered no tools. In the bridge's page, add a document, accept its operations, and leave the page "
    "open."
)
_NO_CALL = "I may not call a tool in this round."


def words_without_calls(request: ModelRequest) -> str:
    """Return the answer to a message that asks for no call, or for one that cannot be made."""
    tools = [tool for tool in request.tools if tool.get("type") == "function"]
    if not tools:
        return f"{_WHO}\n\n{_NO_TOOLS}"
    if request.options.get("tool_choice") == "none":
        return f"{_WHO}\n\n{_NO_CALL}"
    lines = [f"- `{text_at(tool, 'name')}`{_about(tool)}" for tool in tools[:MAX_TOOLS]]
    if len(tools) > MAX_TOOLS:
        lines.append(f"- and {len(tools) - MAX_TOOLS} more")
    offered = "I was offered one tool:" if len(tools) == 1 else f"I was offered {len(tools)} tools:"
    return "\n".join([_WHO, "", offered, "", *lines, "", f"Try `{_example(tools[0])}`."])


def _about(tool: JsonObject) -> str:
    """Return the first line of a tool's description, shortened for a list."""
    line = text_at(tool, "description").strip().partition("\n")[0]
    if len(line) > _MAX_SENTENCE:
        line = line[: _MAX_SENTENCE - 1].rstrip() + "…"
    return f": {line}" if line else ""


def _example(tool: JsonObject) -> str:
    parameters = object_at(tool, "parameters")
    required = [name for name in array_at(parameters, "required") if isinstance(name, str)]
    arguments = {name: _value_for(object_at(object_at(parameters, "properties"), name)) for name in required}
    excerpt = {name: value for name, value in arguments.items() if value is not None}
    return f"CALL {text_at(tool, 'name')} {json.dumps(excerpt, ensure_ascii=False)}"


def _value_for(schema: JsonObject) -> JsonValue:
    """Return an example value of the right type; None for a property that strict mode makes nullable."""
    chosen = [*array_at(schema, "examples"), *array_at(schema, "enum")]
    kind = schema.get("type")
    if isinstance(kind, list) and "null" in kind:
        return None
    if chosen:
        return chosen[0]
    by_type: JsonObject = {"integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}
    return by_type.get(kind, "…") if isinstance(kind, str) else "…"


def result_words(items: Sequence[Item]) -> str:
    """Return the results of all calls since the user's message; "" when there were none."""
    return "\n\n".join(_results(items))


def _results(items: Sequence[Item]) -> Iterator[str]:
    calls = [call for item in items if (call := model_call(item))]
    names = {call.call_id: call.name for call in calls}
    for item in items:
        if item.get("type") == "function_call_output":
            name = names.get(text_at(item, "call_id")) or "A call"
            yield _result(f"`{name}`", _output_text(item))


def _output_text(item: Item) -> str:
    """Return the text of an output, which may be a list of parts."""
    output = item.get("output")
    if isinstance(output, str):
        return output
    parts = [part for part in array_at(item, "output") if isinstance(part, dict)]
    return "\n".join(text_at(part, "text") or f"[{text_at(part, 'type')}]" for part in parts)


def _result(name: str, output: str) -> str:
    try:
        value: JsonValue = load_json(output)
    except ValueError:
        return f"{name} answered:\n\n{_block(output, '')}" if output.strip() else f"{name} answered nothing."
    if failure := _failure(value):
        return f"{name} failed: {failure}"
    return f"{name} answered:\n\n{_block(json.dumps(value, ensure_ascii=False, indent=2), 'json')}"


def _failure(value: JsonValue) -> str:
    """Return the message of an error, in the bridge's shape or as a plain text."""
    error = value.get("error") if isinstance(value, dict) else None
    if isinstance(error, str):
        return error
    if not isinstance(error, dict):
        return ""
    message = text_at(error, "message")
    code = text_at(error, "code")
    return f"{message} (`{code}`)" if message and code else message or code


def _block(text: str, language: str) -> str:
    """Return a code block that its content cannot close."""
    excerpt = text[:MAX_RESULT_CHARS]
    if len(text) > len(excerpt):
        excerpt += f"\n… and {len(text) - len(excerpt)} characters more"
    fence = "```"
    while fence in excerpt:
        fence += "`"
    return f"{fence}{language}\n{excerpt}\n{fence}"
