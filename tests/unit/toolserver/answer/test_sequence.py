"""Sequences of JSON, whole and cut."""

import pytest

from toolserver.answer.sequence import complete_items, items_of


@pytest.mark.parametrize(
    ("content_type", "text", "whole"),
    [
        ("application/x-ndjson", "1\n2\n3", "1\n2\n"),
        ("application/json-seq", "\x1e1\n\x1e2", "\x1e1\n"),
        ("text/event-stream", "data: 1\n\ndata: 2\n", "data: 1\n\n"),
        ("text/event-stream", "data: 1\r\n\r\ndata: 2", "data: 1\r\n\r\n"),
        ("text/event-stream", "data: 1", ""),
        ("application/jsonl", "1", ""),
    ],
)
def test_a_cut_sequence_is_whole_up_to_its_last_separator(content_type: str, text: str, whole: str) -> None:
    """What stands behind it may go on; 3 may have been 30."""
    assert complete_items(text, content_type) == whole


def test_one_item_that_is_no_json_makes_the_whole_no_sequence() -> None:
    """A log of mixed lines is read as text rather than in part."""
    assert items_of('{"a":1}\noops\n', "application/jsonl") == []
    assert items_of("data: 1\n\ndata: [DONE]\n\n", "text/event-stream") == [b"1"]
