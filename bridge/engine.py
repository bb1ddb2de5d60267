"""One engine behind every door: a tool's name and arguments as text become a call, and its outcome.

Looks the tool up in the user's catalog, checks acceptance, validates the arguments and dispatches. Every
refusal on the way is a `BridgeError`; what happens to the call itself is a `CallOutcome`.
"""

from __future__ import annotations

from dataclasses import dataclass

from bridge.dispatch import CallRequest, Dispatcher
from bridge.outcome import CallOutcome
from bridge.registry import Registry
from bridge.servers import LoadedServer, UserView
from bridge.wire import ARGUMENT_BYTES, BridgeError, ErrorCode
from toolserver.arguments import parse_arguments
from toolserver.catalog import Tool
from toolserver.errors import ArgumentError
from toolserver.naming import OperationKey


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What a door was asked to do."""

    user_id: str
    tool_name: str
    arguments_text: str
    """JSON text of an object; empty means no arguments."""
    server_id: str | None = None
    """Only a tool of this server will do."""
    chat_id: str | None = None
    message_id: str | None = None


class Engine:
    """Runs tool calls of any user."""

    def __init__(self, registry: Registry, dispatcher: Dispatcher, deadline_s: float) -> None:
        self._registry = registry
        self._dispatcher = dispatcher
        self._deadline_s = deadline_s

    async def call(self, call: ToolCall) -> CallOutcome:
        """Run one call to its end. Cancelling it aborts the request in the page.

        Raises:
            BridgeError: `unknown_tool`, `not_accepted` or `invalid_arguments`; nothing was sent.
        """
        view = await self._registry.view(call.user_id)
        tool = _find(view, call)
        if not view.is_accepted(tool):
            raise _not_accepted(view, tool)
        await self._validate(view.server(tool.server_id), tool, call.arguments_text)
        operation = tool.operation
        return await self._dispatcher.run(
            CallRequest(
                user_id=call.user_id,
                tool_name=tool.name,
                server_id=tool.server_id,
                operation_key=operation.key,
                operation_digest=operation.digest,
                origin=operation.origin,
                safe=operation.safe,
                arguments_text=call.arguments_text.strip() or "{}",
                deadline_s=self._deadline_s,
                chat_id=call.chat_id,
                message_id=call.message_id,
            )
        )

    async def _validate(self, server: LoadedServer, tool: Tool, text: str) -> None:
        validator = await self._registry.validator(server, tool.operation)
        try:
            validator.validate(parse_arguments(text, max_bytes=ARGUMENT_BYTES))
        except ArgumentError as error:
            detail = {"argument": error.argument, "pointer": error.pointer}
            raise BridgeError(ErrorCode.INVALID_ARGUMENTS, error.message, detail=detail) from None


def _find(view: UserView, call: ToolCall) -> Tool:
    tool = view.catalog.by_name(call.tool_name)
    if tool is None or call.server_id not in (None, tool.server_id):
        where = f" of server {call.server_id!r}" if call.server_id else ""
        message = f"There is no tool {call.tool_name!r}{where}. GET /openapi.json lists the tools."
        raise BridgeError(ErrorCode.UNKNOWN_TOOL, message, detail={"tool": call.tool_name})
    return tool


def _not_accepted(view: UserView, tool: Tool) -> BridgeError:
    pinned = view.accepted.get(OperationKey(tool.server_id, tool.operation.key))
    reason = "changed since it was accepted" if pinned else "has not been accepted"
    message = (
        f"Tool {tool.name!r} {reason}. Open the bridge page, look at server {tool.server_id!r} and accept it."
    )
    detail = {"tool": tool.name, "server": tool.server_id, "changed": bool(pinned)}
    return BridgeError(ErrorCode.NOT_ACCEPTED, message, detail=detail)
