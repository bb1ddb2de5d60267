"""The engine behind every endpoint: turns a `ToolCall` into a `CallRequest`, and runs it to its outcome.

Counts the call, looks the tool up in the user's catalog, checks acceptance, validates the arguments, decides
whether its user is asked, opens a slot, dispatches, and cuts a long answer. The bridge's own tools are
answered here: `run_operation` becomes the ordinary call of the operation it names, the other two need no
page. Every refusal on the way is a `BridgeError`; what happens to the call itself is a `CallOutcome`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Protocol

from bridge.browser_protocol import ARGUMENT_BYTES
from bridge.calls.admission import AdmissionControl
from bridge.calls.approvals import Approvals
from bridge.calls.call_ids import new_unsealed_id
from bridge.calls.dispatcher import Dispatcher
from bridge.calls.outcome import CallOutcome
from bridge.calls.ports import RecordedCall
from bridge.calls.reading import Reading
from bridge.calls.refusals import OnRefusal, RefusedCall
from bridge.calls.repeated_calls import RepeatedCalls
from bridge.calls.request import ALL_TOOLS, CallOptions, CallRequest, ToolCall, unquote_call
from bridge.calls.result_select import checked_select, select_of_tool, split_select
from bridge.calls.state_machine import CallState
from bridge.catalog.registry import Registry
from bridge.catalog.search.indexes import SearchIndexes
from bridge.catalog.server_view import ServerRecord, UserView
from bridge.errors import BridgeError, ErrorCode, WireError
from toolserver.answer.result import JSON, Answered, TextBody
from toolserver.arguments.arguments import ArgumentValidator, parse_arguments
from toolserver.errors import ArgumentError, quote_text
from toolserver.json_types import JsonObject, dump_json
from toolserver.operation.withheld import version_of_plan
from toolserver.schema.compact import compact_schema
from toolserver.tool.catalog import Tool
from toolserver.tool.meta_tools import (
    FIND_OPERATIONS,
    MAX_RESULT_SCHEMAS,
    META_NAMES,
    RUN_OPERATION,
    FindRequest,
    found_json,
    inner_error,
    no_operation,
    read_find,
    read_reading,
    read_run,
    similar_names,
)


class StoredAnswers(Protocol):
    """Answers that are too long for a caller, stored whole."""

    async def fit_answer(self, user_id: str, outcome: CallOutcome, reading: Reading) -> CallOutcome:
        """Return the outcome with as much as its caller reads, and store the whole; never raises."""
        ...

    async def select_stored(self, user_id: str, call_id: str, reading: Reading) -> bytes:
        """Return what the query of `reading` selects from a user's stored answer, as a JSON object.

        Raises:
            BridgeError: as `read_page`.
        """
        ...

    async def read_page(
        self, user_id: str, call_id: str, offset: int, max_bytes: int | None = None
    ) -> JsonObject:
        """Return a part of a user's stored answer, from `offset`: see `toolserver.tool.meta_tools.pages_of`.

        Raises:
            BridgeError: `not_found`: there is none of that call, or no more; `invalid_arguments`.
        """
        ...


class Engine:
    """Runs tool calls of any user."""

    def __init__(
        self,
        registry: Registry,
        approvals: Approvals,
        admission: AdmissionControl,
        dispatcher: Dispatcher,
        answers: StoredAnswers,
        *,
        repeats: RepeatedCalls,
        on_refusal: Sequence[OnRefusal] = (),
    ) -> None:
        """`on_refusal`: told of each call that is refused before it is opened."""
        self._registry = registry
        self._approvals = approvals
        self._admission = admission
        self._dispatcher = dispatcher
        self._answers = answers
        self._repeats = repeats
        self._on_refusal = tuple(on_refusal)
        self._indexes = SearchIndexes()

    async def call_tool(self, call: ToolCall) -> CallOutcome:
        """Run one call to its end. Cancelling it aborts the request in the page.

        Raises:
            BridgeError: `rate_limited`, `unknown_tool`, `not_accepted`, `invalid_arguments`, `breaker_open`
                or `queue_full`; nothing was sent. `not_found` for a `read_result` of an answer that is not
                stored. `IdempotencyKeyReused` for a repeated call.
        """
        user_id = call.context.user_id
        view = None
        try:
            self._admission.admit_call(user_id)
            if call.arguments_text[:1] != "{":
                call = unquote_call(call)
            view = await self._registry.view_of_user(user_id)
            if call.tool_name in META_NAMES:
                return await self._call_own(view, call)
            tool = view.catalog.find_called(call.tool_name)
            if tool is None or call.server_id not in (None, tool.server_id):
                raise await _unknown(view, call)
            if tool.name != call.tool_name:  # a former name, or a short one
                call = replace(call, tool_name=tool.name)
            return await self._run(view, tool, call)
        except BridgeError as refusal:
            self._tell_refusal(call, refusal.error, view)
            raise

    def note_refusal(self, call: ToolCall, error: WireError) -> None:
        """Note a call that its endpoint, batch or model loop has refused itself, before it came here."""
        self._tell_refusal(call, error, None)

    def _tell_refusal(self, call: ToolCall, error: WireError, view: UserView | None) -> None:
        """`view`: the tools of the call's user, where they were looked at."""
        name = error.detail.get("tool") or call.tool_name  # that of `run_operation`
        tool = None if view is None else view.catalog.find_called(name)
        if tool is None:
            refused = RefusedCall(call.context, name, call.server_id, error.code)
        else:
            refused = RefusedCall(call.context, tool.name, tool.server_id, error.code)
        for tell in self._on_refusal:
            tell(refused)

    async def _call_own(self, view: UserView, call: ToolCall) -> CallOutcome:
        """Run one of the bridge's own tools."""
        if call.server_id is not None and not view.has_server(call.server_id):
            raise await _unknown(view, call)
        if call.tool_name == RUN_OPERATION.name:
            return await self._run_named(view, call)
        if call.tool_name == FIND_OPERATIONS.name:
            return _answered(await self._found(view, call))
        return _answered(await self._read(call))

    def note_delivery(self, request_id: str, *, heard: bool) -> None:
        """Note whether the answer to a call with a `repeat` was heard; see `RepeatedCalls.note_delivery`.

        Its endpoint does so once for each such call, also for one that was refused.
        """
        self._repeats.note_delivery(request_id, heard=heard)

    def restore_repeats(self, calls: Iterable[RecordedCall]) -> None:
        """Take over what the journal knows of calls that may be sent again, before the first call comes."""
        self._repeats.restore_calls(calls)

    def forget_repeats(self, user_id: str) -> None:
        """Forget a user's calls that may be sent again: the user is at home elsewhere."""
        self._repeats.forget_user(user_id)

    async def own_arguments(self, call: ToolCall, names: Collection[str]) -> frozenset[str]:
        """Which of `names` are arguments of the tool itself; none of a tool that does not exist."""
        view = await self._registry.view_of_user(call.context.user_id)
        tool = view.catalog.find_called(call.tool_name)
        if tool is None:
            return frozenset()
        schema = json.loads((await self._registry.lists.schemas_of(view, [tool]))[tool.name])
        return frozenset(name for name in names if name in schema.get("properties", {}))

    async def _run(self, view: UserView, tool: Tool, call: ToolCall) -> CallOutcome:
        if not view.is_accepted(tool):
            raise _not_accepted(view, tool)
        server = view.find_server(tool.server_id)
        validator = server.validators.get(tool.operation.key)
        if validator is None:
            validator = await self._registry.compile_validator(server, tool.operation)
        try:
            text, select = split_select(call.arguments_text, tool.operation, validator)
            call, decoded = _with_valid_arguments(replace(call, arguments_text=text), validator)
        except ArgumentError as error:
            raise _invalid_arguments(error, tool.name if tool.name != call.tool_name else None) from None
        request = _request_of(call, tool, server.record)
        if call.repeat is None or request.safe:
            outcome = await self._dispatch(call.options, request)
        else:
            outcome = await self._repeats.run_once(
                request, call.repeat, partial(self._dispatch, call.options)
            )
        if decoded:
            outcome = replace(outcome, decoded=decoded)
        reading = _reading_of(call, tool, select, outcome)
        return await self._answers.fit_answer(call.context.user_id, outcome, reading)

    async def _dispatch(self, options: CallOptions, request: CallRequest) -> CallOutcome:
        if request.doubted is not None or await self._approvals.is_needed(request):
            request = replace(request, needs_approval=True)
        with await self._admission.open_slot(request, options) as slot:
            return await self._dispatcher.dispatch_call(request, slot)

    async def _run_named(self, view: UserView, call: ToolCall) -> CallOutcome:
        """The call of the operation that a `run_operation` names."""
        with _as_invalid_arguments():
            wanted = read_run(call.arguments_text, max_bytes=ARGUMENT_BYTES)
            tool = view.catalog.find_called(wanted.name)
            if tool is None or call.server_id not in (None, tool.server_id) or not call.scope.includes(tool):
                known = [each for each in view.tools_of(call.server_id) if call.scope.includes(each)]
                # Half a second for ten thousand names.
                raise await asyncio.to_thread(no_operation, wanted.name, known)
        return await self._run(view, tool, replace(call, arguments_text=wanted.arguments_text))

    async def _found(self, view: UserView, call: ToolCall) -> str:
        with _as_invalid_arguments():
            wanted = read_find(call.arguments_text, max_bytes=ARGUMENT_BYTES)
            server_id = _server_of(view, wanted, call)
        # A third of a second for the first of ten thousand operations, and some milliseconds for each query.
        matches = await asyncio.to_thread(self._find_matches, view, call, wanted, server_id)
        found = matches[: wanted.limit]
        schemas = await self._registry.lists.ready_schemas(view, found[:MAX_RESULT_SCHEMAS])
        shortest = await asyncio.to_thread(_compacted, schemas)  # up to 8 of 200 KB
        refused = {tool.name for tool in found if not view.is_accepted(tool)}
        return found_json(found, shortest, len(matches), refused=refused).decode()

    def _find_matches(
        self, view: UserView, call: ToolCall, wanted: FindRequest, server_id: str
    ) -> list[Tool]:
        """The address or the scope of a call may choose its servers. Where neither does, its user has."""
        matches = self._indexes.find_tools(view, wanted.query, server=server_id, tag=wanted.tag)
        if call.scope != ALL_TOOLS:
            return [tool for tool in matches if call.scope.includes(tool)]
        if call.server_id is not None or not view.selection.servers:
            return matches
        return [tool for tool in matches if view.is_of_shown_server(tool)]

    async def _read(self, call: ToolCall) -> str:
        with _as_invalid_arguments():
            wanted = read_reading(call.arguments_text, max_bytes=ARGUMENT_BYTES)
            select = checked_select(wanted.select, "select")
        user_id, reading = call.context.user_id, call.options.reading
        if select:
            selecting = replace(reading, select=select)
            return (await self._answers.select_stored(user_id, wanted.call_id, selecting)).decode()
        part = await self._answers.read_page(user_id, wanted.call_id, wanted.offset, reading.max_bytes)
        return dump_json(part).decode()


@contextmanager
def _as_invalid_arguments() -> Generator[None]:
    """Arguments that do not fit are `invalid_arguments`."""
    try:
        yield
    except ArgumentError as error:
        raise _invalid_arguments(error) from None


def _invalid_arguments(error: ArgumentError, inner: str | None = None) -> BridgeError:
    """Return the error for a caller; `inner` names the operation of a `run_operation`."""
    shown = inner_error(inner, error) if inner else error
    detail = {"argument": shown.argument, "pointer": shown.pointer}
    if inner:
        detail["tool"] = inner
    return BridgeError(ErrorCode.INVALID_ARGUMENTS, shown.message, detail=detail)


def _with_valid_arguments(call: ToolCall, validator: ArgumentValidator) -> tuple[ToolCall, tuple[str, ...]]:
    """The call with the arguments that are sent, and which of them came as the text of their JSON.

    From here on nobody sees others. The text stays the caller's own unless it holds nulls that only mean
    "left out", or such texts.
    """
    arguments = parse_arguments(call.arguments_text, max_bytes=ARGUMENT_BYTES)
    cleaned = validator.without_added_nulls(arguments) if "null" in call.arguments_text else arguments
    sent = validator.validate_arguments(cleaned)
    if sent is arguments:
        return call, ()
    decoded = () if sent is cleaned else tuple(name for name in sent if sent[name] is not cleaned[name])
    return replace(call, arguments_text=dump_json(sent).decode()), decoded


def _reading_of(call: ToolCall, tool: Tool, select: str, outcome: CallOutcome) -> Reading:
    """How the answer is read: by the call's own query; if it has none, by that of the tool's edit.

    That one knows what the tool answers, and nothing of its errors.
    """
    reading = call.options.reading
    if not (select or reading.select) and outcome.state is CallState.SUCCEEDED:
        select = select_of_tool(tool.operation)
    return replace(reading, select=select) if select else reading


def _request_of(call: ToolCall, tool: Tool, server: ServerRecord) -> CallRequest:
    operation = tool.operation
    return CallRequest(
        context=call.context,
        tool_name=tool.name,
        server_id=tool.server_id,
        operation_key=operation.key,
        operation_digest=operation.digest,
        origin=operation.origin,
        safe=operation.safe,
        arguments_text=call.arguments_text.strip() or "{}",
        always_asks=operation.always_asks,
        plan_version=version_of_plan(operation.plan_json),
        idempotency_key=server.idempotency_key and not operation.safe,
        trace_context=server.trace_context,
    )


def _answered(text: str) -> CallOutcome:
    """The outcome of a tool that the bridge answers itself."""
    answer = Answered(200, JSON, {}, TextBody(text))
    return CallOutcome(new_unsealed_id(), CallState.SUCCEEDED, answer, None)


def _server_of(view: UserView, wanted: FindRequest, call: ToolCall) -> str:
    """The id of the one server to search, "" for all: that of the address that was called, or the wanted."""
    of_call, of_scope = call.server_id, call.scope.servers
    known = [server.record.id for server in view.servers]
    ids = [each for each in known if of_call in (None, each) and (of_scope is None or each in of_scope)]
    if wanted.server and wanted.server not in ids:
        message = (
            f"There is no server {quote_text(wanted.server)}. The servers are: {', '.join(ids) or 'none'}."
        )
        raise ArgumentError(message, argument="server", pointer="/server")
    return of_call or wanted.server


def _compacted(schemas: Mapping[str, bytes]) -> dict[str, bytes]:
    return {name: compact_schema(schema) for name, schema in schemas.items()}


async def _unknown(view: UserView, call: ToolCall) -> BridgeError:
    where = f" of server {call.server_id!r}" if call.server_id else ""
    known = [tool for tool in view.tools_of(call.server_id) if call.scope.includes(tool)]
    near = await asyncio.to_thread(similar_names, call.tool_name, known)  # Slow for ten thousand names.
    hint = f"Did you mean {' or '.join(near)}?" if near else "GET /openapi.json lists the tools."
    message = f"There is no tool {call.tool_name!r}{where}. {hint}"
    return BridgeError(ErrorCode.UNKNOWN_TOOL, message, detail={"tool": call.tool_name})


def _not_accepted(view: UserView, tool: Tool) -> BridgeError:
    pinned = view.decision_about(tool)
    reason = "changed since it was accepted" if pinned else "has not been accepted"
    act = "accept it"
    if not tool.operation.origin:
        reason, act = "has no address to which its document leads", "give it a base address, then accept it"
    message = (
        f"Tool {tool.name!r} {reason}. Open the bridge page, look at server {tool.server_id!r} and {act}."
    )
    detail = {"tool": tool.name, "server": tool.server_id, "changed": bool(pinned)}
    return BridgeError(ErrorCode.NOT_ACCEPTED, message, detail=detail)
