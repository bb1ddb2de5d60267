"""Texts of errors."""

from toolserver.errors import ArgumentError, DocumentError, limit_warnings, quote_text


def test_foreign_text_in_messages_is_quoted_and_short() -> None:
    """A name of a megabyte must not become a warning of a megabyte for each of 20,000 operations."""
    assert quote_text("a\nb") == "'a\\nb'"
    assert quote_text("x" * 200) == f"'{'x' * 200}'"
    assert quote_text("x" * 201) == f"'{'x' * 199}…'"


def test_warnings_beyond_a_limit_are_told_by_their_number() -> None:
    """What a limit leaves out must not be left out in silence."""
    assert limit_warnings(["a", "b", "a"], 2) == ("a", "b")
    assert limit_warnings(map(str, range(1_100)), 2) == ("0", "1", "and at least 1,098 more of this kind")


def test_errors_carry_what_a_caller_needs_beside_their_text() -> None:
    """The edge turns code, message and place into its answer without parsing text."""
    document = DocumentError("too_deep", "Too deep.", pointer="#/a")
    assert (str(document), document.code, document.message, document.pointer) == (
        "Too deep.",
        "too_deep",
        "Too deep.",
        "#/a",
    )
    argument = ArgumentError("Wrong.", argument="a", pointer="/0")
    assert (str(argument), argument.message, argument.argument, argument.pointer) == (
        "Wrong.",
        "Wrong.",
        "a",
        "/0",
    )
