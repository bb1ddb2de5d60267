"""JSON text of foreign documents."""

import json

import pytest

from toolserver.json_text import DOUBLED_KEYS_BYTES, is_surely_within, read_json
from toolserver.json_types import JsonValue
from toolserver.source_text import SourceText

PADDING = " " * DOUBLED_KEYS_BYTES
"""Makes a text large, so that the fast reader takes it."""


def read(text: str) -> tuple[JsonValue, list[str]]:
    return read_json(SourceText(text, max_bytes=10_000_000))


def test_a_small_text_is_looked_through_for_doubled_keys() -> None:
    """The author meant both; one of them is lost."""
    value, warnings = read('{"a": 1, "b": {"c": 1, "c": 2}, "a": 3}')
    assert value == {"a": 3, "b": {"c": 2}}
    assert warnings == [
        "The key 'c' stands twice in one object; the last one counts.",
        "The key 'a' stands twice in one object; the last one counts.",
    ]


@pytest.mark.parametrize("padding", ["", PADDING])
def test_integers_of_any_size_are_exact(padding: str) -> None:
    """The fast reader would make floats of them; digits in strings and fractions are no reason to be slow."""
    text = f'{{"big": 123456789012345678901234567890, "id": "00000000000000000000001", "f": 0.5{padding}}}'
    value, _ = read(text)
    assert value == {"big": 123456789012345678901234567890, "id": "0" * 22 + "1", "f": 0.5}
    assert is_surely_within(value, text.encode(), depth=254, nodes=100)


@pytest.mark.parametrize("padding", ["", PADDING])
def test_what_is_not_json_but_common_is_read_with_a_warning(padding: str) -> None:
    """Generators write NaN; readers of JSON refuse the whole document for it."""
    value, warnings = read(f'{{"default": NaN, "most": Infinity{padding}}}')
    assert value == {"default": None, "most": None}
    assert warnings == ["NaN is not a JSON value; it is read as null."]


@pytest.mark.parametrize("padding", ["", PADDING])
def test_half_a_surrogate_pair_becomes_a_question_mark(padding: str) -> None:
    """UTF-8 cannot carry it; whole pairs and escaped backslashes stay what they are."""
    text = r'{"half": "\ud83d!", "whole": "\ud83d\ude00", "slash": "\\ud83d"' + padding + "}"
    assert read(text)[0] == {"half": "?!", "whole": "\N{GRINNING FACE}", "slash": r"\ud83d"}


@pytest.mark.parametrize("padding", ["", PADDING])
def test_what_is_no_json_names_its_place(padding: str) -> None:
    """An author finds the fault by line and column."""
    with pytest.raises(json.JSONDecodeError) as caught:
        read(f'{{"a": 1,\n "b" 2}}{padding}')
    assert (caught.value.lineno, caught.value.colno) == (2, 6)


def test_nesting_without_end_is_an_error_and_no_crash() -> None:
    """The stack of the process is not the document's."""
    with pytest.raises(RecursionError):
        read("[" * 100_000)


@pytest.mark.parametrize(
    ("value", "depth", "nodes", "within"),
    [
        ([[1, 2], {"a": 3}], 254, 100, True),
        ([1] * 200, 254, 150, False),
        ([1], 10, 100, False),
    ],
)
def test_a_value_is_surely_within_limits_or_has_to_be_measured(
    value: JsonValue, depth: int, nodes: int, within: bool
) -> None:
    """A no may only mean that nobody knows yet; a yes is never wrong."""
    encoded = json.dumps(value).encode()
    assert is_surely_within(value, encoded, depth=depth, nodes=nodes) == within


def test_a_value_deeper_than_the_limit_is_never_surely_within() -> None:
    """254 levels are within, 255 are not."""
    for levels, within in ((254, True), (255, False)):
        value: JsonValue = []
        for _ in range(levels - 1):
            value = [value]
        assert is_surely_within(value, json.dumps(value).encode(), depth=254, nodes=10_000) == within
