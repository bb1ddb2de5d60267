"""Messages that no turn produces: the user's, and outputs that calls lacked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from bridge.errors import BridgeError, ErrorCode
from bridge.models.agent.items import Item, ModelCall, message_item
from bridge.models.agent.memory.interrupted_calls import open_calls
from bridge.models.agent.turn import CallEnded
from bridge.models.conversations.attachments import Attachment, with_attachments
from bridge.models.conversations.conversation import Message, Role, new_message_id

MAX_MESSAGES = 20_000
"""Maximum number of messages of one conversation, in all its branches: each run reads them all. Chosen."""


def check_room(known: Collection[Message]) -> None:
    """Refuse to add to a conversation that has enough messages.

    Raises:
        BridgeError: `quota_exceeded`.
    """
    if len(known) >= MAX_MESSAGES:
        message = (
            f"This conversation has {len(known):,} messages in its branches, of which {MAX_MESSAGES:,} are "
            "allowed. Begin another conversation, or delete messages of this one."
        )
        raise BridgeError(ErrorCode.QUOTA_EXCEEDED, message, detail={"limit": MAX_MESSAGES})


def user_message(
    conversation_id: str, content: str, now: float, attachments: Sequence[Attachment] = ()
) -> Message:
    """Build a message of the user, without its place in the tree."""
    item = with_attachments(message_item("user", content), attachments)
    return _message(conversation_id, "user", (item,), now)


def output_message(after: Message, ended: CallEnded, now: float) -> Message:
    """Build the message with the output of a call of `after`, without its place in the tree."""
    made = _message(after.conversation_id, "tool", (ended.output,), now)
    return replace(
        made,
        run_id=after.run_id,
        model=after.model,
        tool_name=ended.call.name,
        has_failed=not ended.has_succeeded,
    )


def in_a_row(messages: Sequence[Message], parent_id: str | None, next_seq: int) -> list[Message]:
    """Return the messages chained below `parent_id`, one after the other."""
    placed: list[Message] = []
    for message in messages:
        placed.append(replace(message, parent_id=parent_id, seq=next_seq + len(placed)))
        parent_id = message.id
    return placed


def find_unanswered(path: Sequence[Message]) -> list[ModelCall]:
    """Return the calls of a branch that have no output, in order."""
    return open_calls([item for message in path for item in message.items])


def _message(conversation_id: str, role: Role, items: tuple[Item, ...], now: float) -> Message:
    return Message(new_message_id(), conversation_id, None, 0, role, now, items)
