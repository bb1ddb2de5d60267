"""Request and response bodies of the conversation API."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints

from bridge.errors import WireError
from bridge.http.routing import ApiModel
from bridge.models.conversations.attachments import Attachment
from bridge.models.conversations.conversation import (
    DEFAULT_MAX_MESSAGES,
    DEFAULT_MAX_TOKENS,
    DEFAULT_PROMPT,
    Conversation,
    EnabledTool,
    Run,
    RunState,
)
from bridge.time_format import format_time
from toolserver.json_types import JsonObject

MAX_TITLE_CHARS = 200
MAX_PROMPT_CHARS = 200_000
"""Maximum characters of a system prompt, and of a description."""

MAX_CONTENT_CHARS = 1_000_000
"""Maximum characters of one message."""

MAX_CONTEXT_ITEMS = 100
MAX_TOOLS = 20_000

Text = Annotated[str, StringConstraints(max_length=MAX_CONTENT_CHARS)]
Prompt = Annotated[str, StringConstraints(max_length=MAX_PROMPT_CHARS)]
Title = Annotated[str, StringConstraints(max_length=MAX_TITLE_CHARS)]
ModelName = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TITLE_CHARS)]
MaxTokens = Annotated[int, Field(ge=1, le=10_000_000)]
MaxMessages = Annotated[int, Field(ge=1, le=10_000)]
Context = Annotated[list[str | dict[str, Any]], Field(max_length=MAX_CONTEXT_ITEMS)]


class _Strict(ApiModel):
    """A body in which unknown members are an error."""

    model_config = ConfigDict(extra="forbid")


class ToolName(_Strict):
    """A tool of a server, as `…/tools/available` lists it."""

    server_id: str = Field(max_length=200)
    tool_name: str = Field(max_length=200)

    def as_enabled(self) -> EnabledTool:
        """Return it as the conversation stores it."""
        return EnabledTool(self.server_id, self.tool_name)


class ModelParameters(_Strict):
    """What is set of the model for one conversation; null: as the model has it."""

    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, ge=0, le=1)
    max_output_tokens: int | None = Field(default=None, ge=1, le=10_000_000)
    """Tokens of one answer, reasoning included."""
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None

    def as_stored(self) -> JsonObject:
        """Return what is set."""
        return self.model_dump(exclude_none=True)


class NewConversation(_Strict):
    """A new conversation. `tools`: `accepted` enables all tools that models of this user are offered."""

    title: Title | None = None
    description: Prompt = ""
    system_prompt: Prompt = DEFAULT_PROMPT
    model: ModelName | None = None
    max_tokens: MaxTokens = DEFAULT_MAX_TOKENS
    max_messages: MaxMessages = DEFAULT_MAX_MESSAGES
    context: Context = Field(default_factory=list[str | dict[str, Any]])
    tools: Literal["accepted"] | Annotated[list[ToolName], Field(max_length=MAX_TOOLS)] = Field(
        default_factory=list[ToolName]
    )
    parameters: ModelParameters = Field(default_factory=ModelParameters)


class ConversationChanges(_Strict):
    """Changes to a conversation; null changes nothing, except that null removes `model`."""

    title: Title | None = None
    description: Prompt | None = None
    system_prompt: Prompt | None = None
    model: ModelName | None = None
    max_tokens: MaxTokens | None = None
    max_messages: MaxMessages | None = None
    context: Context | None = None
    head_id: str | None = Field(default=None, max_length=100)
    """A message: its newest branch becomes the current one."""
    parameters: ModelParameters | None = None
    """All of them; what is missing is as the model has it."""
    pinned: bool | float | None = None
    """True: after the other pinned ones; false: not pinned; a number: its place, the smallest first."""


class RunFacts(ApiModel):
    """The last run of a conversation."""

    run_id: str
    state: RunState


class ConversationFacts(ApiModel):
    """A conversation without its messages."""

    id: str
    title: str
    description: str
    system_prompt: str
    model: str | None
    max_tokens: int
    max_messages: int
    context: list[str | dict[str, Any]]
    enabled_tools: list[ToolName]
    head_id: str | None
    """The last message of the current branch."""
    parameters: dict[str, Any]
    """What is set of the model's parameters."""
    pinned: float | None
    """Place among the pinned conversations; null: not pinned."""
    run: RunFacts | None
    created_at: str
    updated_at: str


class ConversationAnswer(ApiModel):
    """One conversation."""

    success: bool = True
    conversation: ConversationFacts


class ConversationList(ApiModel):
    """Conversations, most recently changed first. `next` is the value of `before` for the rest."""

    success: bool = True
    conversations: list[ConversationFacts]
    count: int
    next: float | None


class Done(ApiModel):
    """It is done."""

    success: bool = True
    message: str


class FunctionFacts(ApiModel):
    """A function to call."""

    name: str
    arguments: str
    """JSON text as the model wrote it."""


class ToolCallFacts(ApiModel):
    """A call that the model made."""

    id: str
    type: Literal["function"] = "function"
    function: FunctionFacts


class AttachmentFacts(ApiModel):
    """A file of a message."""

    number: int
    """From 1 on."""
    name: str
    mime: str
    bytes: int


class MessageFacts(ApiModel):
    """A message; members that do not apply to its role are omitted."""

    id: str
    role: Literal["user", "assistant", "system", "tool"]
    content: str | None
    timestamp: str
    parent_id: str | None
    siblings: list[str]
    """Ids of the alternative messages in its place, including itself, oldest first."""
    attachments: list[AttachmentFacts] | None = None
    tool_calls: list[ToolCallFacts] | None = None
    reasoning: str | None = None
    incomplete: bool | None = None
    """Whether the answer was cut off here."""
    tool_call_id: str | None = None
    name: str | None = None
    """Name of the tool."""
    failed: bool | None = None
    """Whether the call failed."""
    duration_ms: float | None = None
    call_id: str | None = None
    """The bridge's id of the call."""
    state: str | None = None
    """How the call ended."""


class MessageList(ApiModel):
    """The messages of the current branch, oldest first."""

    success: bool = True
    messages: list[MessageFacts]
    count: int


class MessageAnswer(ApiModel):
    """One message."""

    success: bool = True
    message: MessageFacts


class MessagesDeleted(ApiModel):
    """Ids of the deleted messages: for a call, also its outputs."""

    success: bool = True
    deleted: list[str]
    message: str


class NewFunction(_Strict):
    """A function to call."""

    name: str = Field(min_length=1, max_length=64)
    arguments: Text = "{}"


class NewToolCall(_Strict):
    """A call in the form of Chat Completions."""

    id: str = Field(min_length=1, max_length=200)
    type: Literal["function"] = "function"
    function: NewFunction


class NewMessage(_Strict):
    """A message to add at the end of the current branch, without asking a model."""

    role: Literal["user", "assistant", "system", "tool"] = "user"
    content: Text | None = None
    tool_calls: list[NewToolCall] | None = Field(default=None, max_length=100)
    tool_call_id: str | None = Field(default=None, max_length=200)
    name: str | None = Field(default=None, max_length=200)


class NewText(_Strict):
    """The new text of a user message."""

    content: Text


class NewAttachment(_Strict):
    """A file of a message."""

    name: str = Field(min_length=1, max_length=200, pattern=r"^[^/\\\x00-\x1f]+$")
    mime: str = Field(default="application/octet-stream", max_length=130, pattern=r"^[\w.+-]+/[\w.+-]+$")
    data: str = Field(repr=False)
    """Content as Base64."""

    def as_attached(self) -> Attachment:
        """Return it as the message stores it."""
        return Attachment(self.name, self.mime.lower(), self.data)


class ChatRequest(_Strict):
    """A user message, or null to get an answer to the last one."""

    content: Text | None = None
    attachments: list[NewAttachment] = Field(default_factory=list[NewAttachment])
    """Files of the message: images, documents and texts for the model, and any file for tools."""
    model: ModelName | None = None
    parent_id: str | None = Field(default=None, max_length=100)
    background: bool = False


class RetryRequest(_Strict):
    """How to wait for the answer to a repeated call."""

    background: bool = False


class ConversationChatAnswer(ApiModel):
    """A run that has ended."""

    success: bool = True
    message: str = "Chat completed successfully"
    user_message: MessageFacts | None
    assistant_message: MessageFacts | None
    """The last message of the model in the run."""
    run_id: str
    state: RunState
    token_count: int
    """Estimated tokens of all messages of the branch when the run began."""
    tokens_sent: int
    messages_in_context: int


class ConversationChatStarted(ApiModel):
    """A run that continues in the background."""

    success: bool = True
    run_id: str
    user_message: MessageFacts | None


class RunStopped(ApiModel):
    """How the stopped run ended; null: none was running."""

    success: bool = True
    run: RunFacts | None
    error: WireError | None = None


class AvailableTool(ApiModel):
    """A tool that can be enabled."""

    server_id: str
    server_slug: str
    """The same as `server_id`."""
    server_name: str
    tool_name: str
    tool_description: str
    enabled: bool


class AvailableTools(ApiModel):
    """What the user has accepted."""

    success: bool = True
    tools: list[AvailableTool]
    count: int


class EnabledTools(ApiModel):
    """What the conversation may call."""

    success: bool = True
    enabled_tools: list[ToolName]
    count: int


def conversation_facts(conversation: Conversation, run: Run | None) -> ConversationFacts:
    """Return a conversation in the form of the API. `run`: from `ConversationRuns.look_at_run`."""
    chosen = conversation.settings
    return ConversationFacts(
        id=conversation.id,
        title=chosen.title,
        description=chosen.description,
        system_prompt=chosen.system_prompt,
        model=chosen.model,
        max_tokens=chosen.max_tokens,
        max_messages=chosen.max_messages,
        context=[item for item in chosen.context if isinstance(item, str | dict)],
        enabled_tools=[ToolName(server_id=tool.server_id, tool_name=tool.name) for tool in chosen.tools],
        head_id=conversation.head_id,
        parameters=dict(chosen.parameters),
        pinned=conversation.pinned,
        run=RunFacts(run_id=run.id, state=run.state) if run else None,
        created_at=format_time(conversation.created_at),
        updated_at=format_time(conversation.updated_at),
    )
