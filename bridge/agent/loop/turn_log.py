"""Log of one turn: its rounds, attempts, calls, notices and its end, attached to the answer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from bridge.agent.model import ENDINGS, Model, ModelError, ModelEvent, ModelRequest, Note
from bridge.agent.turn import Attached, CallEnded, CallStarted, Emit, Notice, TurnEvent, TurnResult
from bridge.errors import BridgeError
from toolserver.json_types import JsonObject, array_at, object_at, text_at

DEBUG_LOGS, ERROR_LOGS = "Debug Logs", "Error Logs"
"""Titles under which the log is shown."""

_TOLD_OPTIONS = (
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


async def logged_turn(
    run: Callable[[Model, Emit], Awaitable[TurnResult]],
    model: Model,
    emit: Emit,
    *,
    note: Note,
    text: Callable[[], str],
) -> TurnResult:
    """Run a turn, log what happens in it, and attach the log to the answer when it ends.

    `run`: called with the model and the `Emit` to use; `text`: returns the log so far. Raises what `run`
    raises; to an answer that has not started, nothing is attached.
    """
    watch = _Watch(note, emit)
    try:
        result = await run(_NotedModel(model, note), watch.take)
    except (ModelError, BridgeError) as error:
        note(f"failed: {_failure(error)}")
        if watch.has_told:
            await emit(Attached(ERROR_LOGS, text()))
        raise
    note(
        f"{result.status} with {_counts(result.usage)}"
        + (f": {_failure(result.error)}" if result.error else "")
    )
    await emit(Attached(ERROR_LOGS if result.status == "failed" else DEBUG_LOGS, text()))
    return result


@dataclass(slots=True)
class _Watch:
    """Logs the events of a turn, and passes them on."""

    note: Note
    emit: Emit
    has_told: bool = False
    _running: dict[str, str] = field(default_factory=dict[str, str])

    async def take(self, event: TurnEvent) -> None:
        """Log an event and pass it on. As `Emit`."""
        match event:
            case CallStarted():
                self.note(f"call {event.call.name} ({event.call.call_id}) begins")
            case CallEnded():
                self.note(f"call {event.call.name} ({event.call.call_id}) {_ending(event)}")
            case Notice():
                self.note(f"{event.level}: {event.text}")
            case _:
                pass
        self.has_told = True
        await self.emit(event)


class _NotedModel:
    """A model whose rounds are logged, including those of sub-queries."""

    def __init__(self, inner: Model, note: Note) -> None:
        self._inner = inner
        self._note = note

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream one round, as `Model.stream_round`."""
        items, tools = len(request.input), len(request.tools)
        self._note(f"asks {request.model}: {items} items, {tools} tools{_options(request.options)}")
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
    told = [
        f"{name}={json.dumps(value)[:100]}" if name in _TOLD_OPTIONS else name
        for name, value in options.items()
    ]
    return f"; {', '.join(told)}" if told else ""


def _round(response: JsonObject) -> str:
    kinds = Counter(
        text_at(item, "type") or "message" for item in array_at(response, "output") if isinstance(item, dict)
    )
    items = ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "no items"
    reason = text_at(object_at(response, "incomplete_details"), "reason")
    return f"{items}; {_counts(object_at(response, 'usage'))}" + (f"; {reason}" if reason else "")


def _counts(usage: JsonObject) -> str:
    told = [f"{value} {name}" for name, value in usage.items() if isinstance(value, int | float)]
    return ", ".join(told) or "no usage"


def _ending(ended: CallEnded) -> str:
    output = ended.output.get("output")
    size = f"{len(output):,} characters" if isinstance(output, str) else "several parts"
    if ended.is_omitted:
        return f"has a result that is too long for the model; it reads {size}"
    return f"has its result: {size}" if ended.has_succeeded else f"failed: {_code(output)}"


def _code(output: object) -> str:
    """Return the code of a failure as a model reads it; its message may repeat arguments."""
    try:
        told: JsonObject = {"output": json.loads(output) if isinstance(output, str) else None}
    except ValueError:
        return "not run"
    return text_at(object_at(object_at(told, "output"), "error"), "code")


def _failure(error: ModelError | BridgeError) -> str:
    if isinstance(error, ModelError):
        status = f" ({error.status})" if error.status else ""
        return f"{error.code}{status}: {error.message}"
    return f"{error.error.code.value}: {error.error.message}"
