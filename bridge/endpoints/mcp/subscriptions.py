"""`subscriptions/listen`: a stream that tells a modern client when its list of tools has changed."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus

from aiohttp import web

from bridge.auth.identity import Caller
from bridge.catalog.registry import NOBODY, Registry
from bridge.endpoints.mcp.answer import reads_streams, refusal_event
from bridge.endpoints.mcp.protocol import (
    INVALID_REQUEST,
    SUBSCRIPTION_KEY,
    RpcError,
    RpcMessage,
    event_frame,
    notification_bytes,
    result_bytes,
)
from bridge.endpoints.mcp.readers import McpReaders
from bridge.errors import BridgeError
from bridge.http.access import caller_of
from bridge.http.streaming import event_stream
from toolserver.json_types import JsonObject, object_at


class Subscriptions:
    """Handles subscriptions."""

    def __init__(self, registry: Registry, readers: McpReaders) -> None:
        self._registry = registry
        self._readers = readers
        self._changes = registry.changes

    async def listen(self, request: web.Request, message: RpcMessage) -> web.StreamResponse:
        """Tell of each change until the client closes the stream, or the bridge stops.

        Raises:
            RpcError: the client takes no stream.
            BridgeError: `rate_limited`; `not_found`: there is no such server.
        """
        if not reads_streams(request):
            text = "A subscription is a stream: accept text/event-stream."
            raise RpcError(INVALID_REQUEST, text, status=HTTPStatus.NOT_ACCEPTABLE)
        caller = caller_of(request)
        user_id = list_owner(caller)
        room = self._readers.room_of(request, message)
        wants_tools = object_at(message.params, "notifications").get("toolsListChanged") is True
        meta: JsonObject = {SUBSCRIPTION_KEY: message.request_id}
        agreed: JsonObject = {"toolsListChanged": True} if wants_tools else {}
        server_id = request.match_info.get("server")
        if server_id is not None:  # as `tools/list` says; one that is removed later leaves an empty list
            (await self._registry.view_of_user(user_id)).find_server(server_id)
        with self._changes.watch_user(user_id) as changed:
            known = await self._tools_of(user_id, server_id, room)
            failure = partial(refusal_event, message.request_id)
            async with event_stream(request, {}, describe_failure=failure, is_endless=True) as stream:
                params: JsonObject = {"notifications": agreed, "_meta": meta}
                told = notification_bytes("notifications/subscriptions/acknowledged", params)
                await stream.send_frames(event_frame(told))
                while not self._changes.is_over:
                    await changed.wait()
                    changed.clear()
                    tools = await self._tools_of(user_id, server_id, room)
                    if wants_tools and tools != known:
                        told = notification_bytes("notifications/tools/list_changed", {"_meta": meta})
                        await stream.send_frames(event_frame(told))
                    known = tools
                result = {"resultType": "complete", "_meta": meta}
                await stream.send_frames(event_frame(result_bytes(message.request_id, result)))
        return stream.response

    async def _tools_of(self, user_id: str, server_id: str | None, room: int | None) -> bytes | None:
        """Return the list as clients read it; None while it cannot be made."""
        try:
            view = await self._registry.view_of_user(user_id)
            return await self._registry.lists.list_mcp_tools(view, server_id, room)
        except BridgeError:
            return None


def list_owner(caller: Caller) -> str:
    """Return whose tools a caller lists: a forwarder's are those that everybody is offered."""
    return NOBODY if caller.is_forwarded else caller.user.id
