"""Items of the Responses API: a model's input and output, as JSON objects stored verbatim.

Receives and returns `Item`s; reads from them only what the loop decides by. Never changes one in place.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from toolserver.json_types import JsonObject, JsonValue, array_at, dump_json, object_at, text_at

Item: TypeAlias = JsonObject
"""One item as a caller or a provider wrote it, unknown members included."""


AWAITING_TYPES = frozenset(
    {
        "custom_tool_call",
        "computer_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "mcp_approval_request",
    }
)
"""Items other than a `function_call` that need an answer from the caller before the model can continue."""


SEARCH_CALL, SEARCH_OUTPUT = "tool_search_call", "tool_search_output"
"""Items of a native tool search: what the model looks for, and the tools that are loaded for it."""

_OWN_OUTPUT = re.compile(r"tso_[0-9a-f]{16}")
"""Ids of what the bridge itself has loaded; providers and clients make longer ones, or none."""

TOOL_SEARCH = "tool_search"
"""Type of the tool by which a model searches; as a name it stands for it where each call has one."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A `function_call` or tool search, or another item that awaits an answer, in parsed form."""

    call_id: str
    """The provider's id of the call, which its output must name; "" when the provider gave none."""
    name: str
    """Name as the model wrote it; "" when it wrote none. `TOOL_SEARCH` of a tool search."""
    arguments_text: str
    """JSON text as the model wrote it: perhaps broken, perhaps empty."""
    item: Item

    @property
    def namespace(self) -> str:
        """Namespace of the function; "" for one that is in none.

        A function that was loaded without a namespace may have its own name there.
        """
        namespace = text_at(self.item, "namespace")
        return "" if namespace == self.name else namespace

    @property
    def is_search(self) -> bool:
        """Whether it is a tool search."""
        return self.item.get("type") == SEARCH_CALL

    @property
    def is_in_doubt(self) -> bool:
        """Whether its arguments may lack something, or have something of another call.

        Of such a function call the item is `incomplete`, though its round is complete.
        """
        return self.item.get("type") == "function_call" and self.item.get("status") == "incomplete"


def model_call(item: Item) -> ModelCall | None:
    """Parse an item as a `function_call`, or as a tool search by the client; None for any other item."""
    if item.get("type") == SEARCH_CALL and is_client_search(item):
        return ModelCall(text_at(item, "call_id"), TOOL_SEARCH, arguments_text(item), item)
    if item.get("type") != "function_call":
        return None
    return ModelCall(text_at(item, "call_id"), text_at(item, "name"), arguments_text(item), item)


def is_client_search(item: Item) -> bool:
    """Return whether an item is a tool search, or its output, that the provider leaves to its client.

    Where it does not say who searches, its own searches have no `call_id`.
    """
    if item.get("type") not in (SEARCH_CALL, SEARCH_OUTPUT):
        return False
    execution = text_at(item, "execution")
    return execution == "client" or (not execution and text_at(item, "call_id") != "")


def arguments_text(item: Item) -> str:
    """Return the arguments of a call as JSON text; some providers, and searches, have the object itself."""
    arguments = item.get("arguments")
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    return dump_json(arguments).decode()


def awaiting_call(item: Item) -> ModelCall | None:
    """Parse an item of `AWAITING_TYPES`, with its input in place of arguments; None for any other."""
    if text_at(item, "type") not in AWAITING_TYPES:
        return None
    call_id = text_at(item, "call_id") or text_at(item, "id")
    return ModelCall(call_id, text_at(item, "name"), text_at(item, "input"), item)


def call_id_of(item: Item) -> str:
    """Return the id of the call that an item makes; "" for any other item."""
    call = model_call(item) or awaiting_call(item)
    return call.call_id if call else ""


def answered_call_id(item: Item) -> str:
    """Return the id of the call that an item answers; "" for any other item."""
    kind = text_at(item, "type")
    if kind == "mcp_approval_response":
        return text_at(item, "approval_request_id")
    if kind == SEARCH_OUTPUT:
        return text_at(item, "call_id") if is_client_search(item) else ""
    return (text_at(item, "call_id") or text_at(item, "id")) if kind.endswith("_call_output") else ""


def new_call_id() -> str:
    """Create an id for a call that came without one."""
    return f"call_{secrets.token_hex(12)}"


def output_item(call_id: str, output: str | Sequence[JsonObject]) -> Item:
    """Build a call's output, from a text or content parts. A failure too: any other status is refused."""
    content: JsonValue = output if isinstance(output, str) else [*output]
    return {
        "type": "function_call_output",
        "id": f"fco_{secrets.token_hex(8)}",
        "status": "completed",
        "call_id": call_id,
        "output": content,
    }


def search_output(call_id: str, tools: Sequence[JsonObject] = ()) -> Item:
    """Build the output of a tool search, which loads these tools; it has no room for words."""
    return {
        "type": SEARCH_OUTPUT,
        "id": f"tso_{secrets.token_hex(8)}",
        "status": "completed",
        "call_id": call_id,
        "execution": "client",
        "tools": [*tools],
    }


def answer_item(call: ModelCall, output: str | Sequence[JsonObject]) -> Item:
    """Build the output of a call; a tool search loads nothing then, whatever `output` says."""
    return search_output(call.call_id) if call.is_search else output_item(call.call_id, output)


def is_of_own_search(item: Item) -> bool:
    """Return whether an item is the output of a search that the bridge ran, by its id."""
    return item.get("type") == SEARCH_OUTPUT and _OWN_OUTPUT.fullmatch(text_at(item, "id")) is not None


def loaded_functions(item: Item) -> list[tuple[str, JsonObject]]:
    """Return the functions that a tool search loaded, or namespaces group, each with its namespace or ""."""
    found: list[tuple[str, JsonObject]] = []
    for tool in (tool for tool in array_at(item, "tools") if isinstance(tool, dict)):
        if tool.get("type") == "namespace":
            inner = [each for each in array_at(tool, "tools") if isinstance(each, dict)]
            found += [(text_at(tool, "name"), each) for each in inner]
        else:
            found.append(("", tool))
    return found


def loaded_text(item: Item) -> str:
    """Return the names of what a tool search loaded, as JSON for people."""
    names: list[JsonValue] = [text_at(tool, "name") for _, tool in loaded_functions(item)]
    return dump_json({"loaded": names}).decode()


def message_item(role: Literal["user", "assistant", "system", "developer"], text: str) -> Item:
    """Build a message of one text."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def message_text(item: Item) -> str:
    """Return the text of a message item, its parts joined, refusals left out. "" for any other item."""
    if item.get("type", "message") != "message":
        return ""
    content = item.get("content")
    if isinstance(content, str):
        return content
    parts = [part for part in array_at(item, "content") if isinstance(part, dict)]
    return "".join(text_at(part, "text") for part in parts)


_NO_ANSWERS = ("reasoning", "_call", "mcp_list_tools", "mcp_approval_request")
"""Endings of item types that are the model's work, not part of its answer."""


def is_answer(item: Item) -> bool:
    """Return whether an item of a model says something to the user: a text, a refusal, an image.

    Reasoning, tool calls, and what the provider searched or ran on the model's behalf do not count.
    """
    kind = text_at(item, "type") or "message"
    if kind != "message":
        return kind == "image_generation_call" or not kind.endswith(_NO_ANSWERS)
    parts = [part for part in array_at(item, "content") if isinstance(part, dict)]
    return message_text(item).strip() != "" or any(text_at(part, "refusal") for part in parts)


def usage_of(response: JsonObject) -> JsonObject:
    """Return the `usage` of a response object; empty when the provider gave none."""
    return object_at(response, "usage")


def add_usage(usage: JsonObject, more: JsonObject) -> JsonObject:
    """Add two usages, member by member: numbers and objects are summed; of anything else the later one wins.

    A member that is null, or of another type than before, leaves the known value unchanged.
    """
    total = dict(usage)
    for name, value in more.items():
        total[name] = _sum(total.get(name), value)
    return total


def _sum(known: JsonValue, value: JsonValue) -> JsonValue:
    if known is None or value is None:
        return value if known is None else known
    if isinstance(known, dict):
        return add_usage(known, value) if isinstance(value, dict) else known
    if _is_number(known):
        return _added(known, value) if _is_number(value) else known
    return value


def _added(known: JsonValue, value: JsonValue) -> JsonValue:
    assert isinstance(known, int | float)
    assert isinstance(value, int | float)
    return known + value


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
