"""Which tools a conversation may call: those that were enabled for it, one by one or all accepted ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from bridge.browser_protocol import BridgeError, ErrorCode
from bridge.catalog.registry import Registry
from bridge.catalog.server_view import UserView
from bridge.conversations.conversation import EnabledTool
from bridge.endpoints.api.conversations.schemas import AvailableTool, ToolName
from toolserver.tool.selection import choose


class ToolDesk:
    """Looks tools up in the catalogs of users."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def chosen(
        self, user_id: str, wanted: Literal["accepted"] | Sequence[ToolName]
    ) -> tuple[EnabledTool, ...]:
        """The tools that are named, or all that models of the user are shown.

        Raises:
            BridgeError: `not_found`: there is no such server; `unknown_tool`; `not_accepted`.
        """
        view = await self._registry.view(user_id)
        if wanted == "accepted":
            return tuple(
                EnabledTool(tool.server_id, tool.name)
                for tool in choose(view.catalog.tools, view.selection)
                if view.is_accepted(tool)
            )
        return tuple(dict.fromkeys(_found(view, each) for each in wanted))

    async def available(self, user_id: str, enabled: Sequence[EnabledTool]) -> list[AvailableTool]:
        """All that the user has accepted."""
        view, known = await self._registry.view(user_id), set(enabled)
        titles = {server.record.id: server.record.title for server in view.servers}
        return [
            AvailableTool(
                server_id=tool.server_id,
                server_slug=tool.server_id,
                server_name=titles.get(tool.server_id, tool.server_id),
                tool_name=tool.name,
                tool_description=tool.operation.description,
                enabled=EnabledTool(tool.server_id, tool.name) in known,
            )
            for tool in view.catalog.tools
            if view.is_accepted(tool)
        ]


def _found(view: UserView, wanted: ToolName) -> EnabledTool:
    server = view.server(wanted.server_id)
    tool = view.catalog.by_name(wanted.tool_name)
    if tool is None or tool.server_id != server.record.id:
        message = f"Tool '{wanted.tool_name}' not found on server '{wanted.server_id}'."
        raise BridgeError(ErrorCode.UNKNOWN_TOOL, message, detail={"tool": wanted.tool_name})
    if not view.is_accepted(tool):
        message = (
            f"Tool '{wanted.tool_name}' has not been accepted. Open the bridge page, look at server "
            f"'{wanted.server_id}' and accept it."
        )
        detail = {"tool": wanted.tool_name, "server": wanted.server_id}
        raise BridgeError(ErrorCode.NOT_ACCEPTED, message, detail=detail)
    return EnabledTool(tool.server_id, tool.name)
