"""`tools/call`: runs the call, and ends it when its client says so, which each era says in its own way.

A modern client closes the stream. A legacy one sends a notification, and a connection that breaks means
nothing there: the call runs on (ruling 38).
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from aiohttp import web

from bridge.auth.forwarded_users import named_nobody
from bridge.auth.identity import Caller
from bridge.auth.pairing_links import PairingLinks
from bridge.calls.answer_parts import StoredFiles
from bridge.calls.call_watch import CallWatch
from bridge.calls.engine import Engine
from bridge.calls.repeated_calls import IdempotencyKeyReused
from bridge.calls.request import CallContext, CallOptions, RepeatKey, ToolCall
from bridge.catalog.registry import NOBODY, Registry
from bridge.endpoints.mcp.answer import Answer, error_answer, run_and_answer
from bridge.endpoints.mcp.content import JsonResult, mark_joined, render_answer_of, render_error
from bridge.endpoints.mcp.open_requests import OpenRequests
from bridge.endpoints.mcp.progress import CallProgress
from bridge.endpoints.mcp.protocol import (
    INVALID_PARAMS,
    REFUSED,
    RpcError,
    RpcMessage,
    read_idempotency_key,
    read_name,
    result_bytes,
)
from bridge.endpoints.mcp.readers import McpReaders
from bridge.endpoints.mcp.tasks import McpTasks, declares_tasks
from bridge.endpoints.mcp.traced_messages import TOOL_ERROR, note_rpc_error
from bridge.errors import BUG, BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.chat_headers import chat_id_of, message_id_of
from bridge.http.connections import LastingWork
from bridge.http.relayed import relayed_id_of
from bridge.tasks import Abandoned, Tasks
from bridge.tracing.tracer import note_error

_NEVER_ASKED = frozenset({"requestState", "inputResponses"})
"""Parameters of a call that answers a question of its server, which the bridge never asks (ruling 40)."""

_HELD_BY_NOBODY = nullcontext()
"""A modern client cancels its request by closing the stream."""


class McpCalls:
    """Runs the calls of MCP clients."""

    def __init__(
        self,
        registry: Registry,
        engine: Engine,
        files: StoredFiles,
        links: PairingLinks,
        *,
        watch: CallWatch,
        tasks: Tasks,
        mcp_tasks: McpTasks,
        readers: McpReaders,
    ) -> None:
        self._readers = readers
        self._registry = registry
        self._engine = engine
        self._files = files
        self._links = links
        self._watch = watch
        self._tasks = tasks
        self._mcp_tasks = mcp_tasks
        self._open = OpenRequests()
        self._prefix = f"mcp_{secrets.token_hex(8)}_"
        self._numbers = itertools.count()

    async def answer_modern(self, request: web.Request, message: RpcMessage) -> web.StreamResponse:
        """Run a call that ends with its stream.

        Raises:
            RpcError: the message names no tool, or its arguments are no object.
        """
        if declares_tasks(message):
            return await self._answer_as_task(request, message)
        progress = _progress_for(message)
        call, request_id = await self._read_call(request, message, is_watched=progress is not None)
        is_heard = False
        try:
            response = await run_and_answer(
                request, self._run(call, message, progress), progress, message.request_id
            )
            is_heard = True
        finally:
            self._engine.note_delivery(request_id, heard=is_heard)
        return response

    async def _answer_as_task(self, request: web.Request, message: RpcMessage) -> web.StreamResponse:
        progress = CallProgress(message.progress_token)
        call, request_id = await self._read_call(request, message, is_watched=True)
        work = self._watched_result(call, progress)
        heard = partial(self._engine.note_delivery, request_id)
        return await self._mcp_tasks.answer_call(request, message, work, progress, note_delivery=heard)

    async def answer_legacy(self, request: web.Request, message: RpcMessage) -> web.StreamResponse:
        """Run a call that outlives its connection.

        Raises:
            RpcError: as `answer_modern`.
        """
        progress = _progress_for(message)
        call, request_id = await self._read_call(request, message, is_watched=progress is not None)
        assert message.request_id is not None
        held = self._open.hold_request(caller_of(request), message.request_id)
        work = self._run(call, message, progress, held)
        with self.outlast_client(request, request_id):
            return await run_and_answer(request, work, progress, message.request_id, outlasts_client=True)

    async def prepare_batched(
        self, request: web.Request, message: RpcMessage
    ) -> tuple[Callable[[], Awaitable[Answer]], str]:
        """Return what runs a call of a batch, and the id under which its delivery is noted.

        Raises:
            RpcError: as `answer_modern`.
        """
        call, request_id = await self._read_call(request, message, is_watched=False)
        assert message.request_id is not None
        held = self._open.hold_request(caller_of(request), message.request_id)
        return partial(self._run, call, message, None, held), request_id

    def outlast_client(self, request: web.Request, *request_ids: str) -> LastingWork:
        """Return the context in which calls go on if their client's connection breaks."""
        return _LastingCalls(request, self._tasks, self._engine, *request_ids)

    def cancel_call(self, caller: Caller, message: RpcMessage) -> None:
        """Cancel the call that a legacy client's `notifications/cancelled` names, if that is certain."""
        self._open.cancel_request(caller, message.params.get("requestId"))

    async def _read_call(
        self, request: web.Request, message: RpcMessage, *, is_watched: bool
    ) -> tuple[ToolCall, str]:
        """Return what is to be called, and the id under which its delivery is noted (ruling 39)."""
        caller = caller_of(request)
        if caller.user.id == NOBODY:
            raise named_nobody()
        name = read_name(message)
        if any(message.params.get(name) is not None for name in _NEVER_ASKED):
            raise RpcError(INVALID_PARAMS, "The bridge has asked for no input, and has given no state.")
        if caller.is_forwarded:
            name = await self._registry.own_name(caller.user.id, name)
        request_id = f"{self._prefix}{next(self._numbers)}"
        context = CallContext(
            caller.user.id,
            chat_id_of(request),
            message_id_of(request),
            request_id=request_id if is_watched else None,
            asked_by=caller.name,
            caller_id=caller.id,
            relayed_id=relayed_id_of(request),
        )
        call = ToolCall(
            context,
            tool_name=name,
            arguments_text=message.read_arguments(),
            server_id=request.match_info.get("server"),
            options=CallOptions(reading=self._readers.reading_of(request, caller, message)),
            repeat=RepeatKey(caller.key_id, request_id, read_idempotency_key(message)),
        )
        return call, request_id

    async def _run(
        self,
        call: ToolCall,
        message: RpcMessage,
        progress: CallProgress | None,
        held: AbstractContextManager[object] = _HELD_BY_NOBODY,
    ) -> Answer:
        """Return the answer; `held`: the request, which its client may cancel by another one."""
        try:
            with held:
                if progress is None:
                    result = await self._result_of(call)
                else:
                    result = await self._watched_result(call, progress)
        except Abandoned:
            error = RpcError(REFUSED, "Its client cancelled the call.", request_id=message.request_id)
            return error_answer(error)
        except RpcError as error:
            note_rpc_error(error)
            error.request_id = message.request_id
            error.status = error.status if message.is_modern else 200
            return error_answer(error)
        if "isError" in result:
            note_error(TOOL_ERROR)
        if message.is_modern:
            result["resultType"] = "complete"
        return Answer(result_bytes(message.request_id, result))

    async def _watched_result(self, call: ToolCall, progress: CallProgress) -> JsonResult:
        with self._watch.watch_calls(call.context.request_id or "", progress.note_call):
            return await self._result_of(call)

    async def _result_of(self, call: ToolCall) -> JsonResult:
        """Return the result of a call. What its model can mend is a result, too, marked as an error."""
        try:
            outcome = await self._engine.call_tool(call)
        except BridgeError as error:
            if error.error.code is ErrorCode.UNKNOWN_TOOL or isinstance(error, IdempotencyKeyReused):
                raise RpcError(INVALID_PARAMS, error.error.message) from None
            return render_error(await self._links.add_link(error.error, call.context.user_id), None)
        if outcome.answered is not None:
            result = await render_answer_of(outcome, outcome.answered, self._files)
        else:
            error = await self._links.add_link(outcome.error or BUG, call.context.user_id)
            result = render_error(error, outcome.call_id)
        return mark_joined(result, outcome.joined_call_id) if outcome.joined_call_id else result


class _LastingCalls(LastingWork):
    """Calls that outlive their connection; that nobody will hear their answer is noted at once."""

    __slots__ = ("_engine", "_request_ids")

    def __init__(self, request: web.Request, tasks: Tasks, engine: Engine, *request_ids: str) -> None:
        super().__init__(request, tasks)
        self._engine = engine
        self._request_ids = request_ids

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if not self._is_alone:
            self._note(heard=kind is None)
        super().__exit__(kind, *rest)

    def take_over(self, serving: asyncio.Task[None]) -> None:
        super().take_over(serving)
        self._note(heard=False)

    def _note(self, *, heard: bool) -> None:
        for request_id in self._request_ids:
            self._engine.note_delivery(request_id, heard=heard)


def _progress_for(message: RpcMessage) -> CallProgress | None:
    """Return the progress of a call of which its client wants to hear; None: it does not."""
    token = message.progress_token
    return None if token is None else CallProgress(token)
