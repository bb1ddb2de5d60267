"""`POST /api/batches`: several calls of one request, run together."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from aiohttp import web
from pydantic import Field

from bridge.calls.batch import BatchCall, BatchOutput, check_batch, run_batch
from bridge.calls.engine import Engine
from bridge.calls.limits.call_settings import checked_deadline
from bridge.calls.outcome import CallOutcome
from bridge.calls.request import CallContext, CallOptions, ToolCall
from bridge.calls.state_machine import CallState
from bridge.endpoints.api.calls import OutcomeFacts, context_of
from bridge.errors import ErrorCode
from bridge.http.body import read_body
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import ApiModel, json_answer
from bridge.http.streaming import run_kept_alive
from bridge.settings.limits import Limits
from toolserver.json_types import dump_json

BATCH_BODY_BYTES = 4 * 1024 * 1024
"""Largest body of a batch."""


class NewBatchCall(ApiModel):
    """A tool to run. `id` names it in `depends_on` and in its output; by default it is its number, from 1."""

    id: str | None = Field(default=None, min_length=1, max_length=100)
    tool: str
    arguments: dict[str, Any] | None = None
    arguments_text: str | None = None
    """Wins over `arguments`: as text, no integer loses digits on the way."""
    server: str | None = None
    deadline_s: float | None = None


class NewBatch(ApiModel):
    """Calls of one request."""

    calls: list[NewBatchCall]


class BatchEntry(ApiModel):
    """How one call ended; `call_id` is null when nothing was sent."""

    id: str
    tool: str
    call_id: str | None
    outcome: OutcomeFacts
    duration_ms: float
    """From the start of the batch."""


class BatchReport(ApiModel):
    """The outputs, in the order of the calls."""

    outputs: list[BatchEntry]


class BatchRoutes(DeclaredApiRoutes):
    """Handler of batches."""

    def __init__(
        self,
        engine: Engine,
        limits: Callable[[], Limits],
        facts: Callable[[CallOutcome], OutcomeFacts],
    ) -> None:
        """`facts`: an outcome in the form of `/api/calls`."""
        self._engine = engine
        self._limits = limits
        self._facts = facts

    @api_route(
        "POST /api/batches",
        ok("Every call has ended; each has its own outcome.", BatchReport),
        body=NewBatch,
        errors=(ErrorCode.INVALID_REQUEST, ErrorCode.TOO_LARGE),
    )
    async def run_batch(self, request: web.Request) -> web.StreamResponse:
        """Run several calls together and wait until all have ended.

        A caller that disconnects cancels all of it. A long one is kept alive.
        """
        batch = await read_body(request, NewBatch, max_bytes=BATCH_BODY_BYTES)
        context = context_of(request)
        group = f"batch {secrets.token_hex(8)}"
        calls = [
            BatchCall(new_call.id or str(number), _tool_call(context, group, new_call))
            for number, new_call in enumerate(batch.calls, start=1)
        ]
        check_batch(calls)
        outputs, begun = await run_kept_alive(request, run_batch(self._engine, calls, self._limits()))
        entries = [
            self._entry(new_call.tool, output) for new_call, output in zip(batch.calls, outputs, strict=True)
        ]
        report = BatchReport(outputs=entries)
        if begun is None:
            return json_answer(report)
        await begun.write(report.model_dump_json().encode())
        await begun.write_eof()
        return begun

    def _entry(self, tool: str, output: BatchOutput) -> BatchEntry:
        if output.outcome is not None:
            facts = self._facts(output.outcome)
        else:
            is_late = output.refusal is not None and output.refusal.code is ErrorCode.TIMEOUT
            state = CallState.EXPIRED if is_late else CallState.FAILED
            facts = OutcomeFacts(state=state, error=output.refusal)
        return BatchEntry(
            id=output.id,
            tool=tool,
            call_id=output.outcome.call_id if output.outcome else None,
            outcome=facts,
            duration_ms=round(output.seconds * 1000, 1),
        )


def _tool_call(context: CallContext, group: str, new_call: NewBatchCall) -> ToolCall:
    if new_call.deadline_s is not None:
        checked_deadline(new_call.deadline_s)
    text = new_call.arguments_text
    if text is None:
        text = dump_json(new_call.arguments or {}).decode()
    options = CallOptions(group=group, deadline_s=new_call.deadline_s)
    return ToolCall(context, new_call.tool, text, server_id=new_call.server, options=options)
