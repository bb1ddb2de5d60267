"""`/conversations/{id}/tools`: the tools of a conversation. Nothing is callable until it is enabled."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from aiohttp import web

from bridge.endpoints.api.conversations.conversations import FAILING, PATH
from bridge.endpoints.api.conversations.schemas import AvailableTool, AvailableTools, EnabledTools, ToolName
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.body import read_body
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import json_answer
from bridge.models.conversation_runs.enabled_tools import SelectableTool, ToolChoices
from bridge.models.conversation_runs.runs import ConversationRuns
from bridge.models.conversations.conversation import EnabledTool
from bridge.models.conversations.ports import ConversationStore

Tools = tuple[EnabledTool, ...]

_ENABLED = ok("What is enabled now.", EnabledTools)


class ConversationToolRoutes(DeclaredApiRoutes):
    """Handlers of a conversation's tools."""

    def __init__(self, store: ConversationStore, runs: ConversationRuns, tools: ToolChoices) -> None:
        self._store = store
        self._runs = runs
        self._tools = tools

    @api_route(
        f"POST {PATH}/tools",
        _ENABLED,
        body=ToolName,
        errors=(*FAILING, ErrorCode.UNKNOWN_TOOL, ErrorCode.NOT_ACCEPTED),
    )
    async def enable_tool(self, request: web.Request) -> web.Response:
        """Enable a tool in a conversation; enabling it again changes nothing."""
        user_id = caller_of(request).user.id
        body = await read_body(request, ToolName)
        await self._runs.require_conversation(user_id, request.match_info["id"])
        added = await self._tools.choose_tools(user_id, [body.as_enabled()])
        return await self._changed(request, user_id, lambda tools: tuple(dict.fromkeys((*tools, *added))))

    @api_route(
        f"DELETE {PATH}/tools",
        _ENABLED,
        errors=FAILING,
        query={
            "server_id": "Only tools of this server; default: of all servers.",
            "tool_name": "Only this tool; default: all tools of the server.",
        },
    )
    async def disable_tool(self, request: web.Request) -> web.Response:
        """Disable a tool, or all tools, in a conversation. Those not enabled are ignored."""
        user_id = caller_of(request).user.id
        server_id = request.query.get("server_id")
        name = request.query.get("tool_name")
        if name is not None and server_id is None:
            message = "server_id is required with tool_name."
            raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": "server_id"})

        def is_requested(tool: EnabledTool) -> bool:
            return server_id in (None, tool.server_id) and name in (None, tool.name)

        return await self._changed(
            request, user_id, lambda tools: tuple(tool for tool in tools if not is_requested(tool))
        )

    @api_route(f"GET {PATH}/tools", _ENABLED, errors=FAILING)
    async def list_enabled_tools(self, request: web.Request) -> web.Response:
        """List the tools that a conversation may call."""
        user_id = caller_of(request).user.id
        found = await self._runs.require_conversation(user_id, request.match_info["id"])
        return _answer(found.settings.tools)

    @api_route(
        f"GET {PATH}/tools/available", ok("What the user has accepted.", AvailableTools), errors=FAILING
    )
    async def list_available_tools(self, request: web.Request) -> web.Response:
        """List the tools that can be enabled."""
        user_id = caller_of(request).user.id
        found = await self._runs.require_conversation(user_id, request.match_info["id"])
        tools = [_shaped(each) for each in await self._tools.list_available(user_id, found.settings.tools)]
        return json_answer(AvailableTools(tools=tools, count=len(tools)))

    async def _changed(
        self, request: web.Request, user_id: str, change: Callable[[Tools], Tools]
    ) -> web.Response:
        conversation_id = request.match_info["id"]
        async with self._runs.locks.lock_settings(conversation_id):
            found = await self._runs.require_conversation(user_id, conversation_id)
            tools = change(found.settings.tools)
            if tools != found.settings.tools:
                settings = replace(found.settings, tools=tools)
                await self._store.save_settings(replace(found, settings=settings, updated_at=time.time()))
        return _answer(tools)


def _shaped(selectable: SelectableTool) -> AvailableTool:
    server_id = selectable.tool.server_id
    return AvailableTool(
        server_id=server_id,
        server_slug=server_id,
        server_name=selectable.server_title,
        tool_name=selectable.tool.name,
        tool_description=selectable.description,
        enabled=selectable.is_enabled,
    )


def _answer(tools: Tools) -> web.Response:
    named = [ToolName(server_id=tool.server_id, tool_name=tool.name) for tool in tools]
    return json_answer(EnabledTools(enabled_tools=named, count=len(named)))
