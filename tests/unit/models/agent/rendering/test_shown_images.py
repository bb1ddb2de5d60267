"""Images of calls in an answer's text, where Open WebUI cannot store them."""

from time import process_time

import pytest

from bridge.models.agent.rendering.call_details import call_block, without_details
from bridge.models.agent.rendering.shown_images import image_links
from bridge.models.agent.turn import CallFile
from tests.support.models.turn_events import call, output

LARGE = CallFile("image", "http://127.0.0.1:8765/files/f1.sig", "image/png")
SMALL = CallFile("image", "http://127.0.0.1:8765/files/f2.sig", "image/png", "data:image/png;base64,UE5H")
PDF = CallFile("file", "http://127.0.0.1:8765/files/f3.sig", "application/pdf")


def test_an_image_that_is_not_embedded_is_a_markdown_image() -> None:
    """Open WebUI loads Markdown images from elsewhere; in a chip it shows its own logo in their place."""
    assert image_links([SMALL, PDF, LARGE]) == (
        "![Image, available for a day](http://127.0.0.1:8765/files/f1.sig)"
    )


@pytest.mark.parametrize("before", ["", "Here it is:\n\n"])
@pytest.mark.parametrize("after", ["", "\n\nNice, is it not?"])
def test_such_an_image_does_not_reach_the_model_as_its_own_words(before: str, after: str) -> None:
    """The model did not write it, and would write such links itself."""
    block = call_block(call("call_1"), output(call("call_1"), "{}"), [LARGE])
    text = f"{before}{block}\n\n{image_links([LARGE, LARGE])}{after}"
    assert without_details(text).strip() == f"{before}{after}".strip().replace("\n\n\n\n", "\n\n")


def test_an_image_that_the_model_shows_stays() -> None:
    """Those are its own words."""
    text = "![A cat](http://127.0.0.1:8765/files/f1.sig)"
    assert without_details(text) == text


def test_a_text_of_white_space_is_read_once() -> None:
    """100 KB of it beside such a link took 8 s, and a megabyte a quarter of an hour, for everybody."""
    blank = " " * 100_000
    began = process_time()
    assert without_details(f"{blank}x{blank}{image_links([LARGE])}{blank}y") == f"{blank}x\n\ny"
    assert process_time() - began < 5
