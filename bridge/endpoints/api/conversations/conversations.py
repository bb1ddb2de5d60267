"""`/conversations`: create, read, search, change and delete the caller's conversations."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Literal

from aiohttp import web

from bridge.endpoints.api.conversations.schemas import (
    ConversationAnswer,
    ConversationChanges,
    ConversationList,
    Done,
    NewConversation,
    conversation_facts,
)
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.body import read_body
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, created, ok
from bridge.http.routing import json_answer
from bridge.models.conversation_runs.enabled_tools import ToolChoices
from bridge.models.conversation_runs.runs import ConversationRuns
from bridge.models.conversations.branches import Branches
from bridge.models.conversations.conversation import (
    Conversation,
    ConversationSettings,
    EnabledTool,
    new_conversation_id,
)
from bridge.models.conversations.ports import ConversationStore
from bridge.settings.quotas import QuotaSettings, check_quota

PATH = "/conversations/{id}"

CONVERSATION_BODY_BYTES = 4 * 1024 * 1024
"""Maximum bytes of a body of these routes."""

PAGE_OF_CONVERSATIONS = 50
MAX_PAGE = 200
"""Maximum number of conversations in one answer."""

_SEARCHED = {
    "q": "The text; letter case does not matter.",
    "limit": "As for the list.",
    "prepare": "`true` without a text: read the texts, so that the next search is quick.",
}

_NOWHERE = "\0"
"""A text that no message contains."""

FAILING = (ErrorCode.NOT_FOUND, ErrorCode.INVALID_REQUEST, ErrorCode.DATABASE_UNAVAILABLE)
_CREATING = (*FAILING, ErrorCode.UNKNOWN_TOOL, ErrorCode.NOT_ACCEPTED, ErrorCode.QUOTA_EXCEEDED)

_ONE = ok("The conversation.", ConversationAnswer)


class ConversationRoutes(DeclaredApiRoutes):
    """Handlers of conversations as a whole."""

    def __init__(
        self, store: ConversationStore, runs: ConversationRuns, tools: ToolChoices, quotas: QuotaSettings
    ) -> None:
        self._quotas = quotas
        self._store = store
        self._runs = runs
        self._tools = tools

    @api_route(
        "POST /conversations",
        created("The conversation.", ConversationAnswer),
        body=NewConversation,
        body_required=False,
        errors=_CREATING,
    )
    async def create_conversation(self, request: web.Request) -> web.Response:
        """Begin a conversation."""
        user_id = caller_of(request).user.id
        body = await read_body(request, NewConversation, max_bytes=CONVERSATION_BODY_BYTES)
        await self._check_number(user_id)
        now = time.time()
        settings = ConversationSettings(
            title=(body.title or "").strip(),
            description=body.description,
            system_prompt=body.system_prompt,
            model=body.model,
            max_tokens=body.max_tokens,
            max_messages=body.max_messages,
            context=tuple(body.context),
            tools=await self._tools.choose_tools(user_id, _tools_of(body)),
            parameters=body.parameters.as_stored(),
        )
        conversation = Conversation(new_conversation_id(), user_id, now, now, settings)
        await self._store.add_conversation(conversation)
        return await self._answer(conversation, status=201)

    @api_route(
        "GET /conversations",
        ok("Conversations.", ConversationList),
        errors=FAILING,
        query={
            "limit": f"Conversations in one answer, {PAGE_OF_CONVERSATIONS} by default.",
            "before": "`next` of the previous answer.",
            "pinned": "`true`: the pinned ones alone, in their order.",
        },
    )
    async def list_conversations(self, request: web.Request) -> web.Response:
        """List the caller's conversations, most recently changed first."""
        user_id = caller_of(request).user.id
        before = _before(request)
        limit = limit_of(request)
        if request.query.get("pinned") == "true":
            return await self._listed(await self._store.list_pinned(user_id, limit=limit), None)
        found = await self._store.list_conversations(user_id, before=before, limit=limit)
        return await self._listed(found, found[-1].updated_at if len(found) == limit else None)

    @api_route(
        "GET /conversations/search", ok("Conversations.", ConversationList), errors=FAILING, query=_SEARCHED
    )
    async def search_conversations(self, request: web.Request) -> web.Response:
        """Find conversations by a text in their titles, descriptions and messages."""
        user_id = caller_of(request).user.id
        query = request.query.get("q", "").strip()
        if not query and request.query.get("prepare") == "true":
            await self._store.search_conversations(user_id, _NOWHERE, limit=1)
            return await self._listed([], None)
        if not query:
            message = "q must be the text to search for."
            raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": "q"})
        found = await self._store.search_conversations(user_id, query, limit=limit_of(request))
        return await self._listed(found, None)

    @api_route(f"GET {PATH}", _ONE, errors=FAILING)
    async def show_conversation(self, request: web.Request) -> web.Response:
        """Show a conversation."""
        user_id = caller_of(request).user.id
        return await self._answer(await self._runs.require_conversation(user_id, request.match_info["id"]))

    @api_route(
        f"PATCH {PATH}", _ONE, body=ConversationChanges, errors=(*FAILING, ErrorCode.CONVERSATION_BUSY)
    )
    @api_route(
        f"PUT {PATH}",
        _ONE,
        name="putConversation",
        body=ConversationChanges,
        errors=(*FAILING, ErrorCode.CONVERSATION_BUSY),
    )
    async def change_conversation(self, request: web.Request) -> web.Response:
        """Change a conversation, or switch to another branch of it."""
        user_id = caller_of(request).user.id
        body = await read_body(request, ConversationChanges, max_bytes=CONVERSATION_BODY_BYTES)
        conversation_id = request.match_info["id"]
        if body.head_id is not None:
            await self._switch(user_id, conversation_id, body.head_id)
        changes = body.model_dump(exclude_unset=True, exclude={"head_id", "pinned", "parameters"})
        changes = {name: value for name, value in changes.items() if value is not None or name == "model"}
        if "context" in changes:
            changes["context"] = tuple(changes["context"])
        if body.parameters is not None:
            changes["parameters"] = body.parameters.as_stored()
        async with self._runs.locks.lock_settings(conversation_id):
            found = await self._runs.require_conversation(user_id, conversation_id)
            if body.pinned is not None:
                found = replace(found, pinned=_place_of(body.pinned))
                await self._store.pin_conversation(found)
            changed = replace(found, settings=replace(found.settings, **changes), updated_at=time.time())
            if changes:
                await self._store.save_settings(changed)
        return await self._answer(changed if changes or body.pinned is None else found)

    @api_route(f"DELETE {PATH}", ok("It has been deleted.", Done), errors=FAILING)
    async def delete_conversation(self, request: web.Request) -> web.Response:
        """Delete a conversation with its messages; its run is stopped. Its listeners are disconnected."""
        user_id = caller_of(request).user.id
        conversation_id = request.match_info["id"]
        await self._runs.require_conversation(user_id, conversation_id)
        await self._runs.stop_run(conversation_id)
        async with self._runs.locks.lock_messages(conversation_id):
            await self._store.delete_conversation(user_id, conversation_id)
            self._runs.feeds.drop_feed(conversation_id)
        return json_answer(Done(message="Conversation deleted successfully"))

    async def _check_number(self, user_id: str) -> None:
        number, most = await self._store.count_conversations(user_id) + 1, self._quotas.conversations
        remedy = "Delete one that is not needed first"
        check_quota(number, most, "TOOL_BRIDGE_CONVERSATIONS_PER_USER", what="conversations", remedy=remedy)

    async def _switch(self, user_id: str, conversation_id: str, message_id: str) -> None:
        async with self._runs.locks.lock_messages(conversation_id):
            found = await self._runs.require_conversation(user_id, conversation_id)
            branches = Branches(await self._store.list_messages(conversation_id))
            if branches.get_message(message_id) is None:
                message = f"head_id: there is no message '{message_id}' in this conversation."
                raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": "head_id"})
            switched = replace(found, head_id=branches.newest_leaf(message_id), updated_at=time.time())
            await self._store.advance_run(switched)

    async def _answer(self, conversation: Conversation, *, status: int = 200) -> web.Response:
        facts = conversation_facts(conversation, await self._runs.look_at_run(conversation))
        return json_answer(ConversationAnswer(conversation=facts), status=status)

    async def _listed(self, found: list[Conversation], next_: float | None) -> web.Response:
        facts = [conversation_facts(each, await self._runs.look_at_run(each)) for each in found]
        return json_answer(ConversationList(conversations=facts, count=len(facts), next=next_))


def limit_of(request: web.Request) -> int:
    """Return the number of conversations that the caller wants, within the limits."""
    text = request.query.get("limit", str(PAGE_OF_CONVERSATIONS))
    if not text.isdecimal() or not 1 <= int(text) <= MAX_PAGE:
        message = f"limit must be a whole number from 1 to {MAX_PAGE}, not {text[:50]!r}."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": "limit"})
    return int(text)


def _before(request: web.Request) -> float | None:
    text = request.query.get("before")
    if text is None:
        return None
    try:
        before = float(text)
    except ValueError:
        before = math.nan
    if not math.isfinite(before):
        message = "before must be `next` of an earlier answer, a number."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": "before"})
    return before


def _place_of(pinned: bool | float) -> float | None:
    """Return the place among pinned conversations that a caller asks for."""
    if isinstance(pinned, bool):
        return time.time() if pinned else None
    return pinned if math.isfinite(pinned) else None


def _tools_of(body: NewConversation) -> Literal["accepted"] | list[EnabledTool]:
    return "accepted" if body.tools == "accepted" else [tool.as_enabled() for tool in body.tools]
