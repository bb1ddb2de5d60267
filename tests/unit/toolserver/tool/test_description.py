"""Descriptions for readers that take little: what is kept, and where they are cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.compiled import document_text, tools_of
from tests.support.examples import examples
from toolserver.json_types import JsonObject
from toolserver.tool.description import shorten_description

PROSE = "The pet is moved to its new home. Its papers follow within a week. " * 30
FURTHER = "Further properties are sent in the body as they are."
NOTES = f"Deprecated.\n\nBody: A move. Needs at least one of: `to`; `via`.\n\n{FURTHER}"


def test_what_fits_is_not_touched() -> None:
    """Finding W-40: most descriptions are short."""
    assert shorten_description("Lists pets.", 11) == "Lists pets."


def test_the_summary_comes_first_and_notes_about_the_body_stay_before_the_prose() -> None:
    """Finding O-5: a rule of the body stands nowhere else, while prose can be guessed."""
    short = shorten_description(f"Moves a pet.\n\n{PROSE}\n\n{NOTES}", 400)
    assert len(short) <= 400
    assert short.startswith("Moves a pet.\n\nThe pet is moved to its new home.")
    assert short.endswith(f"new home. …\n\n{NOTES}")


def test_the_description_of_a_compiled_tool_is_read_as_it_is_written() -> None:
    """Finding O-5: the notes are recognized by their words."""
    body: JsonObject = {
        "type": "object",
        "description": "A move.",
        "properties": {"to": {"type": "string"}},
        "additionalProperties": True,
    }
    post: JsonObject = {
        "operationId": "move",
        "summary": "Moves a pet.",
        "description": PROSE,
        "deprecated": True,
        "requestBody": {"content": {"application/json": {"schema": body}}},
        "responses": {},
    }
    [operation] = tools_of(document_text(paths={"/move": {"post": post}})).compiled.operations
    assert len(operation.description) > 1024
    short = shorten_description(operation.description, 300)
    assert short.startswith("Moves a pet.")
    assert short.endswith(f"Deprecated.\n\nBody: A move.\n\n{FURTHER}")


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("One sentence. Another one, longer. And more.", 36, "One sentence. Another one, longer. …"),
        ("One very long sentence without any end", 20, "One very long …"),
        ("x" * 50, 20, "x" * 18 + " …"),
        ("一句。二句。三句。四句。", 10, "一句。二句。 …"),
    ],
)
def test_it_is_cut_at_a_sentence_else_at_a_word(text: str, limit: int, expected: str) -> None:
    """Finding W-40: half a sentence says the opposite of the whole one."""
    assert shorten_description(text, limit) == expected


@examples(600)
@given(
    parts=st.lists(st.text("ab .。\n", max_size=300), min_size=1, max_size=4),
    notes=st.sampled_from(["", f"\n\n{NOTES}"]),
    limit=st.integers(100, 400),
)
def test_it_is_never_longer_than_the_limit(parts: list[str], notes: str, limit: int) -> None:
    """Finding W-40: one character more has the whole request refused."""
    text = "\n\n".join(parts) + notes
    short = shorten_description(text, limit)
    assert len(short) <= limit or short == text[:limit]
    assert shorten_description(short, limit) == short
