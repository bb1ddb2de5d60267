"""Conversations as lines of an export."""

import json
from dataclasses import replace
from typing import Any

import pytest

from bridge.models.conversations.conversation import Conversation, ConversationSettings, EnabledTool, Run
from bridge.models.conversations.export import conversation_line, read_conversation
from bridge.models.stored_items.export import BadExport
from tests.support.conversation_messages import (
    CONVERSATION,
    call_message,
    chain_messages,
    output_message,
    text_message,
)

SETTINGS = ConversationSettings(
    "Tea", "About", "Be brief.", "small", 500, 5, ("spring", {"a": 1}), (EnabledTool("s", "t"),)
)
WHOLE = Conversation(CONVERSATION, "ann", 1.0, 2.0, SETTINGS, "o", Run("run-1", "completed"))
MESSAGES = chain_messages(
    text_message("q", "?"),
    call_message("c", "1"),
    replace(output_message("o", "1"), duration_ms=1.5, has_failed=True),
)

M: dict[str, Any] = {"id": "m", "seq": 0, "role": "user", "created_at": 1, "content": {}}


def facts() -> dict[str, Any]:
    return json.loads(conversation_line(WHOLE, MESSAGES))


def test_what_is_exported_is_read_in_again() -> None:
    """By another user of another bridge: everything but the owner and the run, which is over."""
    conversation, messages = read_conversation(facts(), "bob")
    assert conversation == replace(WHOLE, user_id="bob", run=None)
    assert messages == MESSAGES


BROKEN: list[dict[str, Any]] = [
    {"id": ""},
    {"id": "x" * 41},
    {"created_at": "now"},
    {"settings": []},
    {"messages": [5]},
    {"messages": [{**M, "seq": -1}]},
    {"messages": [{**M, "role": "boss"}]},
    {"messages": [M, M]},
    {"messages": [{**M, "parent_id": "x" * 41}]},
]


@pytest.mark.parametrize("change", BROKEN)
def test_what_is_no_conversation_is_refused(change: dict[str, Any]) -> None:
    """Nothing of such a file is believed."""
    with pytest.raises(BadExport):
        read_conversation({**facts(), **change}, "bob")
