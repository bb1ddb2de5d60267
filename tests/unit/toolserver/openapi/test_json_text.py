"""JSON text of foreign documents."""

import json

import pytest

from toolserver.json_types import JsonValue
from toolserver.openapi.json_text import DUPLICATE_KEYS_BYTES, read_json
from toolserver.openapi.source_text import SourceText

PADDING = " " * DUPLICATE_KEYS_BYTES
"""Makes a text large, so that the fast reader takes it."""


def read(text: str) -> tuple[JsonValue, list[str]]:
    return read_json(SourceText(text, max_bytes=10_000_000))


def test_a_small_text_is_looked_through_for_doubled_keys() -> None:
    """The author meant both; one of them is lost."""
    value, warnings = read('{"a": 1, "b": {"c": 1, "c": 2}, "a": 3}')
    assert value == {"a": 3, "b": {"c": 2}}
    assert warnings == [
        "The key 'c' appears twice in one object; the last one counts.",
        "The key 'a' appears twice in one object; the last one counts.",
    ]


@pytest.mark.parametrize("padding", ["", PADDING])
def test_integers_of_any_size_are_exact(padding: str) -> None:
    """Many readers make floats of those beyond 64 bits."""
    written = (-(2**63) - 1, 2**64, 10**30 - 1, int("9" * 4300))
    value, _ = read(f'{{"big": {json.dumps(written)}, "f": 0.5, "many": 1e22{padding}}}')
    assert value == {"big": list(written), "f": 0.5, "many": 1e22}
    assert isinstance(value, dict)
    assert isinstance(value["many"], float)


@pytest.mark.parametrize("padding", ["", PADDING])
def test_a_number_beyond_all_floats_is_infinite_and_not_the_end_of_the_document(padding: str) -> None:
    """As the standard library reads it."""
    assert read(f'{{"most": 1e999{padding}}}')[0] == {"most": float("inf")}


@pytest.mark.parametrize("padding", ["", PADDING])
def test_of_equal_keys_the_last_one_counts(padding: str) -> None:
    """Whichever reader has the text, and where keys are escaped, too."""
    assert read(f'{{"a": 1, "b": 2, "\\u0061": 3{padding}}}')[0] == {"a": 3, "b": 2}


def test_a_large_text_that_is_no_utf8_is_read_with_replacements() -> None:
    """One byte of another encoding in a description costs one character."""
    given = b'{"said": "M\xfcnchen"' + PADDING.encode() + b"}"
    value, _ = read_json(SourceText(given, max_bytes=10_000_000))
    assert value == {"said": "M\N{REPLACEMENT CHARACTER}nchen"}


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


@pytest.mark.parametrize("levels", [100_000, DUPLICATE_KEYS_BYTES + 1])
def test_nesting_without_end_is_an_error_and_no_crash(levels: int) -> None:
    """The stack of the process is not the document's."""
    with pytest.raises(ValueError, match=r"nested|Expecting value"):  # by how deep this Python reads
        read("[" * levels)
