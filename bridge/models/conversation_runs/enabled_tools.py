"""Tools that a conversation may call: chosen one by one, or all that models of the user are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bridge.catalog.registry import Registry
from bridge.catalog.server_view import UserView
from bridge.errors import BridgeError, ErrorCode
from bridge.models.conversations.conversation import EnabledTool
from toolserver.tool.selection import choose_tools


@dataclass(frozen=True, slots=True)
class SelectableTool:
    """A tool that its user has accepted and may enable for a conversation."""

    tool: EnabledTool
    server_title: str
    description: str
    is_enabled: bool


class ToolChoices:
    """Looks tools up in the catalogs of users."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def choose_tools(
        self, user_id: str, wanted: Literal["accepted"] | Sequence[EnabledTool]
    ) -> tuple[EnabledTool, ...]:
        """Return the named tools, or all that models of the user are shown.

        Raises:
            BridgeError: `not_found`: there is no such server; `unknown_tool`; `not_accepted`.
        """
        view = await self._registry.view_of_user(user_id)
        if wanted == "accepted":
            return tuple(
                EnabledTool(tool.server_id, tool.name)
                for tool in choose_tools(view.catalog.tools, view.selection)
                if view.is_accepted(tool)
            )
        return tuple(dict.fromkeys(_find_tool(view, each) for each in wanted))

    async def list_available(self, user_id: str, enabled: Sequence[EnabledTool]) -> list[SelectableTool]:
        """Return all tools that the user has accepted."""
        view = await self._registry.view_of_user(user_id)
        known = set(enabled)
        titles = {server.record.id: server.record.title for server in view.servers}
        return [
            SelectableTool(
                named := EnabledTool(tool.server_id, tool.name),
                titles.get(tool.server_id, tool.server_id),
                tool.operation.description,
                named in known,
            )
            for tool in view.catalog.tools
            if view.is_accepted(tool)
        ]


def _find_tool(view: UserView, wanted: EnabledTool) -> EnabledTool:
    server = view.find_server(wanted.server_id)
    tool = view.catalog.by_name(wanted.name)
    if tool is None or tool.server_id != server.record.id:
        message = f"Tool '{wanted.name}' not found on server '{wanted.server_id}'."
        raise BridgeError(ErrorCode.UNKNOWN_TOOL, message, detail={"tool": wanted.name})
    if not view.is_accepted(tool):
        message = (
            f"Tool '{wanted.name}' has not been accepted. Open the bridge page, look at server "
            f"'{wanted.server_id}' and accept it."
        )
        detail = {"tool": wanted.name, "server": wanted.server_id}
        raise BridgeError(ErrorCode.NOT_ACCEPTED, message, detail=detail)
    return EnabledTool(tool.server_id, tool.name)
