"""Converts messages that a client writes itself into items, refusing what would break a history. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bridge.errors import BridgeError, ErrorCode
from bridge.models.agent.items import Item, ModelCall, message_item, output_item
from bridge.models.conversations.conversation import Message, Role, new_message_id
from bridge.models.conversations.local_messages import find_unanswered


@dataclass(frozen=True, slots=True)
class ClientToolCall:
    """A tool call as a client writes it."""

    id: str
    name: str
    arguments_text: str


@dataclass(frozen=True, slots=True)
class ClientMessage:
    """A message as a client writes it."""

    role: Role
    content: str | None = None
    calls: Sequence[ClientToolCall] = ()
    tool_call_id: str | None = None
    name: str | None = None


def message_of(conversation_id: str, written: ClientMessage, path: Sequence[Message], now: float) -> Message:
    """Build the message, without its place in the tree. `path`: the messages before it.

    Raises:
        BridgeError: `invalid_request`, naming the field at fault: something is missing, or the message would
            stand between a call and its output.
    """
    if written.role != "assistant" and written.calls:
        raise _wrong("tool_calls", "Only an assistant message may have calls.")
    if written.role != "tool" and written.tool_call_id is not None:
        raise _wrong("tool_call_id", "Only a tool message may have one.")
    open_ = {call.call_id: call for call in find_unanswered(path)}
    if written.role == "tool":
        return _output(conversation_id, written, open_, now)
    if open_:
        raise _wrong("role", f"The calls {', '.join(open_)} have no output yet: add their outputs first.")
    items = _items(written)
    return Message(new_message_id(), conversation_id, None, 0, written.role, now, items)


def _items(written: ClientMessage) -> tuple[Item, ...]:
    if written.content is None and not written.calls:
        raise _wrong("content", "A text is missing.")
    role = "assistant" if written.role == "assistant" else "system" if written.role == "system" else "user"
    said = [] if written.content is None else [message_item(role, written.content)]
    ids = [call.id for call in written.calls]
    if len(set(ids)) < len(ids):
        raise _wrong("tool_calls", "Two calls have the same id.")
    calls: list[Item] = [
        {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments_text}
        for call in written.calls
    ]
    return (*said, *calls)


def _output(conversation_id: str, written: ClientMessage, open_: dict[str, ModelCall], now: float) -> Message:
    call = open_.get(written.tool_call_id or "")
    if call is None:
        raise _wrong("tool_call_id", "No call with that id awaits its output at the end of this branch.")
    if written.content is None:
        raise _wrong("content", "A text is missing.")
    items = (output_item(call.call_id, written.content),)
    message = Message(new_message_id(), conversation_id, None, 0, "tool", now, items)
    return replace(message, tool_name=written.name or call.name)


def _wrong(field: str, message: str) -> BridgeError:
    return BridgeError(ErrorCode.INVALID_REQUEST, f"{field}: {message}", detail={"field": field})
