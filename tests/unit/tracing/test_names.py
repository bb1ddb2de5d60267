"""What is said of traces in the documentation and in the declarations is the same, and complete."""

from bridge.tracing.names import ATTRIBUTES, SPANS


def test_every_attribute_of_a_span_has_a_meaning_and_every_meaning_a_span() -> None:
    """The tables of docs/reference/traces.md are made of both."""
    used = {name for span in SPANS for name in span.attributes}
    assert used == set(ATTRIBUTES)
    assert len({span.title for span in SPANS}) == len(SPANS)
