"""Tools that a request brings along, in either protocol's shape, and whether it accepts the bridge's."""

from __future__ import annotations

from collections.abc import Mapping

from bridge.models.agent.request_fields import InvalidRequest, as_array, as_object, wrong_type
from toolserver.json_types import JsonObject, JsonValue

EXTRA_TOOLS = "extra_tools"
"""Request member for further tools, for callers whose library owns `tools`; non-object entries are dropped.
"""


TOOL_SERVERS = "tool_servers"
"""Request member with ids or titles of the servers whose tools the model gets."""


def caller_tools(body: Mapping[str, JsonValue]) -> tuple[JsonObject, ...]:
    """Return the tools of `tools`, then of `extra_tools`, in the Responses form.

    Raises:
        InvalidRequest: `tools` is no array of objects with a `type`.
    """
    own = [
        _checked(as_object(tool, f"tools[{place}]"), f"tools[{place}]")
        for place, tool in enumerate(as_array(_or_empty(body, "tools"), "tools"))
    ]
    extra = [
        responses_tool(tool)
        for tool in as_array(_or_empty(body, EXTRA_TOOLS), EXTRA_TOOLS)
        if isinstance(tool, dict)
    ]
    return (*own, *extra)


def chosen_servers(body: Mapping[str, JsonValue]) -> tuple[str, ...] | None:
    """Return the names of `tool_servers` as they stand; None when the request does not choose.

    Raises:
        InvalidRequest: it is no array of strings.
    """
    value = body.get(TOOL_SERVERS)
    if value is None:
        return None
    names: list[str] = []
    for place, name in enumerate(as_array(value, TOOL_SERVERS)):
        if not isinstance(name, str):
            raise wrong_type(f"{TOOL_SERVERS}[{place}]", "a string", name)
        names.append(name)
    return tuple(names)


def wants_tools(body: Mapping[str, JsonValue]) -> bool:
    """Return whether the bridge's tools may be offered: not to a task (a title), nor if calls are forbidden.

    Open WebUI names a task in `metadata.task`, where it leaves its metadata in the request.
    """
    metadata = body.get("metadata")
    is_task = isinstance(metadata, dict) and bool(metadata.get("task"))
    return body.get("tool_choice") != "none" and not is_task


def responses_tool(tool: JsonObject) -> JsonObject:
    """Convert a tool to the Responses form: Chat Completions nests its members under the name of its type."""
    kind = tool.get("type")
    inner = tool.get(kind) if isinstance(kind, str) else None
    if kind not in ("function", "custom") or not isinstance(inner, dict):
        return tool
    members = {**inner, "format": _flat_format(inner["format"])} if "format" in inner else inner
    return {"type": kind, **members}


def responses_tool_choice(choice: JsonValue) -> JsonValue:
    """Convert a `tool_choice` to the Responses form."""
    if not isinstance(choice, dict):
        return choice
    kind = choice.get("type")
    inner = choice.get(kind) if isinstance(kind, str) else None
    if not isinstance(inner, dict):
        return choice
    if kind == "allowed_tools":
        tools = inner.get("tools")
        flat = [responses_tool_choice(tool) for tool in tools] if isinstance(tools, list) else tools
        return {"type": kind, **inner, "tools": flat}
    return {"type": kind, **inner}


def _or_empty(body: Mapping[str, JsonValue], name: str) -> JsonValue:
    value = body.get(name)
    return [] if value is None else value


def _checked(tool: JsonObject, param: str) -> JsonObject:
    if not isinstance(tool.get("type"), str):
        message = f"Missing required parameter: '{param}.type'."
        raise InvalidRequest(message, param=f"{param}.type", code="missing_required_parameter")
    flat = responses_tool(tool)
    if flat.get("type") == "function" and not isinstance(flat.get("name"), str):
        message = f"Missing required parameter: '{param}.name'."
        raise InvalidRequest(message, param=f"{param}.name", code="missing_required_parameter")
    return flat


def _flat_format(value: JsonValue) -> JsonValue:
    inner = value.get("grammar") if isinstance(value, dict) else None
    return {"type": "grammar", **inner} if isinstance(inner, dict) else value
