"""Values whose numbers keep their text, and the writer that stops in time."""

import pytest

from toolserver.answer.exact_values import TooLong, read_exact, write_exact


@pytest.mark.parametrize(
    "text",
    [
        "1.10",
        "-0",
        "1e3",
        "9007199254740993",
        "1" * 5000,
        "0.1000",
        "-1E400",
        "[1.0,2.50]",
        '{"a":"ü\\n"}',
        "null",
    ],
    ids=lambda text: text[:20],
)
def test_json_is_written_as_it_was_read(text: str) -> None:
    """Numbers leave with the text that the API sent."""
    assert write_exact(read_exact(text), 10_000).decode() == text


def test_what_is_written_is_counted_before_it_is_kept() -> None:
    """Shared parts cost nothing in memory: these are 2^60 items."""
    value: object = ["x"]
    for _ in range(60):
        value = [value, value]
    with pytest.raises(TooLong):
        write_exact(value, 1000)


@pytest.mark.parametrize("value", ["é" * 60, {"é" * 60: 1}, [1] * 101])
def test_bytes_are_counted_and_not_characters(value: object) -> None:
    """What a caller reads is limited in bytes."""
    with pytest.raises(TooLong):
        write_exact(value, 100)
