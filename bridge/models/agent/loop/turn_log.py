"""Log of one turn: its rounds, attempts, calls, notices and its end, attached to the answer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from bridge.errors import BridgeError
from bridge.models.agent.model import ENDINGS, Model, ModelError, ModelEvent, ModelRequest, Note
from bridge.models.agent.turn import (
    Attached,
    CallEnded,
    CallStarted,
    Emit,
    Notice,
    TurnEvent,
    TurnLog,
    TurnResult,
)
from toolserver.json_types import JsonObject, array_at, load_json, object_at, text_at

DEBUG_LOGS, ERROR_LOGS = "Debug Logs", "Error Logs"
"""Titles under which the log is shown."""

_LOGGED_OPTIONS = (
    "reasoning",
    "include",
    "store",
    "truncation",
    "plugins",
    "tool_choice",
    "max_output_tokens",
    "temperature",
)
"""Options that are logged with their values; of any other only the name is."""


class TurnLogger:
    """Logs what happens in one turn, and attaches the log to its answer."""

    def __init__(self, log: TurnLog, emit: Emit) -> None:
        """`emit`: to the caller."""
        self._log = log
        self._emit = emit
        self._has_begun = False

    def wrap_model(self, model: Model) -> Model:
        """Return the model with its rounds logged, including those of sub-queries."""
        return _LoggedModel(model, self._log.add_line)

    def log_event(self, event: TurnEvent) -> None:
        """Log an event. As `TurnObserver`."""
        self._has_begun = True
        match event:
            case CallStarted():
                self._log.add_line(f"call {event.call.name} ({event.call.call_id}) begins")
            case CallEnded():
                self._log.add_line(f"call {event.call.name} ({event.call.call_id}) {_ending(event)}")
            case Notice():
                self._log.add_line(f"{event.level}: {event.text}")
            case _:
                pass

    async def attach_end(self, result: TurnResult) -> None:
        """Log how the turn ended, and attach the log."""
        failure = f": {_failure(result.error)}" if result.error else ""
        self._log.add_line(f"{result.status} with {_counts(result.usage)}{failure}")
        await self._attach(ERROR_LOGS if result.status == "failed" else DEBUG_LOGS)

    async def attach_failure(self, failure: ModelError | BridgeError) -> None:
        """Log why there is no result; the log is attached if the answer has begun."""
        self._log.add_line(f"failed: {_failure(failure)}")
        if self._has_begun:
            await self._attach(ERROR_LOGS)

    async def _attach(self, title: str) -> None:
        await self._emit(Attached(title, "\n".join(self._log.lines)))


class _LoggedModel:
    """A model whose rounds are logged."""

    def __init__(self, inner: Model, note: Note) -> None:
        self._inner = inner
        self._note = note

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream one round, as `Model.stream_round`."""
        items = len(request.input)
        tools = len(request.tools)
        self._note(f"request to {request.model}: {items} items, {tools} tools{_options(request.options)}")
        has_begun = False
        try:
            async with aclosing(self._inner.stream_round(replace(request, note=self._note))) as events:
                async for event in events:
                    if not has_begun:
                        has_begun = True
                        self._note(f"first event: {event.type}")
                    if event.type in ENDINGS:
                        self._note(f"{event.type}: {_round(object_at(event.body, 'response'))}")
                    yield event
        except ModelError as error:
            self._note(f"round failed: {_failure(error)}")
            raise


def _options(options: JsonObject) -> str:
    named = [
        f"{name}={json.dumps(value)[:100]}" if name in _LOGGED_OPTIONS else name
        for name, value in options.items()
    ]
    return f"; {', '.join(named)}" if named else ""


def _round(response: JsonObject) -> str:
    kinds = Counter(
        text_at(item, "type") or "message" for item in array_at(response, "output") if isinstance(item, dict)
    )
    items = ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "no items"
    reason = text_at(object_at(response, "incomplete_details"), "reason")
    return f"{items}; {_counts(object_at(response, 'usage'))}" + (f"; {reason}" if reason else "")


def _counts(usage: JsonObject) -> str:
    named = [f"{value} {name}" for name, value in usage.items() if isinstance(value, int | float)]
    return ", ".join(named) or "no usage"


def _ending(ended: CallEnded) -> str:
    output = ended.output.get("output")
    size = f"{len(output):,} characters" if isinstance(output, str) else "several parts"
    if ended.is_omitted:
        return f"result is too long for the model, which reads {size}"
    return f"result: {size}" if ended.has_succeeded else f"failed: {_code(output)}"


def _code(output: object) -> str:
    """Return the code of a failure as a model reads it; its message may repeat arguments."""
    try:
        named: JsonObject = {"output": load_json(output) if isinstance(output, str) else None}
    except ValueError:
        return "not run"
    return text_at(object_at(object_at(named, "output"), "error"), "code")


def _failure(error: ModelError | BridgeError) -> str:
    if isinstance(error, ModelError):
        status = f" ({error.status})" if error.status else ""
        return f"{error.code}{status}: {error.message}"
    return f"{error.error.code.value}: {error.error.message}"
