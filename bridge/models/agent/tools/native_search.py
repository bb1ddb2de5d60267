"""Tool search by a model's own means: the tool that it is offered, what it asks, and what is loaded for it.

The search is `find_operations`, run by the engine like any call; what it finds is loaded as functions with
their whole schemas, in a namespace for each server. Tools that are listed anyway are not loaded. An output
has no room for words: what cannot be understood, or finds nothing, loads nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bridge.models.agent.items import TOOL_SEARCH, ModelCall, loaded_text
from bridge.models.agent.tool_search import NAMESPACE, namespace_of
from bridge.models.agent.toolbox import BridgeTool, CallOutput
from bridge.models.agent.tools.catalog_tools import SearchedServer, format_title
from toolserver.json_types import JsonObject, JsonValue, array_at, dump_json, load_json, text_at
from toolserver.tool.meta_tools import FIND_OPERATIONS, MAX_RESULT_SCHEMAS, MAX_RESULTS, RESULT_SCHEMA_BYTES

MAX_LOADED, LOADED_BYTES = MAX_RESULT_SCHEMAS, RESULT_SCHEMA_BYTES
"""Maximum functions that one search loads, and bytes of their definitions, but for the first one's; as many
as `find_operations` describes."""

MAX_QUERY_CHARS = 2_000
"""Characters of a query that are searched for. Chosen."""

MAX_NAMED = 50
"""Maximum namespaces that the tool names; others are found all the same. Chosen."""

LoadTools: TypeAlias = Callable[[Sequence[str]], Awaitable[Sequence[BridgeTool]]]
"""Returns those tools of a user, by their names, that are accepted and whose schemas are ready."""

_LEAD = (
    "Find functions of the user's APIs by words, such as what you want to do and with what. They are loaded "
    "into a namespace for each API; call them there. Search again, in other words, if nothing fits."
)

PARAMETERS: JsonObject = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "Words, such as: create invoice."},
        "namespace": {
            "type": ["string", "null"],
            "description": "Only functions of this namespace. Null: of all.",
        },
    },
    "required": ["query", "namespace"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class NativeSearch:
    """The search that a model is offered in one turn."""

    tool: BridgeTool
    servers: tuple[SearchedServer, ...]
    load_tools: LoadTools

    def find_arguments(self, call: ModelCall) -> str:
        """Return the arguments of `find_operations` for a search; "" when it asks for nothing."""
        asked = _object_of(call.item.get("arguments"))
        query = text_at(asked, "query") or " ".join(_texts_in([*asked.values()]))
        if not query.strip():
            return ""
        arguments: JsonObject = {"query": query[:MAX_QUERY_CHARS], "limit": MAX_RESULTS}
        namespace = text_at(asked, "namespace")
        ids = [each.id for each in self.servers if namespace and namespace_of(each.id) == namespace]
        return dump_json({**arguments, "server": ids[0]} if ids else arguments).decode()

    async def load_found(self, found_text: str, listed: Collection[str]) -> CallOutput:
        """Return the output that loads what `find_operations` found, but for the tools in `listed`."""
        found = [each for each in array_at(_object_of(found_text), "operations") if isinstance(each, dict)]
        accepted = [text_at(each, "name") for each in found if each.get("accepted") is not False]
        tools = await self.load_tools([name for name in accepted if name not in listed][:MAX_LOADED])
        loaded = self._grouped(_fitting(tools))
        return CallOutput(loaded_text({"tools": [*loaded]}), has_succeeded=True, loaded=loaded)

    def _grouped(self, tools: Sequence[BridgeTool]) -> tuple[JsonObject, ...]:
        about = {server.id: server.about for server in self.servers}
        groups: dict[str, list[JsonValue]] = {}
        for tool in tools:
            if tool.server_id is not None:
                groups.setdefault(tool.server_id, []).append({**tool.definition, "defer_loading": True})
        return tuple(
            {
                "type": NAMESPACE,
                "name": namespace_of(server_id),
                "description": about.get(server_id) or server_id,
                "tools": functions,
            }
            for server_id, functions in groups.items()
        )


def offer_search(servers: Sequence[SearchedServer], load_tools: LoadTools) -> NativeSearch:
    """Return the search over the tools of these servers; its definition is the same for the same servers."""
    named = [f"- {namespace_of(server.id)}: {server.about}" for server in servers[:MAX_NAMED]]
    more = [f"- and {len(servers) - MAX_NAMED} others"] if len(servers) > MAX_NAMED else []
    definition: JsonObject = {
        "type": TOOL_SEARCH,
        "execution": "client",
        "description": "\n".join([_LEAD, "Namespaces:", *named, *more]),
        "parameters": PARAMETERS,
    }
    title = format_title(TOOL_SEARCH)
    tool = BridgeTool(TOOL_SEARCH, FIND_OPERATIONS.name, title, definition, PARAMETERS, is_safe=True)
    return NativeSearch(tool, tuple(servers), load_tools)


def _fitting(tools: Sequence[BridgeTool]) -> list[BridgeTool]:
    """Return the tools as far as their definitions fit together, the first one in any case."""
    fitting: list[BridgeTool] = []
    room = LOADED_BYTES
    for tool in tools:
        size = len(dump_json(tool.definition))
        if not fitting or size <= room:
            fitting.append(tool)
            room -= size
    return fitting


def _object_of(value: JsonValue) -> JsonObject:
    """Return an object, also one that came as JSON text; a text that is none stands for a query."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, str):
        return {}
    try:
        parsed = load_json(value)
    except ValueError:
        return {"query": value}
    return parsed if isinstance(parsed, dict) else {}


def _texts_in(values: Sequence[JsonValue]) -> list[str]:
    """Return the texts among values and in lists of them: some models answer in a form of their own."""
    texts: list[str] = []
    for value in values:
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, list):
            texts += [each for each in value if isinstance(each, str)]
    return texts
