"""Deltas that look as if they repeated the text: nothing of what they add is lost."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from bridge.models.agent.chat_completions.repeated_text import RepeatedText
from tests.support.examples import examples

WORDS = st.text("ab {}\n", min_size=1, max_size=12)


def told(deltas: list[str]) -> str:
    text = RepeatedText()
    return "".join([*map(text.read_delta, deltas), text.finish_text()])


def extending(deltas: list[str]) -> int:
    """How many deltas from the second on begin with all of the one before them."""
    for place in range(1, len(deltas)):
        if not deltas[place].startswith(deltas[place - 1]):
            return place - 1
    return max(0, len(deltas) - 1)


@examples(1500)
@given(st.lists(st.tuples(WORDS, st.booleans()), min_size=1, max_size=8))
def test_increments_that_begin_alike_for_a_while_are_all_told(pieces: list[tuple[str, bool]]) -> None:
    """Finding W-45: lines, columns and braces that grow are text, once a delta does not grow."""
    deltas: list[str] = []
    for piece, extends in pieces:
        deltas.append(deltas[-1] + piece if extends and deltas else piece)
    if extending(deltas) < min(4, len(deltas) - 1):
        assert told(deltas) == "".join(deltas)


@examples(500)
@given(st.text(min_size=1, max_size=200), st.lists(st.integers(1, 199), min_size=1, max_size=60, unique=True))
def test_a_text_is_whole_however_it_is_cut(words: str, places: list[int]) -> None:
    """Finding W-45: all that keeps to the protocol comes as it is."""
    cuts = [0, *sorted(place for place in places if place < len(words)), len(words)]
    deltas = [words[start:end] for start, end in itertools.pairwise(cuts)]
    if extending(deltas) < min(4, len(deltas) - 1):
        assert told(deltas) == words


@examples(300)
@given(st.lists(st.text("abcdefgh", min_size=3, max_size=9), min_size=7, max_size=20, unique=True))
def test_a_text_that_each_delta_repeats_is_told_while_it_comes(words: list[str]) -> None:
    """Finding W-45: whoever reads it sees it grow."""
    deltas = [" ".join(words[: end + 1]) + " " for end in range(len(words))]
    text = RepeatedText()
    parts = [*map(text.read_delta, deltas), text.finish_text()]
    assert "".join(parts) == deltas[-1]


def test_a_long_text_that_each_delta_repeats_does_not_wait_for_its_end() -> None:
    """Finding W-45: four repetitions of more than a line are sure."""
    words = [*("The", "weather", "in", "Rome", "is", "fine", "today,"), *("and", "it", "will", "stay", "so.")]
    deltas = [" ".join(words[: end + 1]) for end in range(len(words))]
    text = RepeatedText()
    parts = [text.read_delta(delta) for delta in deltas]
    assert "".join(parts[:9]) == deltas[8]
    assert "".join(parts) == deltas[-1]
    assert text.finish_text() == ""
