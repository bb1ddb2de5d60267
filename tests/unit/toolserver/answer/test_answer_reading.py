"""What an answer's text is read as when it is queried."""

import pytest

from toolserver.answer.answer_reading import NotJson, read_answer
from toolserver.answer.exact_values import write_exact

_EVENTS = 'event: add\ndata: {"n":1}\n\nevent: add\ndata: {"n":2}\n\n'


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a":1.10}', '{"a":1.10}'),
        ("\ufeff [1]\n", "[1]"),
        ('{"n":1}\n{"n":2}', '{"items":[{"n":1},{"n":2}]}'),
        (_EVENTS, '{"items":[{"event":"add","data":{"n":1}},{"event":"add","data":{"n":2}}]}'),
        ('[NaN,"\\ud83d"]', '["NaN","\ufffd"]'),
    ],
    ids=["object", "array", "lines", "events", "what JSON lacks"],
)
def test_a_whole_answer_is_read_whole(text: str, value: str) -> None:
    """A stored answer has no content type: the text tells what it is."""
    read = read_answer(text)
    assert write_exact(read.value, 1000).decode() == value
    assert read.complete


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"rows":[{"n":1},{"n":2},{"n":3', '{"rows":[{"n":1},{"n":2}]}'),
        ('{"n":1}\n{"n":2}\n{"n":', '{"items":[{"n":1},{"n":2}]}'),
        (
            _EVENTS + 'event: add\ndata: {"n"',
            '{"items":[{"event":"add","data":{"n":1}},{"event":"add","data":{"n":2}}]}',
        ),
    ],
    ids=["array", "lines", "events"],
)
def test_a_cut_answer_has_its_whole_items_and_is_not_complete(text: str, value: str) -> None:
    """An item of which only a part came could be taken for another one."""
    read = read_answer(text)
    assert write_exact(read.value, 1000).decode() == value
    assert not read.complete


def test_a_sequence_that_is_known_to_be_cut_is_not_complete_where_a_line_ends() -> None:
    """A stream that the deadline ended was most likely cut between two events."""
    assert not read_answer('{"n":1}\n{"n":2}\n', "application/x-ndjson", is_cut=True).complete


@pytest.mark.parametrize(
    "text", ["id,name\n1,tea", "<html></html>", "", '{"a": 1', "[[[[[", "data: no json\n\n"]
)
def test_what_is_not_json_says_so(text: str) -> None:
    """Else a model would take nothing selected for nothing there."""
    with pytest.raises(NotJson):
        read_answer(text)
