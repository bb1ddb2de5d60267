"""Planning of a run before it starts: its prompt, its tools, and the call that is repeated first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bridge.calls.request import ToolScope
from bridge.errors import BridgeError, ErrorCode
from bridge.models.agent.items import ModelCall, model_call
from bridge.models.agent.tools.engine_toolbox import EngineToolbox, Toolboxes
from bridge.models.agent.turn import Turn, TurnRequest, TurnSettings
from bridge.models.conversation_runs.context import Retry, RunContext, RunPlan, window_of
from bridge.models.conversations.attachments import number_attachments, references_of
from bridge.models.conversations.branches import Branches
from bridge.models.conversations.conversation import DEFAULT_ROUNDS, Message
from bridge.models.conversations.local_messages import find_unanswered
from bridge.models.conversations.model_parameters import request_options
from bridge.models.conversations.prompt import ListedTool, build_instructions
from bridge.models.conversations.window import Window, build_history
from bridge.models.providers.listed_models import ModelEntry
from toolserver.json_types import text_at
from toolserver.tool.meta_tools import READ_RESULT


class Planner:
    """Turns plans into runs that can be executed."""

    def __init__(self, toolboxes: Toolboxes, settings_of: Callable[[ModelEntry], TurnSettings]) -> None:
        self._toolboxes = toolboxes
        self._settings_of = settings_of

    async def plan_run(self, plan: RunPlan, run_id: str) -> RunContext:
        """Choose what the model is sent first, and which tools and instructions it gets.

        Raises:
            BridgeError: `unknown_tool`, `no_browser`: the call cannot be repeated now.
        """
        chosen, settings = plan.conversation.settings, self._settings_of(plan.entry)
        if settings.rounds_source == "default":
            settings = replace(settings, max_rounds=DEFAULT_ROUNDS)
        window = window_of(plan.conversation, plan.path)
        request = _build_request(plan, run_id, window)
        offered = await self._toolboxes.toolbox_of_turn(request, settings)
        tools = [
            ListedTool(tool.offered_name, text_at(tool.definition, "description")) for tool in offered.tools
        ]
        prompt = build_instructions(chosen.system_prompt, tools, chosen.context)
        return RunContext(
            conversation=plan.conversation,
            known=(*plan.known, *plan.added),
            added=plan.added,
            path=plan.path,
            window=window,
            turn=Turn(
                replace(request, instructions=prompt),
                plan.entry.model,
                settings,
                rounds_before=plan.rounds_before,
            ),
            retry=None if plan.repeated is None else _prepare_retry(plan.repeated, offered, plan),
        )


def _build_request(plan: RunPlan, run_id: str, window: Window) -> TurnRequest:
    conversation = plan.conversation
    names = {tool.name for tool in conversation.settings.tools}
    if names:
        names.add(READ_RESULT.name)  # the next answer may be an outline
    return TurnRequest(
        user_id=conversation.user_id,
        turn_id=run_id,
        model=plan.entry.id,
        input=(),
        history=build_history(conversation.user_id, window.messages, number_attachments(plan.path)),
        files=references_of(plan.path),
        with_tools=bool(names),
        scope=ToolScope(frozenset(names)),
        chat_id=conversation.id,
        asked_by=plan.asker.name,
        caller_id=plan.asker.id,
        options=request_options(conversation.settings.parameters, plan.entry.parameters),
    )


def find_call(branches: Branches, head_id: str | None, tool_call_id: str) -> tuple[Message, ModelCall]:
    """Return a finished call of the current branch, and the message that makes it.

    Raises:
        BridgeError: `not_found`: there is no such call; `invalid_request`: it has not ended.
    """
    path = branches.path_to(head_id)
    calls = [
        (message, call)
        for message in path
        for item in message.items
        if (call := model_call(item)) is not None and call.call_id == tool_call_id
    ]
    if not calls:
        excerpt = tool_call_id[:200]
        raise BridgeError(ErrorCode.NOT_FOUND, f"There is no call '{excerpt}' in the current branch.")
    if any(call.call_id == tool_call_id for call in find_unanswered(path)):
        raise BridgeError(ErrorCode.INVALID_REQUEST, "The call has not ended yet.")
    return calls[-1]


def _prepare_retry(call: ModelCall, toolbox: EngineToolbox, plan: RunPlan) -> Retry:
    """Gather what is needed to repeat a call.

    Raises:
        BridgeError: `no_browser`, `unknown_tool`: the model could not make the call now either.
    """
    if toolbox.absent:
        message = "No bridge page of this user is open. Open it, then try again."
        raise BridgeError(ErrorCode.NO_BROWSER, message, retryable=True)
    if toolbox.find_tool_of(call) is None:
        message = f"Tool '{call.name}' is not enabled in this conversation, or no longer accepted."
        raise BridgeError(ErrorCode.UNKNOWN_TOOL, message, detail={"tool": call.name})
    outputs = Branches(plan.known).outputs_of(plan.path[-1], plan.conversation.head_id)
    return Retry(call, outputs, toolbox)
