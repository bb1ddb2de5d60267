"""Long texts taken out of request bodies."""

import json

import orjson
import pytest

from bridge.documents.bodies import LONG_TEXT_CHARS, split_body

LONG = "x" * LONG_TEXT_CHARS


@pytest.mark.parametrize(
    "body",
    [
        {"text": LONG, "source_url": None},
        {"text": "short", "texts": {"http://a.example": LONG, "http://b.example": "b"}},
        {"text": [LONG]},
        [LONG],
        LONG,
        {},
    ],
)
def test_a_split_body_is_whole_again(body: object) -> None:
    """Whatever a client sends is judged by the model of its route, and only there."""
    split = split_body(json.dumps(body).encode())
    assert split.whole(split.members) == body


def test_what_is_left_of_a_document_is_short() -> None:
    """Only that is parsed on the event loop."""
    split = split_body(json.dumps({"text": LONG * 9, "texts": {"a": LONG}}).encode())
    assert len(orjson.dumps(split.members)) < 150
    assert sorted(map(len, split.texts.values())) == [len(LONG), len(LONG) * 9]


def test_a_body_that_is_not_json_is_refused() -> None:
    """As every other body, with the reader's words."""
    with pytest.raises(orjson.JSONDecodeError):
        split_body(b"{")
