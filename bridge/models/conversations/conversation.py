"""Stored form of a conversation: its settings, its messages, and the state of its last run.

A message holds the items of one speaker verbatim, so that a model is sent exactly what it said. Times are UTC
seconds since 1970.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from bridge.models.agent.items import Item
from toolserver.json_types import JsonObject, JsonValue

Role = Literal["user", "assistant", "system", "tool"]

RunState = Literal["running", "completed", "cancelled", "failed", "max_iterations"]

DEFAULT_PROMPT = "You are a helpful AI assistant."
DEFAULT_MAX_TOKENS = 20_000
"""Default maximum of tokens of messages that a model is sent; see `bridge.models.conversations.window`."""

DEFAULT_MAX_MESSAGES = 100

DEFAULT_ROUNDS = 9
"""Default maximum number of rounds of one run: with the closing request a model is asked ten times. Applies
unless the operator has set the limit of rounds, or that of the model."""

MAX_TITLE_CHARS = 80
"""Maximum characters of a title made from the first message of the user."""


class EnabledTool(NamedTuple):
    """A tool that the conversation may call."""

    server_id: str
    name: str
    """Name of the tool in the user's catalog."""


@dataclass(frozen=True, slots=True)
class ConversationSettings:
    """A user's choices for a conversation."""

    title: str = ""
    description: str = ""
    system_prompt: str = DEFAULT_PROMPT
    model: str | None = None
    """Model name as callers use it; None: the first model that the bridge lists."""
    max_tokens: int = DEFAULT_MAX_TOKENS
    max_messages: int = DEFAULT_MAX_MESSAGES
    context: tuple[JsonValue, ...] = ()
    """Texts and objects that every prompt contains."""
    tools: tuple[EnabledTool, ...] = ()
    parameters: JsonObject = field(default_factory=dict[str, JsonValue])
    """Of the model, as `bridge.models.conversations.model_parameters` names them; missing: as the model has
    it."""


@dataclass(frozen=True, slots=True)
class Run:
    """The last turn of a conversation."""

    id: str
    state: RunState
    is_moving: bool = False
    """Whether it is running and its user's home has given it up between two rounds, for the next home."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation of one user."""

    id: str
    user_id: str
    created_at: float
    updated_at: float
    settings: ConversationSettings = field(default_factory=ConversationSettings)
    head_id: str | None = None
    """Id of the last message of the current branch; None while there is none."""
    run: Run | None = None
    pinned: float | None = None
    """Its place among the pinned conversations of its user, the smallest first; None: not pinned."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of one conversation."""

    id: str
    conversation_id: str
    parent_id: str | None
    seq: int
    """Sequence number: ascending in the order in which messages were added."""
    role: Role
    created_at: float
    items: tuple[Item, ...]
    """An assistant's message has all items of one round; a tool's has one `function_call_output`."""
    run_id: str | None = None
    """Id of the turn that made the message; None: no turn did."""
    model: str = ""
    """Name, as callers use it, of the model that wrote the message or made the call."""
    tool_name: str | None = None
    """Name of the tool; only for the output of a call."""
    has_failed: bool = False
    """Whether the call failed."""
    duration_ms: float | None = None
    """Milliseconds from the beginning of the call's request to its end, without the waits for slot and user;
    None: it never began, or is not known."""
    call_id: str | None = None
    """The bridge's id of the call; None: it never became one, or came from elsewhere."""
    call_state: str | None = None
    """How the call ended, as a state of `bridge.calls.state_machine`."""


def title_of(content: str) -> str:
    """Return a title for a conversation that has none, from the user's first message."""
    first = " ".join(content.split())
    return first if len(first) <= MAX_TITLE_CHARS else first[: MAX_TITLE_CHARS - 1] + "…"


def new_conversation_id() -> str:
    """Create a random id for a conversation."""
    return f"conv-{secrets.token_hex(8)}"


def new_message_id() -> str:
    """Create a random id for a message."""
    return f"msg-{secrets.token_hex(8)}"


def new_run_id() -> str:
    """Create a random id for a run."""
    return f"run-{secrets.token_hex(8)}"
