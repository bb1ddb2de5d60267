"""Markers in texts: written so that nobody sees them, read however a client has treated them."""

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.stored_items.markers import Mark, link, parsed, stripped, unseen
from bridge.stored_items.ulid import ALPHABET
from bridge.stored_items.zero_width import has_signs

ULID = "01HZY3Q6XK9V7T2M4N8P5R0SAB"
OTHER = "01HZY3Q6XK9V7T2M4N8P5R0SAC"
SHORT = "0001HTHEHGE10BKXZSRC"
RANDOM = "ABCDEFGHJKMNPQRS"

ulids = st.text(ALPHABET, min_size=26, max_size=26)


def ids(text: str) -> list[str]:
    return [each for token in parsed(text) if isinstance(token, Mark) for each in token.ids]


def bits(item_id: str) -> str:
    """As 0.8.6 wrote an id."""
    digits = "".join(f"{ord(character):08b}" for character in item_id)
    return digits.translate(str.maketrans("01", "\u200b\u200c"))


def guarded(item_id: str) -> str:
    """As 0.8.7 wrote it."""
    return f"\u2060{bits(item_id)}\u2060"


@given(ulids, st.sampled_from([link, unseen]))
def test_what_is_written_is_read(item_id: str, write: Callable[[str], str]) -> None:
    """Both forms, whatever the id."""
    assert ids(write(item_id)) == [item_id]


def test_the_unseen_form_takes_65_signs_for_an_id() -> None:
    """W-33: 130 bits, two in each sign; then 10 bits of check and the two guards."""
    assert len(unseen(ULID)) == 65 + 5 + 2
    assert not any(sign.isprintable() for sign in unseen(ULID))


@pytest.mark.parametrize(
    "text",
    [
        f"Text.\n\n{link(ULID)}\n\nMore.",
        f"Text.\r\n\r\n{link(ULID)}\r\n\r\nMore.",
        f"Text.\n  \t{link(ULID)}  \nMore.",
        f"Text.\n\n{link(ULID)}",
        f"{link(ULID)}\nMore.",
        f"Text.{unseen(ULID)}More.",
    ],
    ids=["plain", "crlf", "indented", "last", "first", "unseen"],
)
def test_a_marker_survives_what_clients_do_to_lines(text: str) -> None:
    """S4-17: trimming, other line ends, indentation."""
    assert ids(text) == [ULID]
    assert stripped(text).replace("\r", "").replace("\n", "") in ("Text.More.", "Text.", "More.")


def test_every_older_form_is_read() -> None:
    """S0-134, S4-18, S4-22: chats of other programs keep their meaning."""
    first = f"Hi\n\n[](openai_responses:v1:function_call:{ULID}?model=gpt-4o)\n\nthere"
    second = f"Hi\n\n[openai_responses:v2:reasoning:{RANDOM}]: #\n\nthere"
    third = f"Hi\n\n[{SHORT}]: #\n\nthere"
    assert [ids(text) for text in (first, second, third)] == [[ULID], [RANDOM], [SHORT]]
    assert ids(f"Hi{guarded(ULID)}there") == [ULID]
    assert ids(f"Hi{bits(ULID)}there") == [ULID]


def test_ids_side_by_side_are_told_apart() -> None:
    """S4-18: 0.8.6 wrote nothing between them, 0.8.7 a guard after and before."""
    assert ids(bits(ULID) + bits(OTHER)) == [ULID, OTHER]
    assert ids(guarded(ULID) + guarded(OTHER)) == [ULID, OTHER]
    assert ids(guarded(ULID + OTHER)) == [ULID, OTHER]
    assert ids(unseen(ULID) + unseen(OTHER)) == [ULID, OTHER]
    assert ids(f"{link(ULID)}\n{link(OTHER)}\n") == [ULID, OTHER]


@pytest.mark.parametrize(
    "text",
    [
        f"See [{SHORT}]: # there.",
        f"[{SHORT.lower()}]: #",
        f"[{SHORT[1:]}]: #",
        f"[{SHORT}A]: #",
        f"[{SHORT[:-1]}O]: #",
        f"[{SHORT}]: https://example.org",
        "[openai_responses:v2:x:ABCDEFGHJKMNPQRS]: #",
        f"`{link(ULID)}`",
        "👩\u200d💻 a\u200bb \u200c\u200d",
        "\ufeffText",
        "",
    ],
)
def test_what_is_no_marker_is_text(text: str) -> None:
    """S0-134: inline, in other letters, too short, too long; and what people write with such characters."""
    assert parsed(text) == [text]
    assert stripped(text) == text


def test_a_damaged_marker_is_nothing_and_is_not_shown_either() -> None:
    """The check tells it from an id."""
    line = link(ULID)
    damaged = line.replace(ULID, OTHER)
    assert ids(damaged) == []
    assert stripped(f"Hi.\n\n{damaged}\n") == "Hi."
    run = unseen(ULID)
    assert ids(run[:30] + run[31:]) == []
    assert stripped(f"Hi.{run[:30]}{run[31:]}") == "Hi."


def test_a_text_without_its_markers_has_its_paragraphs() -> None:
    """What stood around a line that is gone stays apart; nothing else changes."""
    text = f"  One.\n\n{link(ULID)}\n{link(OTHER)}\n\nTwo{unseen(ULID)}!\n\n[note]: # \n"
    assert stripped(text) == "  One.\n\nTwo!\n\n[note]: # \n"


LINES = [link(ULID), f"\r\n{link(OTHER)}\r\n", f"b{unseen(OTHER)}", bits(ULID)]
PARTS = [*LINES, "a", "[", "]: #", " ", "\u200b."]


@given(st.lists(st.sampled_from(PARTS)))
def test_nothing_but_markers_is_lost_and_no_marker_is_left(parts: list[str]) -> None:
    """Whatever stands beside them."""
    text = "\n".join(parts)
    bare = [part for part in parts if not ids(part)] + ["b" for part in parts if part.startswith("b")]
    assert sorted("".join(stripped(text).split())) == sorted("".join("".join(bare).split()))
    assert ids(stripped(text)) == []


SIZE = 2_000_000


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "]: #",
        "[tb:",
        " ",
        "\n",
        "\n[",
        "\u200b",
        "\u2060\u200b",
        "\u2063",
        "\u200b" * 207 + "a",
        "[](openai_responses:v1:a",
    ],
)
def test_two_megabytes_of_anything_are_read_at_once(unit: str) -> None:
    """Linear: the text of a request is its sender's."""
    text = unit * (SIZE // len(unit)) + "]: #"
    begun = time.process_time()
    stripped(text)
    assert time.process_time() - begun < 3


def test_text_of_the_world_has_nothing_to_look_for() -> None:
    """The closer look is for texts that can have markers."""
    assert not has_signs("Grüße, 你好, 👋")
