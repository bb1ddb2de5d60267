"""Conversations of tests: messages in a row, of few words."""

from dataclasses import replace

from bridge.models.agent.items import Item, message_item, output_item
from bridge.models.conversations.conversation import Message

CONVERSATION = "conv-1"


def text_message(
    name: str, text: str, *, by: str = "user", after: str | None = None, seq: int = 0
) -> Message:
    """A text of the user or of an assistant."""
    item = message_item("assistant" if by == "assistant" else "user", text)
    role = "assistant" if by == "assistant" else "user"
    return Message(name, CONVERSATION, after, seq, role, 1.0, (item,))


def call_message(name: str, *call_ids: str, after: str | None = None, seq: int = 0) -> Message:
    """An assistant that only calls."""
    items: list[Item] = [
        {"type": "function_call", "call_id": call_id, "name": "look", "arguments": "{}"}
        for call_id in call_ids
    ]
    return Message(name, CONVERSATION, after, seq, "assistant", 1.0, tuple(items), run_id="run-1")


def output_message(
    name: str, call_id: str, text: str = "tea", *, after: str | None = None, seq: int = 0
) -> Message:
    """The output of one of its calls."""
    items = (output_item(call_id, "tea"),)
    return Message(name, CONVERSATION, after, seq, "tool", 1.0, items, tool_name="look")


def chain_messages(*messages: Message) -> list[Message]:
    """Each below the one before."""
    placed: list[Message] = []
    for message in messages:
        parent_id = placed[-1].id if placed else None
        placed.append(replace(message, parent_id=parent_id, seq=len(placed)))
    return placed
