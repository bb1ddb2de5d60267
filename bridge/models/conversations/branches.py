"""The tree of a conversation's messages: edited or regenerated messages have siblings. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from bridge.models.agent.items import answered_call_id, call_id_of
from bridge.models.conversations.conversation import Message


class Branches:
    """All messages of one conversation, in the order in which they were added."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self._by_id = {message.id: message for message in sorted(messages, key=lambda each: each.seq)}
        self._below: dict[str | None, list[str]] = defaultdict(list)
        for message in self._by_id.values():
            self._below[message.parent_id].append(message.id)

    @property
    def next_seq(self) -> int:
        """Sequence number of the next message that is added."""
        return max((message.seq for message in self._by_id.values()), default=-1) + 1

    @property
    def all(self) -> list[Message]:
        """Every message, in the order in which they were added."""
        return list(self._by_id.values())

    def get_message(self, message_id: str) -> Message | None:
        """Return one message; None when there is none of that id."""
        return self._by_id.get(message_id)

    def path_to(self, leaf_id: str | None) -> list[Message]:
        """Return the messages from the first one to `leaf_id`; above a deleted parent there are none."""
        found: list[Message] = []
        message = self._by_id.get(leaf_id or "")
        while message is not None:
            found.append(message)
            message = self._by_id.get(message.parent_id or "")
        return found[::-1]

    def siblings_of(self, message: Message) -> list[str]:
        """Return the ids of the messages in its place, itself included, oldest first."""
        return list(self._below[message.parent_id])

    def newest_leaf(self, message_id: str) -> str:
        """Return the id of the last message of the newest branch through a message."""
        below = self._below.get(message_id)
        while below:
            message_id = below[-1]
            below = self._below.get(message_id)
        return message_id

    def group_of(self, message: Message) -> list[Message]:
        """Return a message with those that a valid history needs beside it: a call and its outputs.

        Outputs in every branch below the call belong to it.
        """
        calls = self._calls_of(message)
        if calls is None:
            return [message]
        return [calls, *self._outputs_below(calls, {call_id_of(item) for item in calls.items})]

    def outputs_of(self, calls: Message, leaf_id: str | None) -> list[Message]:
        """Return the outputs of a message's calls in the branch that ends at `leaf_id`, in their order."""
        call_ids = {call_id_of(item) for item in calls.items} - {""}
        return [
            message
            for message in self.path_to(leaf_id)
            if message.role == "tool" and any(answered_call_id(item) in call_ids for item in message.items)
        ]

    def with_more(self, messages: Iterable[Message]) -> Branches:
        """Return a copy of the tree with new or changed messages."""
        return Branches([*self._by_id.values(), *messages])

    def remove_messages(self, gone: Set[str], head_id: str | None) -> tuple[list[Message], str | None]:
        """Return the messages that move up when others are deleted, in their new places, and the new head."""
        moved = [
            replace(message, parent_id=self._above(message.parent_id, gone))
            for message in self._by_id.values()
            if message.parent_id in gone and message.id not in gone
        ]
        return moved, self._above(head_id, gone)

    def _above(self, message_id: str | None, gone: Set[str]) -> str | None:
        """Return the id itself, or that of the nearest message above it that stays."""
        while message_id in gone:
            message = self._by_id.get(message_id or "")
            message_id = message.parent_id if message else None
        return message_id

    def _calls_of(self, message: Message) -> Message | None:
        """Return the message whose calls this message makes or answers; None when it does neither."""
        if message.role == "assistant":
            return message if any(call_id_of(item) for item in message.items) else None
        if message.role != "tool":
            return None
        answered = {answered_call_id(item) for item in message.items}
        above = reversed(self.path_to(message.parent_id))
        return next((each for each in above if answered & {call_id_of(item) for item in each.items}), None)

    def _outputs_below(self, message: Message, call_ids: Set[str]) -> Sequence[Message]:
        found: list[Message] = []
        for child_id in self._below[message.id]:
            child = self._by_id[child_id]
            if child.role == "tool" and any(answered_call_id(item) in call_ids for item in child.items):
                found += [child, *self._outputs_below(child, call_ids)]
        return found
