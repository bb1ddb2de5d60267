"""Constraints in words."""

import pytest

from toolserver.json_types import JsonObject, JsonValue
from toolserver.schema.hints import (
    clean_text,
    describe_choice,
    describe_constraints,
    join_sentences,
    read_choice,
    value_text,
)

DASH = "\N{EN DASH}"


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ({"type": "string"}, ""),
        ({"enum": ["a", "b", None]}, "One of: a, b."),
        ({"enum": ["a"]}, "Must be: a."),
        ({"enum": [None]}, ""),
        ({"enum": ["a, b", "", " c", 1, True]}, 'One of: "a, b", "", " c", 1, true.'),
        ({"default": None}, "Default: null."),
        ({"default": {"a": [1]}}, 'Default: {"a": [1]}.'),
        ({"default": "x" * 300}, ""),
        ({"minimum": 1}, "Value >= 1."),
        ({"maximum": 1.5}, "Value <= 1.5."),
        ({"minimum": -5, "maximum": 5}, f"Value -5{DASH}5."),
        (
            {"exclusiveMinimum": 0, "exclusiveMaximum": 9, "multipleOf": 3},
            "Value > 0. Value < 9. Multiple of 3.",
        ),
        ({"minLength": 4, "maxLength": 4}, "Length 4."),
        ({"maxLength": 39}, f"Length 0{DASH}39."),
        ({"minItems": 1}, "Number of items >= 1."),
        ({"maxProperties": 2}, f"Number of keys 0{DASH}2."),
        ({"pattern": "^a$", "format": "date"}, "Pattern: `^a$`. Format: date."),
        ({"pattern": "x" * 201, "format": "int32"}, ""),
        ({"uniqueItems": True, "deprecated": True}, "No item twice. Deprecated."),
        ({"examples": ["x", "y"]}, "Example: x."),
        ({"examples": ["x" * 300]}, ""),
    ],
)
def test_constraints_are_said_in_words(node: JsonObject, expected: str) -> None:
    """For a reader that keeps types and descriptions only, these are all there is."""
    assert describe_constraints(node) == expected


def test_a_long_list_of_values_ends_with_their_number() -> None:
    """Twenty thousand values would fill a chat; the whole list stays as a keyword."""
    values: list[JsonValue] = [f"value{index}" for index in range(1_000)]
    text = describe_constraints({"enum": values})
    assert text.startswith("One of: value0, value1, ")
    assert text.endswith(", … (1000 values).")
    assert len(text) < 2_050


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  a\r\nb\rc ", "a\nb\nc"),
        ("a\u200bb\u202ec\u2066d\ufeffe\x00f\x1b\x7f", "abcdef"),
        ("a\U000e0041\U000e0100\ufe0f\u00ad\u3164", "a"),
        ("a\ud800b", "ab"),
        ("tab\tstays, 日本語 and émoji 🎉 too", "tab\tstays, 日本語 and émoji 🎉 too"),
    ],
)
def test_text_keeps_what_a_person_can_see(text: str, expected: str) -> None:
    """What cannot be seen when a tool is accepted must not reach the model, which can read it."""
    assert clean_text(text) == expected


def test_text_is_cut_with_an_ellipsis() -> None:
    """A reader must see that something is missing."""
    assert clean_text("word " * 10, limit=12) == "word word w…"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("", ""), ""),
        (("One", "Two."), "One. Two."),
        (("One!", "", "Two."), "One! Two."),
        (("One\n- item", "Two."), "One\n- item\nTwo."),
    ],
)
def test_sentences_are_joined_as_a_person_would(texts: tuple[str, ...], expected: str) -> None:
    """A sentence glued to a list or to an open end reads as a part of it."""
    assert join_sentences(*texts) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("plain words", "plain words"),
        ("a.", '"a."'),
        ("", '""'),
        (1.5, "1.5"),
        ("é", "é"),
        ("a\nb", '"a\\nb"'),
    ],
)
def test_values_are_quoted_only_where_they_could_be_misread(value: JsonValue, expected: str) -> None:
    """A model copies what it reads, quotation marks included."""
    assert value_text(value) == expected


@pytest.mark.parametrize("exclusive", [True, False])
def test_a_choice_of_names_is_read_as_it_was_told(exclusive: bool) -> None:
    """Between other sentences; what is cut is not read, nor what only looks alike."""
    forms = [["a"], ["b.c", "d e"], ["f"]]
    told = describe_choice(forms, exclusive=exclusive)
    assert read_choice(f"A form. {told} May be null.") == (forms, exclusive)
    assert read_choice(told[:-3] + "…") is None
    assert read_choice("Needs at least one of: these.") is None
