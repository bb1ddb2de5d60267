"""The pages of reference have what the code declares."""

import pytest

from make.reference import api_page, commands_page, errors_page, metrics_page, settings_page, wire_page
from make.reference.pages import PAGES, pages
from make.reference.parts import names_of_parts
from tests.house.source import refuse, text_of

NEEDED = {
    api_page.PAGE: ["routes", "shapes"],
    commands_page.PAGE: sorted(commands_page.parts()),
    errors_page.PAGE: ["overview"],
    metrics_page.PAGE: ["overview"],
    wire_page.PAGE: ["events", "shapes"],
}


@pytest.mark.asyncio
async def test_the_pages_of_reference_are_current() -> None:
    """A default, a field or an option that differs from the code's sends its reader the wrong way."""
    refuse(
        f"{name} is old: run make reference"
        for name, text in (await pages()).items()
        if text != text_of(name)
    )


@pytest.mark.parametrize("name", sorted(NEEDED))
def test_a_page_of_reference_has_every_part(name: str) -> None:
    """A part that was deleted with its marks would be missed by nobody."""
    assert sorted(names_of_parts(text_of(name))) == NEEDED[name]


def test_the_page_of_settings_has_every_section() -> None:
    """A setting that stands nowhere is one that nobody can set."""
    parts = settings_page.parts(text_of(settings_page.PAGE))
    assert sorted(parts) == sorted(settings_page.known_parts())


def test_nobody_has_to_guess_whether_an_error_is_retryable() -> None:
    """The column is by hand: a new code comes without it."""
    assert f"| {errors_page.UNKNOWN} |" not in text_of(errors_page.PAGE)


def test_every_page_with_parts_from_the_code_is_written() -> None:
    """A page that nobody writes keeps what was true once."""
    assert set(NEEDED) <= set(PAGES)
