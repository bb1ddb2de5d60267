"""`/api/stored-data`: the caller's stored answers: summary, preference, export and deletion."""

from __future__ import annotations

import time

from aiohttp import web

from bridge.audit import AuditKind
from bridge.errors import ErrorCode
from bridge.http.access import caller_of
from bridge.http.audit import set_audit_detail
from bridge.http.body import read_body
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import ApiModel, json_answer
from bridge.models.conversations.export import conversation_line
from bridge.models.conversations.ports import ConversationStore
from bridge.models.stored_items.export import head_line, item_line, record_line, response_line
from bridge.models.stored_items.retention_preference import MemoryChoice, MemoryChoices
from bridge.settings.chat.memory import MemorySettings, ReasoningMemory
from bridge.storage.accounts.account_tables import AccountTables
from bridge.storage.chat.user_items import UserItems

FILE_NAME = "tool-bridge-kept.jsonl"


class StoredItemsSummary(ApiModel):
    """Show how much of the caller's answers is stored."""

    items: int
    responses: int
    conversations: int
    own_conversations: int
    """Number of conversations under `/conversations`."""
    bytes: int
    """Bytes in the database, compressed."""
    oldest: float | None
    """When the oldest item was created, in UTC seconds since 1970."""
    days: int
    """Days for which items are stored after their last use."""
    max_bytes: int
    """Maximum bytes; beyond it the least recently used items are deleted; 0: no limit."""


class StoredItemsDeleted(ApiModel):
    """How many items were deleted."""

    items: int


_FAILING = (ErrorCode.DATABASE_UNAVAILABLE,)


class StoredItemRoutes(DeclaredApiRoutes):
    """Handlers of stored items."""

    def __init__(
        self,
        user_items: UserItems,
        conversations: ConversationStore,
        records: AccountTables,
        *,
        days: int,
        max_bytes: int,
    ) -> None:
        self._user_items = user_items
        self._conversations = conversations
        self._records = records
        self._days = days
        self._max_bytes = max_bytes

    @api_route("GET /api/stored-data", ok("How much.", StoredItemsSummary), errors=_FAILING)
    async def get_kept(self, request: web.Request) -> web.Response:
        """Show how much of the caller's answers is stored."""
        caller = caller_of(request)
        facts = await self._user_items.summarize_items(caller.user.id)
        return json_answer(
            StoredItemsSummary(
                items=facts.items,
                responses=facts.responses,
                conversations=facts.conversations,
                own_conversations=facts.own_conversations,
                bytes=facts.bytes,
                oldest=facts.oldest,
                days=self._days,
                max_bytes=self._max_bytes,
            )
        )

    @api_route(
        "GET /api/stored-data/export",
        ok("Lines of JSON, for `tool-bridge import`.", media_type="application/jsonl"),
        access="page",
        errors=_FAILING,
        audited=AuditKind.STORED_DATA_EXPORTED,
        query={"everything": "`true`: also account, browsers, servers, settings, calls and audit log."},
    )
    async def export_kept(self, request: web.Request) -> web.StreamResponse:
        """Export everything that is stored of the caller's answers.

        It is sent line by line; if the database fails midway, the connection is closed.
        """
        user = caller_of(request).user
        await self._user_items.summarize_items(user.id)  # so that a database that is away is told by a status
        response = web.StreamResponse()
        response.content_type = "application/jsonl"
        response.headers["Content-Disposition"] = f'attachment; filename="{FILE_NAME}"'
        response.headers["Cache-Control"] = "no-store"
        await response.prepare(request)
        await response.write(head_line(user.name, time.time()))
        async for item in self._user_items.list_items(user.id):
            await response.write(item_line(item))
        async for stored in self._user_items.list_responses(user.id):
            await response.write(response_line(stored))
        async for conversation, messages in self._conversations.read_all(user.id):
            await response.write(conversation_line(conversation, messages))
        if request.query.get("everything") == "true":
            async for table, row in self._records.list_records(user.id):
                await response.write(record_line(table, row))
        await response.write_eof()
        return response

    @api_route(
        "DELETE /api/stored-data",
        ok("How much was deleted.", StoredItemsDeleted),
        access="page",
        errors=_FAILING,
        audited=AuditKind.STORED_DATA_DELETED,
        query={"conversation": "Only data of this chat, by the id that its client uses."},
    )
    async def delete_kept(self, request: web.Request) -> web.Response:
        """Delete what is stored of the caller's answers. A chat may be named, to delete only that."""
        user_id = caller_of(request).user.id
        conversation = request.query.get("conversation")
        if conversation is None:
            count = await self._user_items.delete_all(user_id)
        else:
            count = await self._user_items.delete_conversation(user_id, conversation)
        set_audit_detail(request, items=count, all=conversation is None)
        return json_answer(StoredItemsDeleted(items=count))


class RetentionRequest(ApiModel):
    """The caller's retention preference; it never extends what the bridge stores."""

    keeps_answers: bool
    """False: nothing of any answer is stored from now on."""
    reasoning: ReasoningMemory
    """For how long a model gets its own reasoning back."""


class MemoryFacts(RetentionRequest):
    """The caller's preference, and the most that the bridge stores."""

    stores_chats: bool
    """False: the bridge stores nothing of answers in chats, whatever the caller wants; only responses."""
    most_reasoning: ReasoningMemory


_CHOICE = ok("The choice, and what the operator allows at most.", MemoryFacts)


class MemoryChoiceRoutes(DeclaredApiRoutes):
    """Handlers of the retention preference."""

    def __init__(self, choices: MemoryChoices, settings: MemorySettings) -> None:
        self._choices = choices
        self._settings = settings

    @api_route("GET /api/stored-data/preference", _CHOICE, errors=_FAILING)
    async def get_memory_choice(self, request: web.Request) -> web.Response:
        """Show what the caller wants stored of answers."""
        caller = caller_of(request)
        return self._facts(await self._choices.choice_of_user(caller.user.id))

    @api_route(
        "PUT /api/stored-data/preference",
        _CHOICE,
        body=RetentionRequest,
        access="page",
        errors=_FAILING,
        audited=AuditKind.MEMORY_CHANGED,
    )
    async def put_memory_choice(self, request: web.Request) -> web.Response:
        """Choose what is stored of the caller's answers from now on."""
        caller = caller_of(request)
        body = await read_body(request, RetentionRequest)
        choice = MemoryChoice(body.keeps_answers, body.reasoning)
        await self._choices.save_choice(caller.user.id, choice)
        set_audit_detail(request, keeps_answers=choice.keeps_answers, reasoning=choice.reasoning)
        return self._facts(choice)

    def _facts(self, choice: MemoryChoice) -> web.Response:
        return json_answer(
            MemoryFacts(
                keeps_answers=choice.keeps_answers,
                reasoning=choice.reasoning,
                stores_chats=self._settings.persist_tool_results,
                most_reasoning=self._settings.reasoning,
            )
        )
