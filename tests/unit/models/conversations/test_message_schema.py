"""Messages as the API tells them."""

import json

import pytest

from bridge.models.agent.items import message_item, output_item
from bridge.models.conversations.message_schema import output_text, reasoning_of, text_of
from bridge.models.stored_items.items import NOTICE_TYPE


@pytest.mark.parametrize(
    ("output", "has_failed", "text"),
    [
        ('{"result":3}', False, "3"),
        ('{"result":"x"}', False, "x"),
        ('{"result":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}', False, "ab"),
        ('{"result":[1,2]}', False, "[1,2]"),
        ('{"result":3,"more":4}', False, '{"result":3,"more":4}'),
        ("{broken", False, "{broken"),
        ("tea", False, "tea"),
        ("tea", True, '{"error":"tea"}'),
        ('{"error":{"code":"denied"}}', True, '{"error":{"code":"denied"}}'),
    ],
)
def test_an_output_is_text(output: str, has_failed: bool, text: str) -> None:
    """S3-09: what the wrapping of an answer hides is shown, and failures have one shape."""
    assert output_text(output_item("1", output), has_failed=has_failed) == text


def test_an_output_of_parts_is_the_text_in_them() -> None:
    """Pictures stand beside it."""
    parts = [{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "data:"}]
    item = output_item("1", json.loads(json.dumps(parts)))
    assert output_text(item, has_failed=False) == "a"


def test_all_that_was_said_is_one_text() -> None:
    """Texts, refusals and the bridge's notices in their order; thoughts apart."""
    refusal = {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]}
    notice = {"type": NOTICE_TYPE, "text": "Limit"}
    items = [thought, message_item("assistant", "One."), refusal, notice]
    assert text_of(json.loads(json.dumps(items))) == "One.\n\nNo.\n\nLimit"
    assert reasoning_of(json.loads(json.dumps(items))) == "Hm."
