"""The rolling window: the newest messages that a model is sent, calls and their outputs together. Pure.

Tokens are estimated: four characters count as one, plus three for each message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bridge.models.agent.items import (
    SEARCH_OUTPUT,
    Item,
    answered_call_id,
    arguments_text,
    call_id_of,
    message_text,
)
from bridge.models.agent.loop.context_budget import CHARS_PER_TOKEN
from bridge.models.conversations.attachments import (
    MAX_TEXT_CHARS,
    Attachment,
    attachments_of,
    sent_items,
    text_in,
)
from bridge.models.conversations.conversation import Message
from bridge.models.stored_items.items import OWN_TYPES, StoredItem
from toolserver.json_types import dump_json, text_at

TOKENS_PER_MESSAGE = 3
TOKENS_PER_IMAGE = 1000


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a conversation that a model is sent."""

    messages: tuple[Message, ...]
    token_count: int
    """Estimated tokens of all messages."""
    tokens_sent: int
    """Estimated tokens of the messages in the window."""


def select_window(messages: Sequence[Message], *, max_messages: int, max_tokens: int) -> Window:
    """Select the newest messages that fit; the newest one always does.

    An output whose call does not fit is left out as well.
    """
    costs = [tokens_of(message) for message in messages]
    start, sent = len(messages), 0
    while start > 0 and len(messages) - start < max_messages:
        if start < len(messages) and sent + costs[start - 1] > max_tokens:
            break
        start -= 1
        sent += costs[start]
    first = _first_complete(messages, start)
    chosen = tuple(messages[first:])
    return Window(chosen, sum(costs), sent - sum(costs[start:first]))


def build_history(
    user_id: str, messages: Sequence[Message], files: Mapping[str, int] | None = None
) -> tuple[StoredItem, ...]:
    """Return the items of messages in the form that a turn receives.

    `files`: number of the first file of each message that has some (`number_attachments`).
    """
    numbers = files or {}
    return tuple(
        StoredItem(
            id=f"{message.id}-{position}",
            user_id=user_id,
            response_id=message.run_id or message.id,
            position=position,
            side="output" if message.run_id else "input",
            model=message.model,
            payload=item,
            created_at=message.created_at,
            conversation_id=message.conversation_id,
        )
        for message in messages
        for position, item in enumerate(
            sent_items(message, numbers[message.id]) if message.id in numbers else message.items
        )
        if text_at(item, "type") not in OWN_TYPES
    )


def tokens_of(message: Message) -> int:
    """Estimate the tokens of a message."""
    chars = sum(-(-_chars_of(item) // CHARS_PER_TOKEN) for item in message.items)
    if message.role != "user":
        return TOKENS_PER_MESSAGE + chars
    return TOKENS_PER_MESSAGE + chars + sum(_tokens_of_file(file) for file in attachments_of(message))


def _tokens_of_file(file: Attachment) -> int:
    """Estimate the tokens of a file; an image or a document counts as one image of a common size."""
    text = text_in(file)
    return TOKENS_PER_IMAGE if text is None else min(len(text), MAX_TEXT_CHARS) // CHARS_PER_TOKEN


def _first_complete(messages: Sequence[Message], start: int) -> int:
    """Return where the window begins once outputs without their calls are left out."""
    calls = {call_id_of(item) for message in messages[start:] for item in message.items}
    while start < len(messages) and _lacks_call(messages[start], calls):
        start += 1
    return start


def _lacks_call(message: Message, calls: set[str]) -> bool:
    return message.role == "tool" and any(answered_call_id(item) not in calls for item in message.items)


def _chars_of(item: Item) -> int:
    if text_at(item, "type") in OWN_TYPES:
        return 0
    if call_id_of(item):
        return len(text_at(item, "name")) + len(arguments_text(item))
    if answered_call_id(item):
        output = item.get("tools" if item.get("type") == SEARCH_OUTPUT else "output")
        return len(output) if isinstance(output, str) else len(dump_json(output))
    return len(message_text(item))
