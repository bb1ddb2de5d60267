"""Server-sent events, however the network cuts them."""

import itertools
import json
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bridge.models.providers.event_decoder import MAX_EVENT_BYTES, EventDecoder, load_event

LINE_ENDS = (b"\n", b"\r\n", b"\r")


def decoded(pieces: Sequence[bytes]) -> list[bytes]:
    decoder = EventDecoder()
    return [data for piece in pieces for data in decoder.read_bytes(piece)]


def cut(stream: bytes, places: Sequence[int]) -> list[bytes]:
    bounds = [0, *sorted(place % (len(stream) + 1) for place in places), len(stream)]
    return [stream[begin:end] for begin, end in itertools.pairwise(bounds)]


TEXTS = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), min_size=1)


@example([["a"], ["b"]], b"\r\n", [len(b": comment\r"), len(b": comment\r")])  # nothing between CR and LF
@given(
    st.lists(st.lists(TEXTS, min_size=1, max_size=3), max_size=5),
    st.sampled_from(LINE_ENDS),
    st.lists(st.integers(0, 10_000), max_size=20),
)
def test_events_are_the_same_wherever_a_stream_is_cut(
    events: list[list[str]], line_end: bytes, places: list[int]
) -> None:
    """The network cuts where it likes, also between CR and LF, and within a character."""
    lines: list[bytes] = []
    for event in events:
        lines += [b": comment", b"event: x", *(b"data: " + line.encode() for line in event), b"id: 1", b""]
    stream = b"".join(line + line_end for line in lines)
    assert decoded(cut(stream, places)) == ["\n".join(event).encode() for event in events]


@pytest.mark.parametrize("line_end", LINE_ENDS)
def test_an_event_is_told_as_soon_as_its_last_line_has_come(line_end: bytes) -> None:
    """A delta that waits for the next one would come late."""
    decoder = EventDecoder()
    assert decoder.read_bytes(b"data: a" + line_end + line_end) == [b"a"]
    assert decoder.read_bytes(b"data: b" + line_end) == []
    assert decoder.read_bytes(line_end) == [b"b"]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data:a\n\n", [b"a"]),
        (b"data:  a\n\n", [b" a"]),
        (b"data\n\n", []),
        (b"database: a\n\n", []),
        (b"event: a\n\n\n\n: hello\n\n", []),
        (b"\n\ndata: a\n\n\ndata: b\n\n", [b"a", b"b"]),
        (b"data: a\n", []),
        (b"retry: 1\ndata: a\ndata: b\n\n", [b"a\nb"]),
    ],
)
def test_fields_are_read_as_the_standard_says(stream: bytes, events: list[bytes]) -> None:
    """WHATWG HTML, 9.2.6: one space is left out, and an event without data is none."""
    assert decoded([stream]) == events


def test_an_event_without_an_end_does_not_fill_the_memory() -> None:
    """Users name providers, too."""
    decoder = EventDecoder()
    for _ in range(MAX_EVENT_BYTES // 2**20):
        decoder.read_bytes(b"x" * 2**20)
    with pytest.raises(ValueError, match="an event of more than"):
        decoder.read_bytes(b"x")


@pytest.mark.parametrize(
    "text",
    ['{"a": 123456789012345678901234567890, "b": [0.1, -0.0, 1e5, null]}', '{"a": "\\ud83d"}', "NaN", '"é"'],
)
def test_values_are_read_exactly(text: str) -> None:
    """What a model said goes back to it as it came."""
    assert repr(load_event(text.encode())) == repr(json.loads(text))


@pytest.mark.parametrize("data", [b"{broken", b"\xff", b"[" * 100_000])
def test_what_is_not_json_is_an_error(data: bytes) -> None:
    """Whoever asked reads what it is instead."""
    with pytest.raises(ValueError, match=r"Expecting|nested|utf-8"):
        load_event(data)
