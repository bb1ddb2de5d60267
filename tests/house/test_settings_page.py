"""The page of settings has what the code declares."""

from tests.house.source import text_of
from tests.settings_page import PAGE, known_parts, page, parts


def test_the_page_of_settings_is_current() -> None:
    """A default or range that differs from the code's sends its reader the wrong way."""
    text = text_of(PAGE)
    assert text == page(text), f"{PAGE} is old: run python -m tests.settings_page"


def test_the_page_of_settings_has_every_section() -> None:
    """A setting that stands nowhere is one that nobody can set."""
    assert sorted(parts(text_of(PAGE))) == sorted(known_parts())
