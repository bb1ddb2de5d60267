"""The runs of a conversation: `…/chat`, `…/stop` and their events."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from functools import partial

from aiohttp import web

from bridge.auth.access_watch import HoldWork
from bridge.auth.identity import Caller
from bridge.calls.request import Asker
from bridge.endpoints.api.conversations.conversations import CONVERSATION_BODY_BYTES, FAILING, PATH
from bridge.endpoints.api.conversations.schemas import (
    ChatRequest,
    ConversationChatAnswer,
    ConversationChatStarted,
    RetryRequest,
    RunFacts,
    RunStopped,
)
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.body import read_body
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import RouteAnswer, json_answer, json_response
from bridge.http.streaming import event_stream
from bridge.models.conversation_runs.locks import RunEnd
from bridge.models.conversation_runs.runs import ChatPrompt, ConversationRuns, StartedRun
from bridge.models.conversations.attachments import MAX_MESSAGE_BYTES, check_attachments
from bridge.models.conversations.branches import Branches
from bridge.models.conversations.message_schema import message_json
from bridge.models.conversations.ports import ConversationStore
from toolserver.json_types import JsonObject

CHAT_BODY_BYTES = CONVERSATION_BODY_BYTES + MAX_MESSAGE_BYTES * 4 // 3
"""Maximum bytes of a message with its files."""

_TALKING = (
    *FAILING,
    ErrorCode.TOO_LARGE,
    ErrorCode.CONVERSATION_BUSY,
    ErrorCode.MODEL_FAILED,
    ErrorCode.BREAKER_OPEN,
    ErrorCode.SERVER_BUSY,
    ErrorCode.RATE_LIMITED,
    ErrorCode.QUOTA_EXCEEDED,
)

_ANSWERED = {
    200: RouteAnswer("The answer.", ConversationChatAnswer),
    202: RouteAnswer("The run has started.", ConversationChatStarted),
}
_EVENTS = ok("Server-sent events.", media_type="text/event-stream")
_RESUMING = {"after": "Id of the last event received; the header `Last-Event-ID` does the same."}


class ConversationChatRoutes(DeclaredApiRoutes):
    """Handlers of runs."""

    def __init__(self, store: ConversationStore, runs: ConversationRuns, hold_work: HoldWork) -> None:
        """`hold_work`: ends a run in the background if its caller loses access."""
        self._store = store
        self._runs = runs
        self._hold_work = hold_work

    @api_route(f"POST {PATH}/chat", _ANSWERED, body=ChatRequest, errors=_TALKING)
    async def chat(self, request: web.Request) -> web.Response:
        """Send a message and get an answer, or get an answer to the last message.

        Unless in the background, wait for the end of the run. Disconnecting stops it then.
        """
        caller = caller_of(request)
        body = await read_body(request, ChatRequest, max_bytes=CHAT_BODY_BYTES)
        attachments = [each.as_attached() for each in body.attachments]
        await asyncio.to_thread(check_attachments, attachments)
        if attachments and body.content is None:
            message = "attachments: files belong to a message: content must be a text, which may be empty."
            raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": "attachments"})
        prompt = ChatPrompt(
            Asker(caller.name, caller.id), body.content, body.model, body.parent_id, attachments
        )
        begun = await self._runs.begin_run(caller.user.id, request.match_info["id"], prompt)
        return await self.answer_chat(begun, caller, background=body.background)

    @api_route(
        f"POST {PATH}/calls/{{tool_call_id}}/retry",
        _ANSWERED,
        body=RetryRequest,
        body_required=False,
        errors=(*_TALKING, ErrorCode.UNKNOWN_TOOL, ErrorCode.NO_BROWSER),
    )
    async def retry_tool_call(self, request: web.Request) -> web.Response:
        """Repeat a call that has ended in a new branch, and answer from there."""
        caller = caller_of(request)
        body = await read_body(request, RetryRequest)
        named, asker = request.match_info, Asker(caller.name, caller.id)
        begun = await self._runs.begin_retry(caller.user.id, named["id"], named["tool_call_id"], asker)
        return await self.answer_chat(begun, caller, background=body.background)

    @api_route(f"POST {PATH}/stop", ok("It has ended.", RunStopped), errors=FAILING)
    async def stop_run(self, request: web.Request) -> web.Response:
        """Stop the current run. It has ended when this responds."""
        user_id = caller_of(request).user.id
        conversation_id = request.match_info["id"]
        await self._runs.require_conversation(user_id, conversation_id)
        run = await self._runs.stop_run(conversation_id)
        if run is None or run.end is None:
            return json_answer(RunStopped(run=None))
        facts = RunFacts(run_id=run.id, state=run.end.state)
        return json_answer(RunStopped(run=facts, error=run.end.error))

    @api_route(f"GET {PATH}/events", _EVENTS, errors=(*FAILING, ErrorCode.RATE_LIMITED), query=_RESUMING)
    @api_route(
        "GET /sse/conversations/{id}",
        _EVENTS,
        name="listenToConversationAsBefore",
        errors=(*FAILING, ErrorCode.RATE_LIMITED),
        query=_RESUMING,
    )
    async def listen_to_conversation(self, request: web.Request) -> web.StreamResponse:
        """Stream the events of a conversation.

        They come until the listener disconnects or the conversation is deleted.
        """
        user_id = caller_of(request).user.id
        conversation_id = request.match_info["id"]
        after = _after(request)
        await self._runs.require_conversation(user_id, conversation_id)
        feed = self._runs.feeds.open_feed(user_id, conversation_id)
        run = self._runs.locks.run_of(conversation_id)
        handshake: JsonObject = {"run": {"run_id": run.id, "state": "running"} if run else None}
        async with (
            event_stream(
                request,
                {},
                silence=lambda: feed.build_frame("keepalive", {}),
                describe_failure=lambda error: feed.build_frame("error", error.model_dump(mode="json")),
                is_endless=True,
            ) as stream,
            aclosing(feed.listen_after(after, handshake)) as frames,
        ):
            async for frame in frames:
                await stream.send_frames(frame)
        return stream.response

    async def answer_chat(self, begun: StartedRun, caller: Caller, *, background: bool) -> web.Response:
        """Return the end of a run or, in the background, its start.

        Raises:
            BridgeError: the run failed.
        """
        run = begun.run
        if background:
            run.goes_on = True
            if run.task is not None:
                self._hold_work(run.task, caller, partial(run.request_stop, "user"))
            accepted: JsonObject = {"success": True, "run_id": run.id, "user_message": begun.user_message}
            return json_response(accepted, status=202)
        try:
            await run.ended.wait()
        except BaseException:
            run.request_stop("user")
            raise
        end = run.end or RunEnd("failed")
        if end.error is not None:
            detail = {**end.error.detail, "run_id": run.id}
            raise BridgeError(end.error.code, end.error.message, detail=detail, retryable=end.error.retryable)
        return json_response(await self._answer(begun, end))

    async def _answer(self, begun: StartedRun, end: RunEnd) -> JsonObject:
        answer = None
        if end.answer is not None:
            branches = Branches(await self._store.list_messages(end.answer.conversation_id))
            answer = message_json(end.answer, branches)
        messages = {"completed": "Chat completed successfully", "cancelled": "Chat was stopped"}
        window = begun.context.window
        return {
            "success": True,
            "message": messages.get(end.state, "The limit of rounds was reached"),
            "user_message": begun.user_message,
            "assistant_message": answer,
            "run_id": begun.run.id,
            "state": end.state,
            "token_count": window.token_count,
            "tokens_sent": window.tokens_sent,
            "messages_in_context": len(window.messages),
        }


def _after(request: web.Request) -> int | None:
    text = request.query.get("after") or request.headers.get("Last-Event-ID")
    if not text:
        return None
    if not text.isdecimal():
        message = "after must be the id of an event, a whole number."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": "after"})
    return int(text)
