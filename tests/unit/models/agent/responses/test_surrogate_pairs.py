"""Halves of characters that a provider put into two deltas."""

from hypothesis import given
from hypothesis import strategies as st

from bridge.models.agent.responses.surrogate_pairs import SurrogateJoiner
from toolserver.json_types import JsonObject


def delta(text: str, item_id: str = "msg_1") -> JsonObject:
    return {"type": "response.output_text.delta", "item_id": item_id, "content_index": 0, "delta": text}


def texts(events: list[JsonObject]) -> list[object]:
    return [event["delta"] for event in SurrogateJoiner().join_pairs(events)]


def test_a_pair_that_is_split_over_two_deltas_comes_whole() -> None:
    """S0-155: half a pair has no UTF-8 form; it would break the answer's stream."""
    assert texts([delta("a\ud83d"), delta("\ude00b")]) == ["a", "😀b"]
    assert texts([delta("\ud83d"), delta("\ude00")]) == ["😀"]


def test_halves_of_two_texts_do_not_meet() -> None:
    """S0-155: parallel items come interleaved."""
    events = [
        delta("\ud83d", "msg_1"),
        delta("\ud83c", "msg_2"),
        delta("\udf89", "msg_2"),
        delta("\ude00", "msg_1"),
    ]
    assert texts(events) == ["🎉", "😀"]


def test_a_half_without_the_other_becomes_a_replacement() -> None:
    """S0-155: something must be sent that every client can read."""
    assert texts([delta("a\ud83d"), delta("b")]) == ["a", "\ufffdb"]
    assert texts([delta("\ude00b")]) == ["\ufffdb"]
    done: JsonObject = {"type": "response.output_text.done", "text": "a\ud83d\ude00\ud83d"}
    [whole] = SurrogateJoiner().join_pairs([done])
    assert whole["text"] == "a😀\ufffd"


def test_events_without_halves_are_passed_on_as_they_are() -> None:
    """Nearly all of them; they are neither copied nor changed."""
    event = delta("Grüße 👋🏽 1" + "0" * 30)
    [passed] = SurrogateJoiner().join_pairs([event])
    assert passed is event
    numbers: JsonObject = {"type": "response.completed", "n": 10**30, "x": 1.0, "none": None}
    assert list(SurrogateJoiner().join_pairs([numbers])) == [numbers]


@given(st.text(st.characters(exclude_categories=["Cs"])), st.lists(st.integers(min_value=1, max_value=4)))
def test_text_cut_between_any_two_code_units_is_whole_again(text: str, sizes: list[int]) -> None:
    """S0-155: JavaScript cuts strings between UTF-16 units, so providers do."""
    units = halves(text)
    pieces: list[str] = []
    for size in sizes:
        pieces.append(units[:size])
        units = units[size:]
    events = [delta(piece) for piece in [*pieces, units] if piece]
    assert "".join(str(part) for part in texts(events)) == text


def halves(text: str) -> str:
    """Every character outside of the Basic Multilingual Plane as two."""
    units = text.encode("utf-16-be")
    return "".join(chr(int.from_bytes(units[at : at + 2], "big")) for at in range(0, len(units), 2))
