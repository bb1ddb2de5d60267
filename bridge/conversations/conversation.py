"""What is kept of a conversation: its settings, its messages, and how its last run stands.

A message holds the items of one speaker verbatim, so that a model is sent again what it said. Times are UTC
seconds since 1970.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from bridge.agent.items import Item
from toolserver.json_types import JsonValue

Role = Literal["user", "assistant", "system", "tool"]

RunState = Literal["running", "completed", "cancelled", "failed", "max_iterations"]

DEFAULT_PROMPT = "You are a helpful AI assistant."
DEFAULT_MAX_TOKENS = 20_000
"""Of messages that a model is sent; see `bridge.conversations.window`."""

DEFAULT_MAX_MESSAGES = 100

MAX_ROUNDS = 10
"""Requests to a model in one run, the closing one included."""


class EnabledTool(NamedTuple):
    """A tool that the conversation may call."""

    server_id: str
    name: str
    """In the catalog of its user."""


@dataclass(frozen=True, slots=True)
class ConversationSettings:
    """What a user chose for a conversation."""

    title: str = ""
    description: str = ""
    system_prompt: str = DEFAULT_PROMPT
    model: str | None = None
    """The callers' name; None: the first one that the bridge lists."""
    max_tokens: int = DEFAULT_MAX_TOKENS
    max_messages: int = DEFAULT_MAX_MESSAGES
    context: tuple[JsonValue, ...] = ()
    """Texts and objects that every prompt holds."""
    tools: tuple[EnabledTool, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """The last turn of a conversation."""

    id: str
    state: RunState


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation of one user."""

    id: str
    user_id: str
    created_at: float
    updated_at: float
    settings: ConversationSettings = field(default_factory=ConversationSettings)
    head_id: str | None = None
    """The last message of the current branch; None while there is none."""
    run: Run | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One message of one conversation."""

    id: str
    conversation_id: str
    parent_id: str | None
    seq: int
    """Ascending in the order in which messages were added."""
    role: Role
    created_at: float
    items: tuple[Item, ...]
    """Of an assistant: all of one round; of a tool: one `function_call_output`."""
    run_id: str | None = None
    """The turn that made it."""
    model: str = ""
    """The callers' name of the model that said it, or called."""
    tool_name: str | None = None
    """Of the output of a call."""
    has_failed: bool = False
    """The call did."""
    duration_ms: float | None = None
    """From the beginning of the call to its end."""
    call_id: str | None = None
    """The bridge's id of the call; None: it never became one, or came from elsewhere."""
    call_state: str | None = None
    """How the call ended, in the words of `bridge.calls`."""


def new_conversation_id() -> str:
    """A fresh id."""
    return f"conv-{secrets.token_hex(8)}"


def new_message_id() -> str:
    """A fresh id."""
    return f"msg-{secrets.token_hex(8)}"


def new_run_id() -> str:
    """A fresh id."""
    return f"run-{secrets.token_hex(8)}"
