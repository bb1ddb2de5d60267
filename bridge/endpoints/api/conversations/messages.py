"""`/conversations/{id}/messages`: read, add, edit and delete messages."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import quote

from aiohttp import hdrs, web

from bridge.endpoints.api.conversations.conversations import CONVERSATION_BODY_BYTES, FAILING, PATH
from bridge.endpoints.api.conversations.schemas import (
    MessageAnswer,
    MessageList,
    MessagesDeleted,
    NewMessage,
    NewText,
)
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.body import read_body
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, created, ok
from bridge.http.routing import json_answer, json_response
from bridge.http.security_headers import FILE_POLICY
from bridge.models.conversation_runs.runs import ConversationRuns
from bridge.models.conversations.attachments import attachments_of
from bridge.models.conversations.branches import Branches
from bridge.models.conversations.client_messages import ClientMessage, ClientToolCall, message_of
from bridge.models.conversations.conversation import Conversation, Message
from bridge.models.conversations.local_messages import check_room, in_a_row, user_message
from bridge.models.conversations.message_schema import message_json
from bridge.models.conversations.ports import ConversationStore
from toolserver.json_types import JsonValue

ALL_BRANCHES = "all"
"""Value of `branch` for every branch."""

_ONE = f"{PATH}/messages/{{message_id}}"
_CHANGING = (*FAILING, ErrorCode.CONVERSATION_BUSY, ErrorCode.QUOTA_EXCEEDED)


class ConversationMessageRoutes(DeclaredApiRoutes):
    """Handlers of messages."""

    def __init__(self, store: ConversationStore, runs: ConversationRuns) -> None:
        self._store = store
        self._runs = runs

    @api_route(
        f"GET {PATH}/messages",
        ok("Messages.", MessageList),
        errors=FAILING,
        query={"branch": "A message: its newest branch instead of the current one; `all`: every branch."},
    )
    async def list_messages(self, request: web.Request) -> web.Response:
        """List the messages of the current branch, oldest first."""
        user_id = caller_of(request).user.id
        found = await self._runs.require_conversation(user_id, request.match_info["id"])
        branches = Branches(await self._store.list_messages(found.id))
        chosen = _chosen_branch(branches, request.query.get("branch"), found.head_id)
        messages: list[JsonValue] = [message_json(each, branches) for each in chosen]
        return json_response({"success": True, "messages": messages, "count": len(messages)})

    @api_route(f"GET {_ONE}/attachments/{{number}}", ok("The file.", media_type="*/*"), errors=FAILING)
    async def read_attachment(self, request: web.Request) -> web.Response:
        """Read a file of a message. It is sent as one that no browser executes."""
        user_id, number = caller_of(request).user.id, request.match_info["number"]
        found = await self._runs.require_conversation(user_id, request.match_info["id"])
        branches = Branches(await self._store.list_messages(found.id))
        files = attachments_of(_find_message(branches, request.match_info["message_id"]))
        if not number.isdecimal() or not 1 <= int(number[:9]) <= len(files):
            raise BridgeError(ErrorCode.NOT_FOUND, f"The message has no attachment {number[:20]!r}.")
        file = files[int(number) - 1]
        headers = {
            hdrs.CONTENT_TYPE: file.mime,
            hdrs.CONTENT_DISPOSITION: f"attachment; filename*=UTF-8''{quote(file.name, safe='')}",
            "Content-Security-Policy": FILE_POLICY,
            "X-Content-Type-Options": "nosniff",
        }
        return web.Response(body=file.content, headers=headers)

    @api_route(
        f"POST {PATH}/messages", created("The message.", MessageAnswer), body=NewMessage, errors=_CHANGING
    )
    async def add_message(self, request: web.Request) -> web.Response:
        """Add a message at the end of the current branch, without asking a model."""
        user_id = caller_of(request).user.id
        body = await read_body(request, NewMessage, max_bytes=CONVERSATION_BODY_BYTES)
        conversation_id = request.match_info["id"]
        async with self._runs.locks.lock_messages(conversation_id):
            found = await self._runs.require_conversation(user_id, conversation_id)
            branches = Branches(await self._store.list_messages(conversation_id))
            path = branches.path_to(found.head_id)
            message = message_of(conversation_id, _client_message(body), path, time.time())
            return await self._added(found, branches, message, found.head_id)

    @api_route(
        f"PATCH {_ONE}",
        created("The message of the new branch.", MessageAnswer),
        body=NewText,
        errors=_CHANGING,
    )
    async def edit_message(self, request: web.Request) -> web.Response:
        """Edit a user message: a new branch, not answered yet."""
        user_id = caller_of(request).user.id
        body = await read_body(request, NewText, max_bytes=CONVERSATION_BODY_BYTES)
        conversation_id = request.match_info["id"]
        async with self._runs.locks.lock_messages(conversation_id):
            found = await self._runs.require_conversation(user_id, conversation_id)
            branches = Branches(await self._store.list_messages(conversation_id))
            old = _find_message(branches, request.match_info["message_id"])
            if old.role != "user":
                message = "Only user messages can be edited; ask again for another answer."
                raise BridgeError(ErrorCode.INVALID_REQUEST, message)
            new = user_message(conversation_id, body.content, time.time(), attachments_of(old))
            return await self._added(found, branches, new, old.parent_id)

    @api_route(f"DELETE {_ONE}", ok("What is gone.", MessagesDeleted), errors=_CHANGING)
    async def delete_message(self, request: web.Request) -> web.Response:
        """Delete a message, or a call with its outputs; later messages move up.

        A missing one counts as deleted.
        """
        user_id = caller_of(request).user.id
        conversation_id = request.match_info["id"]
        async with self._runs.locks.lock_messages(conversation_id):
            found = await self._runs.require_conversation(user_id, conversation_id)
            branches = Branches(await self._store.list_messages(conversation_id))
            message = branches.get_message(request.match_info["message_id"])
            removed_ids = () if message is None else tuple(each.id for each in branches.group_of(message))
            if removed_ids:
                moved, head_id = branches.remove_messages(frozenset(removed_ids), found.head_id)
                changed = replace(found, head_id=head_id, updated_at=time.time())
                await self._store.advance_run(changed, moved, removed_ids)
                self._runs.feeds.open_feed(user_id, conversation_id).emit_event(
                    "messages_deleted", {"deleted": [*removed_ids]}
                )
        reply = "Message deleted successfully" if removed_ids else "There is no such message"
        return json_answer(MessagesDeleted(deleted=list(removed_ids), message=reply))

    async def _added(
        self, found: Conversation, branches: Branches, message: Message, parent_id: str | None
    ) -> web.Response:
        check_room(branches.all)
        [placed] = in_a_row([message], parent_id, branches.next_seq)
        await self._store.advance_run(replace(found, head_id=placed.id, updated_at=time.time()), [placed])
        reply = message_json(placed, branches.with_more([placed]))
        self._runs.feeds.open_feed(found.user_id, found.id).emit_event("message", {"message": reply})
        return json_response({"success": True, "message": reply}, status=201)


def _client_message(body: NewMessage) -> ClientMessage:
    calls = [
        ClientToolCall(call.id, call.function.name, call.function.arguments) for call in body.tool_calls or []
    ]
    return ClientMessage(body.role, body.content, calls, body.tool_call_id, body.name)


def _chosen_branch(branches: Branches, branch: str | None, head_id: str | None) -> Sequence[Message]:
    if branch == ALL_BRANCHES:
        return branches.all
    leaf_id = head_id if branch is None else branches.newest_leaf(_find_message(branches, branch).id)
    return branches.path_to(leaf_id)


def _find_message(branches: Branches, message_id: str) -> Message:
    message = branches.get_message(message_id)
    if message is None:
        raise BridgeError(ErrorCode.NOT_FOUND, f"Message '{message_id[:200]}' not found.")
    return message
