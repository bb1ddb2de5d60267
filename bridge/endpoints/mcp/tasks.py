"""The tasks extension: a call that takes long is answered by a handle, and its client polls for the result.

Only clients that declare the extension get one. A task is its call: it has the call's id, and belongs to the
key that made it. It is stored before its client hears of it, so that the handle leads to the result after a
restart, too. Once the client has the handle, nothing ends the call but `tasks/cancel` (ruling 38), and that
the client may not get in any more.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

import orjson
from aiohttp import web

from bridge.auth.access_watch import AccessWatch
from bridge.auth.identity import Caller
from bridge.calls.endings import bridge_stopped
from bridge.calls.state_machine import CallState
from bridge.endpoints.mcp.answer import Answer, error_answer, http_response, run_and_answer
from bridge.endpoints.mcp.content import JsonResult, render_error, render_lost
from bridge.endpoints.mcp.progress import CallProgress
from bridge.endpoints.mcp.protocol import (
    CAPABILITIES_KEY,
    INVALID_PARAMS,
    MISSING_CAPABILITY,
    RpcError,
    RpcMessage,
    result_bytes,
)
from bridge.endpoints.mcp.task_runs import NoteDelivery, TaskRun
from bridge.errors import BridgeError
from bridge.http.access import caller_of
from bridge.http.routing import timings_of
from bridge.storage.call_journal import CallJournal
from bridge.storage.mcp_tasks import KEEP_SECONDS, McpTaskTable, StoredTask
from bridge.tasks import Tasks, log_failures, sleep_safely
from bridge.time_format import format_time
from toolserver.json_types import JsonObject, object_at, text_at

EXTENSION = "io.modelcontextprotocol/tasks"

POLL_MS = 2_000
"""Milliseconds that a client should let pass before it asks again."""

RETRY_S = 5.0
"""Seconds after which the end of a task is stored again that the database did not take."""


def declares_tasks(message: RpcMessage) -> bool:
    """Whether the client of a modern request knows tasks."""
    capabilities = message.meta.get(CAPABILITIES_KEY)
    if not capabilities or not isinstance(capabilities, dict):
        return False
    return isinstance(object_at(capabilities, "extensions").get(EXTENSION), dict)


class McpTasks:
    """All tasks: those that run here, and those that are stored."""

    def __init__(self, table: McpTaskTable, journal: CallJournal, tasks: Tasks, access: AccessWatch) -> None:
        self._access = access
        self._table = table
        self._journal = journal
        self._tasks = tasks
        self._runs: dict[str, TaskRun] = {}

    async def answer_call(
        self,
        request: web.Request,
        message: RpcMessage,
        work: Coroutine[Any, Any, JsonResult],
        progress: CallProgress,
        *,
        note_delivery: NoteDelivery,
    ) -> web.StreamResponse:
        """Run a call, and answer with its result if that comes soon, else with a handle.

        A client that goes away before it has the answer cancels the call. Whoever has the handle hears the
        result in its own time: the call counts as heard once it has ended.
        """
        run = TaskRun(caller_of(request), progress, note_delivery)
        running = self._tasks.start_task(self._run_to_end(run, work), f"mcp call {message.request_id!r}")
        self._access.hold_while(running, run.owner, run.cancel)
        try:
            first = self._first_answer(run, message, timings_of(request).task_after_s)
            response = await run_and_answer(request, first, progress, message.request_id)
        except BaseException:
            run.cancel()
            note_delivery(heard=False)
            raise
        run.mark_answered()
        return response

    async def _first_answer(self, run: TaskRun, message: RpcMessage, task_after_s: float) -> Answer:
        """Return the result or, once the call may be a task, its handle.

        One that waits for an equal call has no id yet, and without the database there are no tasks: their
        clients wait, and hear so, like those that know no tasks.
        """
        await run.wait_for_task(task_after_s)
        seen = run.progress.news
        while run.outcome is None and not await self._becomes_task(run):
            seen = await run.progress.wait_for_news(seen)
        if isinstance(run.outcome, RpcError):
            run.outcome.request_id = message.request_id
            return error_answer(run.outcome)
        result = _handle(run) if run.outcome is None else {"resultType": "complete", **run.outcome}
        return Answer(result_bytes(message.request_id, result))

    async def _becomes_task(self, run: TaskRun) -> bool:
        """Store a run as a task; returns whether it is one now."""
        if run.progress.call_id is None:
            return False
        owner = run.owner
        run.is_task = True
        self._runs[run.progress.call_id] = run
        try:
            await self._table.add_task(run.progress.call_id, owner.user.id, owner.key_id, run.created_at)
        except BridgeError:  # the database is away: its client waits as one that knows no tasks
            run.is_task = False
            self._runs.pop(run.progress.call_id, None)  # the call may have ended meanwhile
        return run.is_task

    async def _run_to_end(self, run: TaskRun, work: Coroutine[Any, Any, JsonResult]) -> None:
        await log_failures(run.run(work), "A call of an MCP client")
        try:
            while not await self._is_stored(run):
                await sleep_safely(RETRY_S)
        finally:
            self._runs.pop(run.progress.call_id or "", None)

    async def _is_stored(self, run: TaskRun) -> bool:
        """Store the end of a task; returns whether nothing is left to store."""
        task_id = run.progress.call_id
        if not run.is_task or task_id is None or not isinstance(run.outcome, dict):
            return True
        try:
            result = orjson.dumps(run.outcome)
            await self._table.end_task(task_id, run.owner.user.id, result, is_cancelled=run.is_cancelled)
        except BridgeError:
            return False
        return True

    async def answer_get(self, request: web.Request, message: RpcMessage) -> web.Response:
        """Tell how a task stands, with its result once there is one.

        Raises:
            RpcError: the client knows no tasks, or its key has no such task.
        """
        task_id, caller = self._named_task(request, message)
        run = self._run_of(task_id, caller)
        if run is not None:
            facts = _facts(run, _status_of(run))
            if isinstance(run.outcome, dict) and not run.is_cancelled:
                facts["result"] = run.outcome
        else:
            facts = await self._stored_facts(task_id, caller)
        return _complete(message, facts)

    async def answer_update(self, request: web.Request, message: RpcMessage) -> web.Response:
        """Acknowledge what a client gives a task, which never asks for anything.

        Raises:
            RpcError: as `answer_get`.
        """
        await self._check_exists(*self._named_task(request, message))
        return _complete(message, {})

    async def answer_cancel(self, request: web.Request, message: RpcMessage) -> web.Response:
        """Cancel the call of a task, if it still runs.

        Raises:
            RpcError: as `answer_get`.
        """
        task_id, caller = self._named_task(request, message)
        await self._check_exists(task_id, caller)
        run = self._run_of(task_id, caller)
        if run is not None:
            run.cancel()
        return _complete(message, {})

    def _named_task(self, request: web.Request, message: RpcMessage) -> tuple[str, Caller]:
        if not declares_tasks(message):
            needed: JsonObject = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
            raise RpcError(MISSING_CAPABILITY, f"This needs the extension {EXTENSION}.", needed)
        return text_at(message.params, "taskId"), caller_of(request)

    def _run_of(self, task_id: str, caller: Caller) -> TaskRun | None:
        run = self._runs.get(task_id)
        is_own = run is not None and _owner_of(run.owner) == _owner_of(caller)
        return run if is_own else None

    async def _check_exists(self, task_id: str, caller: Caller) -> None:
        if self._run_of(task_id, caller) is None:
            await self._stored_facts(task_id, caller)

    async def _stored_facts(self, task_id: str, caller: Caller) -> JsonResult:
        stored = await self._table.find_task(task_id, *_owner_of(caller))
        if stored is None:
            raise RpcError(INVALID_PARAMS, "There is no such task of this key; tasks are kept for a day.")
        facts = _task_facts(task_id, stored.created_at, stored.ended_at)
        if stored.is_cancelled:
            return {**facts, "status": "cancelled"}
        return {**facts, "status": "completed", "result": await self._result_of(stored, caller)}

    async def _result_of(self, stored: StoredTask, caller: Caller) -> object:
        """Return the result; of a task whose bridge stopped before it was stored, what the journal knows."""
        if stored.result is not None:
            return orjson.Fragment(stored.result)
        call = await self._journal.find_call(caller.user.id, stored.task_id)
        if call is None or (call.error is None and call.state is not CallState.SUCCEEDED):
            return render_error(bridge_stopped(), stored.task_id)
        if call.error is not None:
            return render_error(call.error, stored.task_id)
        return render_lost(stored.task_id, call.http_status)


def _owner_of(caller: Caller) -> tuple[str, str]:
    return caller.user.id, caller.key_id


def _handle(run: TaskRun) -> JsonResult:
    return {"resultType": "task", **_facts(run, "working")}


def _status_of(run: TaskRun) -> str:
    if run.outcome is None:
        return "working"
    return "cancelled" if run.is_cancelled else "completed"


def _facts(run: TaskRun, status: str) -> JsonResult:
    facts = _task_facts(run.progress.call_id or "", run.created_at, None)
    return {**facts, "status": status, "statusMessage": run.progress.words}


def _task_facts(task_id: str, created_at: float, ended_at: float | None) -> JsonResult:
    return {
        "taskId": task_id,
        "createdAt": format_time(created_at),
        "lastUpdatedAt": format_time(ended_at or created_at),
        "ttlMs": KEEP_SECONDS * 1000,
        "pollIntervalMs": POLL_MS,
    }


def _complete(message: RpcMessage, facts: JsonResult) -> web.Response:
    return http_response(Answer(result_bytes(message.request_id, {"resultType": "complete", **facts})))
