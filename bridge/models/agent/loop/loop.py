"""The model loop: rounds of a model, and the bridge's calls between them, until the model has answered.

Receives a request, a model and the tools of the turn; emits events as they happen and returns the whole turn.
Every item of a round goes back to the model as it came, apart from calls that a provider would refuse, which
`sendable_call` repairs. Every call of the bridge gets exactly one output, even after errors and limits. Calls
run only when their round has completed. Knows no protocol and no page.
"""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from bridge.models.agent.items import (
    Item,
    ModelCall,
    add_usage,
    call_id_of,
    is_answer,
    model_call,
    usage_of,
)
from bridge.models.agent.loop.context_budget import ContextBudget
from bridge.models.agent.loop.limit_notice import limit_notice, limit_warning
from bridge.models.agent.loop.pending_turns import PendingRounds
from bridge.models.agent.loop.rounds import NO_IDS, ModelCallIds, Round, RoundReader
from bridge.models.agent.model import ModelError, ModelRequest
from bridge.models.agent.model_messages import (
    BROKE_OFF,
    HANDED_BACK_IN_DOUBT,
    NO_ANSWER,
    omitted_notice,
    skipped_at_call_limit,
    skipped_at_limit,
)
from bridge.models.agent.toolbox import CallOutput, Toolbox, item_of_output
from bridge.models.agent.turn import (
    CallEnded,
    CallStarted,
    Emit,
    Notice,
    Settled,
    Turn,
    TurnResult,
)
from toolserver.json_types import JsonObject

_FREE = ("auto", "none")


def later_options(options: JsonObject) -> JsonObject:
    """Return the options of a round after the first: no call is forced any more."""
    choice = options.get("tool_choice")
    if choice is None or choice in _FREE:
        return options
    if isinstance(choice, dict) and choice.get("type") == "allowed_tools":
        return {**options, "tool_choice": {**choice, "mode": "auto"}}
    return {**options, "tool_choice": "auto"}


def closing_options(options: JsonObject) -> JsonObject:
    """Return the options of the round in which the model has to answer with what it has."""
    return {**options, "tool_choice": "none"}


ABOUT_TOOLS = ("tool_choice", "parallel_tool_calls")


def run_rounds(
    turn: Turn, toolbox: Toolbox, emit: Emit, *, pending: PendingRounds | None = None
) -> Coroutine[Any, Any, TurnResult]:
    """Return what runs the rounds of one turn to its end when it is awaited.

    `pending` remembers turns whose last round calls the caller's tools.

    Cancelling hangs up on the provider and cancels every running call; no further events are emitted. An
    exception from `emit` does the same.

    Awaiting it raises `ModelError`: the provider failed before its first output; nothing was emitted. A later
    failure is part of the result, with the output up to then.
    """
    return _Loop(turn, toolbox, emit, pending).run_all()


@dataclass(frozen=True, slots=True)
class _Calls:
    """The calls of one round, in their order."""

    all: list[ModelCall]
    own: list[ModelCall]
    """Calls that the bridge answers, unknown names included."""
    callers: list[ModelCall]


class _Loop:
    """The state of a running turn."""

    __slots__ = (
        "_calls_run",
        "_emit",
        "_has_emitted",
        "_ids",
        "_max_rounds",
        "_output",
        "_own_ids",
        "_pending",
        "_request",
        "_settled",
        "_toolbox",
        "_turn",
        "_usage",
    )

    def __init__(self, turn: Turn, toolbox: Toolbox, emit: Emit, pending: PendingRounds | None) -> None:
        self._turn = turn
        self._request = turn.request
        self._toolbox = toolbox
        self._emit = emit
        self._pending = pending
        self._max_rounds = turn.request.max_rounds or turn.settings.max_rounds
        self._output: list[Item] = []
        self._own_ids = NO_IDS
        is_taken = None if pending is None else partial(pending.has_call, turn.request.user_id)
        self._ids = ModelCallIds(map(call_id_of, turn.request.input), is_taken)
        self._usage: JsonObject = {"turn_count": 0, "function_call_count": 0}
        self._calls_run = 0
        self._has_emitted = False
        self._settled = 0

    async def run_all(self) -> TurnResult:
        """Run rounds until there is no more call to run and no answer to go on, or something prevents it."""
        options = self._request.options
        first = min(self._turn.rounds_before, self._max_rounds - 1)
        for number in range(first, self._max_rounds):
            round_ = await self._ask(number, options if number == 0 else later_options(options))
            calls = self._calls_of(round_)
            goes_on = calls.all if round_.status == "completed" else round_.is_paused and not calls.all
            if not goes_on:
                return await self._ended(round_, calls)
            if number == self._max_rounds - 1 and not calls.callers:
                return await self._ended_at_limit(calls)
            await self._run_calls(calls.own)
            if calls.callers:
                return self._handed_back(round_, calls)
        raise AssertionError("max_rounds is at least 1")

    def _handed_back(self, round_: Round, calls: _Calls) -> TurnResult:
        """End a turn whose caller has calls to run."""
        if self._pending is not None:
            last = [call.call_id for call in calls.all]
            self._pending.remember_turn(self._request.user_id, self._output, last)
        return self._result(round_, calls.callers)

    async def _ended(self, round_: Round, calls: _Calls) -> TurnResult:
        """End a turn in which nothing is left to run."""
        await self._answer_unrun(calls.own, BROKE_OFF)
        if round_.status == "completed" and self._own_ids and not any(map(is_answer, round_.items)):
            warning = "No assistant content was produced after tool execution; sending fallback guidance."
            await self._emit(Notice("warning", warning, in_answer=False))
            await self._emit(Notice("warning", NO_ANSWER, in_answer=True))
        return self._result(round_)

    async def _ended_at_limit(self, calls: _Calls) -> TurnResult:
        """Answer the calls as skipped, let the model answer with what it has, and notify the user."""
        await self._answer_unrun(calls.own, skipped_at_limit(self._max_rounds))
        round_ = await self._ask(self._max_rounds, closing_options(self._request.options))
        late = self._calls_of(round_)  # from a provider that ignores `tool_choice`
        await self._answer_unrun(late.own, skipped_at_limit(self._max_rounds))
        settings = self._turn.settings
        source = "request" if self._request.max_rounds else settings.rounds_source
        notice = limit_notice(settings.limit_template, self._max_rounds, source)
        await self._emit(Notice("warning", limit_warning(self._max_rounds), in_answer=False))
        await self._emit(Notice("warning", notice, in_answer=True))
        callers = late.callers if round_.status == "completed" else []
        return self._result(round_, callers, limit_reached=True)

    async def _ask(self, number: int, options: JsonObject) -> Round:
        """Request one round and emit its output as it comes."""
        await self._settle()
        reader = RoundReader(number, self._toolbox.is_callers, self._ids, self._toolbox.is_offered)
        error: ModelError | None = None
        try:
            async with aclosing(self._turn.model.stream_round(self._model_request(options))) as events:
                async for event in events:
                    output = reader.read_event(event)
                    if not self._has_emitted:
                        await self._emit_notices()
                    await self._emit(output)
                    if reader.has_ended:
                        break
                    del event, output  # nobody needs them while the next one is awaited
        except ModelError as failure:
            error = failure
        ended = reader.finish_round(error)
        if ended.status == "completed" and any(call.is_in_doubt for call in self._calls_of(ended).callers):
            ended = ended.failed_by(ModelError(HANDED_BACK_IN_DOUBT, code="upstream_malformed"))
        if ended.error is not None and not self._has_emitted:
            raise ended.error
        self._note(ended)
        await self._settle()
        return ended

    async def _settle(self) -> None:
        """Emit the items since the last call as final."""
        if items := tuple(self._output[self._settled :]):
            self._settled = len(self._output)
            await self._emit(Settled(items, self._usage))

    def _model_request(self, options: JsonObject) -> ModelRequest:
        tools = self._toolbox.definitions
        if not tools:  # providers refuse options for tools where there are none
            options = {name: value for name, value in options.items() if name not in ABOUT_TOOLS}
        return ModelRequest(
            model=self._turn.settings.model,
            input=(*self._request.input, *self._output),
            instructions=self._request.instructions,
            tools=tools,
            options=options,
            chat_options=self._request.chat_options,
        )

    async def _emit_notices(self) -> None:
        """Emit the notices before the first output, so that a provider's refusal comes alone."""
        self._has_emitted = True
        for notice in self._toolbox.notices:
            await self._emit(notice)

    def _note(self, round_: Round) -> None:
        """Add a round to the output, the ids and the usage."""
        calls = self._calls_of(round_)
        self._output.extend(round_.items)
        self._own_ids |= {call.call_id for call in calls.own}
        counts: JsonObject = {"turn_count": 1, "function_call_count": len(calls.all)}
        self._usage = add_usage(add_usage(self._usage, usage_of(round_.response)), counts)

    def _calls_of(self, round_: Round) -> _Calls:
        calls = round_.list_calls()
        own = [call for call in calls if self._is_own(call)]
        callers = [_with_arguments(call) for call in calls if not self._is_own(call)]
        return _Calls(calls, own, callers)

    def _is_own(self, call: ModelCall) -> bool:
        return model_call(call.item) is not None and not self._toolbox.is_callers(call)

    async def _run_calls(self, calls: Sequence[ModelCall]) -> None:
        """Run as many calls as `max_tool_calls` allows; the others are answered as skipped."""
        read = (*self._request.input, *self._output)
        most = self._request.options.get("max_tool_calls")
        room = max(0, most - self._calls_run) if isinstance(most, int) else len(calls)
        run, skipped = calls[:room], calls[room:]
        self._calls_run += len(run)
        in_turn = self._request.options.get("parallel_tool_calls") is False
        groups = [[call] for call in run] if in_turn else [run] if run else []
        for group in groups:
            await self._emit_started(group)
            outputs = await self._toolbox.run_calls(group, read)
            budget = ContextBudget(self._turn.settings.prompt_tokens, self._model_request({}))
            for call, output in zip(group, outputs, strict=True):
                fitted = budget.fit_output(output)
                await self._answer(call, fitted, is_omitted=fitted is not output)
        if skipped:
            await self._answer_unrun(skipped, skipped_at_call_limit(self._calls_run))

    async def _emit_started(self, calls: Sequence[ModelCall]) -> None:
        for call in calls:
            if (tool := self._toolbox.find_tool_of(call)) is not None:
                await self._emit(CallStarted(call, tool.title))

    async def _answer_unrun(self, calls: Sequence[ModelCall], text: str) -> None:
        for call in calls:
            await self._answer(call, CallOutput(text, has_succeeded=False))

    async def _answer(self, call: ModelCall, output: CallOutput, *, is_omitted: bool = False) -> None:
        """Record an output before emitting it: what has run is known even if nobody listens any more."""
        item = item_of_output(call, output)
        self._output.append(item)
        self._usage = add_usage(self._usage, output.usage)
        flags = output.has_succeeded, output.files, output.is_breaker_open, is_omitted
        await self._emit(CallEnded(call, item, *flags))
        if is_omitted:
            await self._emit(Notice("warning", omitted_notice(call.name), in_answer=False))

    def _result(
        self, round_: Round, callers: Sequence[ModelCall] = (), *, limit_reached: bool = False
    ) -> TurnResult:
        return TurnResult(
            status=round_.status,
            output=tuple(self._output),
            caller_calls=tuple(callers),
            own_call_ids=self._own_ids,
            usage=self._usage,
            response=round_.response,
            limit_reached=limit_reached,
            error=round_.error,
        )


def _with_arguments(call: ModelCall) -> ModelCall:
    """Return the call with `{}` for empty arguments: clients parse the arguments of functions unchecked."""
    is_empty = call.item.get("type") == "function_call" and not call.arguments_text.strip()
    return replace(call, arguments_text="{}") if is_empty else call
