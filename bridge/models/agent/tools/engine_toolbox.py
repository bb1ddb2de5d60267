"""The tools of a turn over the call engine: what is offered, and one round's calls run together.

Receives calls as a model wrote them; returns one output for each, in their order, however it ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from bridge.calls.answer_parts import StoredFiles
from bridge.calls.batch import MAX_BATCH_CALLS, BatchCall, BatchEngine, BatchOutput, run_batch
from bridge.calls.reading import EARLY_OUTLINES
from bridge.calls.request import MAX_ASKED_BY_CHARS, CallContext, CallOptions, ToolCall
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.models.agent.items import TOOL_SEARCH, Item, ModelCall
from bridge.models.agent.model_messages import IN_DOUBT, NOTHING_SOUGHT, error_text, unknown_text
from bridge.models.agent.tool_search import NAMESPACE, namespace_of, searches_natively
from bridge.models.agent.toolbox import BridgeTool, CallOutput, LocalTool
from bridge.models.agent.tools.arguments import engine_arguments, name_files
from bridge.models.agent.tools.callers_tools import (
    RUN_BY_CALLER,
    CallersFunctions,
    callers_functions,
    distinct_tools,
    function_names,
)
from bridge.models.agent.tools.catalog_tools import CatalogTools, FindTool, offered_beside
from bridge.models.agent.tools.native_search import NativeSearch, offer_search
from bridge.models.agent.tools.tool_output import answer_output
from bridge.models.agent.turn import Notice, TurnRequest, TurnSettings
from bridge.settings.limits import Limits
from bridge.tasks import log_failures
from toolserver.answer.result import TextBody
from toolserver.errors import ArgumentError, quote_text
from toolserver.json_types import JsonObject, text_at
from toolserver.tool.meta_tools import FIND_OPERATIONS, RUN_OPERATION

UNAVAILABLE = Notice("warning", "Tool registry unavailable; continuing without tools.", in_answer=False)
NO_ROOM = Notice(
    "warning",
    "The request has so many tools of its own that those of the bridge do not fit.",
    in_answer=False,
)
"""Notices for a user whose tools the model is not offered."""


def no_page_notice(page_url: str) -> Notice:
    """Return the notice for a user whose page is not open; it stays, for there is something to do."""
    text = (
        "No bridge page of this user is open; continuing without the bridge's tools. "
        f"Open {page_url} in the browser, then ask again."
    )
    return Notice("info", text, in_answer=False, stays=True)


def crowded_notice(callers: int, lost: Sequence[BridgeTool]) -> Notice:
    """Return the notice for a user whose tools `lost` their place to those that a chat brings itself."""
    servers = ", ".join(sorted({tool.server_id for tool in lost if tool.server_id}))
    brings = "1 tool" if callers == 1 else f"{callers} tools"
    text = (
        f"This chat brings {brings} of its own. Together they are too many for a model, so {len(lost)} "
        f"of the bridge's ({servers}) can only be searched for. Switch off tools in the chat, or pin the "
        "important ones on the bridge page under Tools."
    )
    return Notice("info", text, in_answer=False, stays=True)


@dataclass(frozen=True, slots=True)
class CallServices:
    """The services that run calls and store their answers."""

    engine: BatchEngine
    limits: Callable[[], Limits]
    files: StoredFiles


class Toolboxes:
    """Builds the toolbox of each turn."""

    def __init__(
        self,
        own_tools: CatalogTools,
        services: CallServices,
        wait_for_page: Callable[[str], Awaitable[bool]],
        *,
        page_url: str,
    ) -> None:
        """`wait_for_page`: returns whether a bridge page of the user is connected, or comes back in time."""
        self._own_tools = own_tools
        self._services = services
        self._wait_for_page = wait_for_page
        self._no_page = no_page_notice(page_url)

    async def toolbox_of_turn(self, request: TurnRequest, settings: TurnSettings) -> EngineToolbox:
        """Build the tools of a turn: shared servers', the user's own, the caller's.

        The bridge's are offered to a model that can call functions, where the request wants them and a page
        of the user is connected. If they are missing, `notices` says why.

        Raises:
            BridgeError: `invalid_request`: the caller brings tools or demands a call, and the model cannot
                call functions.
        """
        callers = distinct_tools(request.caller_tools)
        can_call = settings.can_call_functions
        if not can_call and _demands_calls(request, callers):
            raise _cannot_call(request.model)
        toolbox = EngineToolbox(self._services, request, settings, callers)
        if not (can_call and request.with_tools):
            return toolbox
        equipped = await log_failures(self._equip(toolbox), "The offer of tools")
        return equipped or replace(toolbox, notices=(UNAVAILABLE,))

    async def _equip(self, toolbox: EngineToolbox) -> EngineToolbox:
        """Return a copy with the bridge's tools, or with a notice that says why it has none."""
        request = toolbox.request
        find_unlisted = await self._own_tools.find_unlisted(request.user_id, request.scope)
        toolbox = replace(toolbox, find_unlisted=find_unlisted)
        callers = len(toolbox.callers)
        own = int(toolbox.settings.subquery)
        tools_beside = partial(
            self._own_tools.tools_of_user,
            request.user_id,
            strictness=toolbox.settings.strictness,
            scope=request.scope,
        )
        tools = await tools_beside(taken=callers + own)
        if not tools:
            is_crowded = callers + own > 0 and await tools_beside(taken=0)
            return replace(toolbox, notices=(NO_ROOM,) if is_crowded else ())
        offered = offered_beside(tools, function_names(toolbox.callers))
        if not await self._wait_for_page(request.user_id):
            return replace(toolbox, absent=offered, notices=(self._no_page,))
        lost: list[BridgeTool] = []
        if callers and _must_search(tools):
            kept = {tool.name for tool in tools}
            lost = [tool for tool in await tools_beside(taken=own) if tool.name not in kept]
        toolbox = replace(toolbox, tools=offered, notices=(crowded_notice(callers, lost),) if lost else ())
        return await self._with_search(toolbox, callers + own)

    async def _with_search(self, toolbox: EngineToolbox, taken: int) -> EngineToolbox:
        """Return the toolbox with the model's own search instead of ours, where it has one."""
        settings, request = toolbox.settings, toolbox.request
        if not searches_natively(request, settings) or not _must_search(toolbox.tools):
            return toolbox
        user_id, strictness, scope = request.user_id, settings.strictness, request.scope
        servers = await self._own_tools.searched_servers(
            user_id, taken=taken, strictness=strictness, scope=scope
        )
        groups = {text_at(tool, "name") for tool in toolbox.callers if tool.get("type") == NAMESPACE}
        if not servers or any(namespace_of(server.id) in groups for server in servers):
            return toolbox
        tools = tuple(tool for tool in toolbox.tools if tool.name not in _REPLACED)
        load_tools = partial(self._own_tools.load_tools, user_id, strictness=strictness, scope=scope)
        search = offer_search(servers, load_tools)
        return replace(toolbox, tools=tools, search=search)


_REPLACED = frozenset({FIND_OPERATIONS.name, RUN_OPERATION.name})
"""Tools that a model has no use for that searches by itself, and calls what it finds."""


def _must_search(tools: Iterable[BridgeTool]) -> bool:
    """Whether a model that is offered these reaches other operations through one of them."""
    return any(tool.name == RUN_OPERATION.name for tool in tools)


def _no_tool(_name: str) -> None:
    return None


@dataclass(frozen=True, slots=True)
class EngineToolbox:
    """The tools of one turn. Immutable."""

    services: CallServices
    request: TurnRequest
    settings: TurnSettings
    callers: tuple[JsonObject, ...]
    """Tools of the caller and of the provider, in the Responses form."""
    tools: tuple[BridgeTool, ...] = ()
    """Tools of the bridge, local ones included."""
    absent: tuple[BridgeTool, ...] = ()
    """Tools that the model is not offered because no page is open. The engine answers calls of them, too."""
    find_unlisted: FindTool = _no_tool
    """Finds a tool that the model was not given, but knows from the conversation (ruling 51)."""
    locals: tuple[LocalTool, ...] = ()
    notices: tuple[Notice, ...] = ()
    search: NativeSearch | None = None
    """The model's own search, where it has one; then it is offered no `find_operations`."""
    is_nested: bool = False
    """Whether its calls belong to a single call of the turn, such as a sub-query."""
    _callers: CallersFunctions = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_callers", callers_functions(self.callers, self.request.input))

    @property
    def definitions(self) -> tuple[JsonObject, ...]:
        """Definitions sent to the model, in order."""
        search = () if self.search is None else (self.search.tool.definition,)
        return (*self._own_definitions(), *search, *self.callers)

    def _own_definitions(self) -> Iterator[JsonObject]:
        for tool in self.tools:
            is_exemplified = self.settings.takes_examples and tool.examples
            yield {**tool.definition, "examples": [*tool.examples]} if is_exemplified else tool.definition

    def find_own_tool(self, name: str) -> BridgeTool | None:
        """Return the bridge's tool with an offered name, or another that its user has accepted, if any."""
        both = (*self.tools, *self.absent)
        offered = next((tool for tool in both if tool.offered_name == name), None)
        return offered if offered is not None or name in self._callers.names else self.find_unlisted(name)

    def find_tool_of(self, call: ModelCall) -> BridgeTool | None:
        """Return the bridge's tool that a call is meant for; None: there is none, or it is the caller's."""
        if self.is_callers(call):
            return None
        if call.is_search:
            return None if self.search is None else self.search.tool
        if not call.namespace:
            return self.find_own_tool(call.name)
        tool = self.find_unlisted(call.name)
        is_there = tool is not None and namespace_of(tool.server_id or "") == call.namespace
        return tool if is_there else None

    def is_offered(self, name: str) -> bool:
        """Return whether a function of that name, in no namespace, is the bridge's or the caller's."""
        return name in self._callers.names or self.find_own_tool(name) is not None

    def is_callers(self, call: ModelCall) -> bool:
        """Return whether the caller runs a function call or a tool search."""
        return self._callers.runs_call(call)

    def with_local(self, *locals: LocalTool) -> EngineToolbox:
        """Return a copy with more tools of the bridge, after those that it has."""
        more = offered_beside([local.tool for local in locals], self._callers.names)
        return replace(self, tools=(*self.tools, *more), locals=(*self.locals, *locals))

    def for_nested(self) -> EngineToolbox:
        """Return a copy for a nested turn, without the tools that callers run: it cannot hand calls back."""
        providers = tuple(tool for tool in self.callers if tool.get("type") not in RUN_BY_CALLER)
        return replace(self, callers=providers, is_nested=True)

    async def run_calls(self, calls: Sequence[ModelCall], input: Sequence[Item]) -> list[CallOutput]:
        """Run one round's calls together; one output each, in their order. Raises only when cancelled."""
        prepared = [self._prepared(call) for call in calls]
        outputs = {place: each for place, each in enumerate(prepared) if isinstance(each, CallOutput)}
        batch = [(place, each) for place, each in enumerate(prepared) if isinstance(each, BatchCall)]
        async with asyncio.TaskGroup() as group:
            for place, each in enumerate(prepared):
                if isinstance(each, _LocalCall):
                    running = log_failures(
                        each.local.run_call(each.call, input), f"Tool {each.local.tool.name}"
                    )
                elif isinstance(each, _SearchCall):
                    running = log_failures(self._found(each), "A tool search")
                else:
                    continue
                group.create_task(_note_output(running, place, outputs))
            for start in range(0, len(batch), MAX_BATCH_CALLS):
                part = dict(batch[start : start + MAX_BATCH_CALLS])
                group.create_task(log_failures(self._run_batch(part, outputs), "A round's calls"))
        return [outputs.get(place, BUG) for place in range(len(calls))]

    def _prepared(self, call: ModelCall) -> CallOutput | BatchCall | _LocalCall | _SearchCall:
        """Return the call to run, or the output that says what is wrong with it."""
        tool = self.find_tool_of(call)
        if tool is None:
            return self._unknown(call)
        if call.is_search:
            return self._prepared_search(call)
        if call.is_in_doubt and not tool.is_safe:
            return CallOutput(IN_DOUBT, has_succeeded=False)
        if (local := self._find_local(tool.name)) is not None:
            return _LocalCall(local, call)
        try:
            text = name_files(engine_arguments(tool, call.arguments_text), self.request.files)
        except ArgumentError as error:
            detail = {"argument": error.argument, "pointer": error.pointer}
            refusal = WireError(code=ErrorCode.INVALID_ARGUMENTS, message=error.message, detail=detail)
            self.services.engine.note_refusal(self._tool_call(call, tool.name, tool.server_id, ""), refusal)
            return _failed(refusal, call.name)
        return self._batch_call(call, tool, text)

    def _prepared_search(self, call: ModelCall) -> CallOutput | _SearchCall:
        assert self.search is not None
        text = self.search.find_arguments(call)
        if not text:
            return CallOutput(NOTHING_SOUGHT, has_succeeded=False)
        return _SearchCall(self.search, self._batch_call(call, self.search.tool, text))

    def _batch_call(self, call: ModelCall, tool: BridgeTool, text: str) -> BatchCall:
        return BatchCall(call.call_id, self._tool_call(call, tool.name, tool.server_id, text))

    def _tool_call(self, call: ModelCall, name: str, server_id: str | None, text: str) -> ToolCall:
        request = self.request
        return ToolCall(
            CallContext(
                request.user_id,
                request.chat_id,
                request.message_id,
                request.turn_id,
                turn_call_id=None if self.is_nested else call.call_id,
                asked_by=f"{request.asked_by}, model {request.model}"[:MAX_ASKED_BY_CHARS],
                caller_id=request.caller_id,
            ),
            name,
            text,
            server_id=server_id,
            options=CallOptions(group=request.turn_id, reading=EARLY_OUTLINES),
            scope=request.scope,
        )

    def _find_local(self, name: str) -> LocalTool | None:
        return next((local for local in self.locals if local.tool.name == name), None)

    def _unknown(self, call: ModelCall) -> CallOutput:
        error = WireError(code=ErrorCode.UNKNOWN_TOOL, message="The model has no tool of this name.")
        self.services.engine.note_refusal(self._tool_call(call, call.name, None, ""), error)
        can_search = "tool_search" if self.search else "run_operation" if _must_search(self.tools) else None
        return CallOutput(unknown_text(call.name, can_search=can_search), has_succeeded=False)

    async def _found(self, wanted: _SearchCall) -> CallOutput:
        """Search as `find_operations` does, and load what it finds beside the tools that are listed."""
        [ended] = await run_batch(self.services.engine, [wanted.call], self.services.limits())
        answered = ended.outcome.answered if ended.outcome else None
        if answered is None or not isinstance(answered.body, TextBody):
            return await self._output(TOOL_SEARCH, ended)
        return await wanted.search.load_found(answered.body.text, {tool.name for tool in self.tools})

    async def _run_batch(self, calls: dict[int, BatchCall], outputs: dict[int, CallOutput]) -> None:
        ended = await run_batch(self.services.engine, list(calls.values()), self.services.limits())
        for (place, wanted), output in zip(calls.items(), ended, strict=True):
            outputs[place] = await self._output(wanted.call.tool_name, output)

    async def _output(self, name: str, ended: BatchOutput) -> CallOutput:
        error = ended.outcome.error if ended.outcome else ended.refusal
        if ended.outcome is None or error is not None:
            assert error is not None
            return _failed(error, name)
        sees = self.settings.sees_images
        return await answer_output(ended.outcome, name, self.services.files, sees_images=sees)


@dataclass(frozen=True, slots=True)
class _LocalCall:
    """A call of a local tool, which no engine runs."""

    local: LocalTool
    call: ModelCall


@dataclass(frozen=True, slots=True)
class _SearchCall:
    """A tool search, and the call of `find_operations` that answers it."""

    search: NativeSearch
    call: BatchCall


async def _note_output(
    running: Awaitable[CallOutput | None], place: int, outputs: dict[int, CallOutput]
) -> None:
    if (output := await running) is not None:
        outputs[place] = output


def _failed(error: WireError, name: str) -> CallOutput:
    is_breaker_open = error.code is ErrorCode.BREAKER_OPEN
    return CallOutput(error_text(error, name), has_succeeded=False, is_breaker_open=is_breaker_open)


_INTERNAL = WireError(
    code=ErrorCode.INTERNAL,
    message="The bridge has a bug; see its log. It is not known whether the call was made.",
)
BUG = _failed(_INTERNAL, "")


def _demands_calls(request: TurnRequest, callers: Sequence[JsonObject]) -> bool:
    choice = request.options.get("tool_choice")
    must_call = choice == "required" or (isinstance(choice, dict) and choice.get("type") in RUN_BY_CALLER)
    return must_call or any(tool.get("type") in RUN_BY_CALLER for tool in callers)


def _cannot_call(model: str) -> BridgeError:
    advice = "Disable tools or choose a model that does."
    message = f"The selected model {quote_text(model)} does not support tools. {advice}"
    return BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"param": "tools", "model": model})
