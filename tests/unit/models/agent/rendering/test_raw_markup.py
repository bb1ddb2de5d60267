"""Where a line of Markdown would be seen: raw HTML and formulas that are not closed."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.models.agent.rendering.raw_markup import RawReader
from tests.support.models.chat_client import ChatClient
from tests.support.models.memory_harness import MemoryHarness
from tests.support.models.turn_harness import round_of
from tests.support.models.turn_harness import text as said_text

OPEN = ["<pre>", "x <PRE class=a>\n\ny", "a $$ b", "$$x$$ $$", "\\[ x", "<script>1 < 2", "<pre><code></code>"]
CLOSED = [
    "",
    "<prefix>",
    "<pre",
    "<pre>x</pre>",
    "$$x$$",
    "$5 and $6",
    "\\[x\\]",
    "</pre>",
    "<style></STYLE>",
]


def is_open(*pieces: str) -> bool:
    reader = RawReader()
    for piece in pieces:
        reader.read_text(piece)
    return reader.is_open


@pytest.mark.parametrize(("texts", "said"), [(OPEN, True), (CLOSED, False)])
def test_what_is_open_is_told_from_what_is_not(texts: list[str], *, said: bool) -> None:
    """As browsers and Open WebUI have it."""
    for text in texts:
        assert is_open(text) is said, text


@given(st.sampled_from([*OPEN, *CLOSED]), st.lists(st.integers(0, 20), max_size=4))
def test_cuts_change_nothing(text: str, cuts: list[int]) -> None:
    """A stream may be cut within a tag."""
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in pairwise(places)]
    assert is_open(*pieces) is is_open(text)


@pytest.mark.asyncio
@pytest.mark.parametrize("words", ["<pre>kept as it is", "The formula $$ a"])
async def test_within_what_stays_open_markers_are_not_seen(words: str) -> None:
    """S4-17: Open WebUI showed the line."""
    talk = ChatClient(MemoryHarness(), markers="link")
    await talk.say("Go", round_of(said_text(words)))
    assert "[tb:" not in talk.last
    first = talk.bridge.model.requests[0].input
    await talk.say("And?", round_of(said_text("Yes.", item_id="m2")))
    assert talk.bridge.model.requests[0].input[: len(first) + 1] == (*first, said_text(words))
