"""Requests with more values than can be read while others wait."""

from time import process_time
from typing import Any

import pytest

from bridge.models.agent.chat_completions.request_parser import parse_chat_request
from bridge.models.agent.request_fields import MAX_VALUES, InvalidRequest
from bridge.models.agent.responses.request_parser import parse_responses_request

HELLO: dict[str, Any] = {"role": "user", "content": "Hi"}
CALL: dict[str, Any] = {"id": "c", "type": "function", "function": {"name": "n", "arguments": "{}"}}
TOOL: dict[str, Any] = {"type": "function", "function": {"name": "n"}}

CHATS: list[dict[str, Any]] = [
    {"messages": [HELLO] * 300_000},
    {"messages": [HELLO, {"role": "assistant", "content": None, "tool_calls": [CALL] * 100_000}]},
    {"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}] * 200_000}]},
    {"messages": [HELLO], "tools": [TOOL] * 100_000},
    {"messages": [HELLO], "metadata": dict.fromkeys(map(str, range(MAX_VALUES)), "x")},
]


@pytest.mark.parametrize("chat", CHATS)
def test_a_request_of_too_many_values_is_refused_at_once(chat: dict[str, Any]) -> None:
    """300,000 messages of two bytes are 12 MB, and kept everybody waiting for 18 s."""
    for parse in (parse_chat_request, parse_responses_request):
        began = process_time()
        with pytest.raises(InvalidRequest) as refused:
            parse({"model": "m", **chat})
        assert (refused.value.code, refused.value.param) == ("invalid_value", None)
        assert "more than 200,000 values" in refused.value.message
        assert process_time() - began < 2


def test_long_chats_and_large_images_are_no_such_requests() -> None:
    """A thousand rounds with calls, and as many bytes of images as a request may have."""
    said: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    rounds: list[Any] = [HELLO, said, {"role": "tool", "tool_call_id": "c", "content": "x"}] * 1_000
    image: dict[str, Any] = {
        "type": "image_url",
        "image_url": {"url": "data:image/png;base64," + "A" * 32_000_000},
    }
    messages: list[Any] = [*rounds, {"role": "user", "content": [image]}]
    request = parse_chat_request({"model": "m", "messages": messages})
    assert len(request.input) == 3_001
