"""Events as bytes, cut where a listener stopped."""

from hypothesis import given
from hypothesis import strategies as st

from bridge.endpoints.openai.responses_api.event_log import bodies_of, count_of, select_newer
from toolserver.json_types import JsonObject, dump_json


def frames(first: int, texts: list[str]) -> bytes:
    bodies: list[JsonObject] = [
        {"type": "response.output_text.delta", "sequence_number": first + place, "delta": text}
        for place, text in enumerate(texts)
    ]
    return b"".join(b"event: x\ndata: %b\n\n" % dump_json(body) for body in bodies)


@given(
    first=st.integers(0, 2_000_000),
    texts=st.lists(st.text(max_size=8), min_size=1, max_size=8),
    seen=st.integers(-3, 12),
)
def test_a_listener_gets_exactly_the_events_behind_those_it_has_had(
    first: int, texts: list[str], seen: int
) -> None:
    """A reconnecting client sees each event once, whatever texts they carry."""
    whole = frames(first, texts)
    assert count_of(whole) == len(texts)
    rest = list(bodies_of([select_newer(first, whole, first + seen)]))
    assert [body["delta"] for body in rest] == texts[max(0, seen + 1) :]
    assert [body["sequence_number"] for body in rest] == [
        first + place for place in range(len(texts)) if place > seen
    ]
