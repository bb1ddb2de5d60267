"""Markers in texts: written so that nobody sees them, read however a client has treated them."""

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.models.stored_items.markers import Mark, link_marker, parse_text, strip_markers, unseen_marker
from bridge.models.stored_items.ulid import ALPHABET
from bridge.models.stored_items.zero_width import has_signs

ULID = "01HZY3Q6XK9V7T2M4N8P5R0SAB"
OTHER = "01HZY3Q6XK9V7T2M4N8P5R0SAC"
SHORT = "0001HTHEHGE10BKXZSRC"
RANDOM = "ABCDEFGHJKMNPQRS"

ulids = st.text(ALPHABET, min_size=26, max_size=26)


def ids(text: str) -> list[str]:
    return [each for token in parse_text(text) if isinstance(token, Mark) for each in token.ids]


def bits(item_id: str) -> str:
    """As 0.8.6 wrote an id."""
    digits = "".join(f"{ord(character):08b}" for character in item_id)
    return digits.translate(str.maketrans("01", "\u200b\u200c"))


def guarded(item_id: str) -> str:
    """As 0.8.7 wrote it."""
    return f"\u2060{bits(item_id)}\u2060"


@given(ulids, st.sampled_from([link_marker, unseen_marker]))
def test_what_is_written_is_read(item_id: str, write: Callable[[str], str]) -> None:
    """Both forms, whatever the id."""
    assert ids(write(item_id)) == [item_id]


def test_the_unseen_form_takes_65_signs_for_an_id() -> None:
    """W-33: 130 bits, two in each sign; then 10 bits of check and the two guards."""
    assert len(unseen_marker(ULID)) == 65 + 5 + 2
    assert not any(sign.isprintable() for sign in unseen_marker(ULID))


@pytest.mark.parametrize(
    "text",
    [
        f"Text.\n\n{link_marker(ULID)}\n\nMore.",
        f"Text.\r\n\r\n{link_marker(ULID)}\r\n\r\nMore.",
        f"Text.\n  \t{link_marker(ULID)}  \nMore.",
        f"Text.\n\n{link_marker(ULID)}",
        f"{link_marker(ULID)}\nMore.",
        f"Text.{unseen_marker(ULID)}More.",
    ],
    ids=["plain", "crlf", "indented", "last", "first", "unseen"],
)
def test_a_marker_survives_what_clients_do_to_lines(text: str) -> None:
    """S4-17: trimming, other line ends, indentation."""
    assert ids(text) == [ULID]
    assert strip_markers(text).replace("\r", "").replace("\n", "") in ("Text.More.", "Text.", "More.")


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
    assert ids(unseen_marker(ULID) + unseen_marker(OTHER)) == [ULID, OTHER]
    assert ids(f"{link_marker(ULID)}\n{link_marker(OTHER)}\n") == [ULID, OTHER]


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
        f"`{link_marker(ULID)}`",
        "👩\u200d💻 a\u200bb \u200c\u200d",
        "\ufeffText",
        "",
    ],
)
def test_what_is_no_marker_is_text(text: str) -> None:
    """S0-134: inline, in other letters, too short, too long; and what people write with such characters."""
    assert parse_text(text) == [text]
    assert strip_markers(text) == text


def test_a_damaged_marker_is_nothing_and_is_not_shown_either() -> None:
    """The check tells it from an id."""
    line = link_marker(ULID)
    damaged = line.replace(ULID, OTHER)
    assert ids(damaged) == []
    assert strip_markers(f"Hi.\n\n{damaged}\n") == "Hi."
    run = unseen_marker(ULID)
    assert ids(run[:30] + run[31:]) == []
    assert strip_markers(f"Hi.{run[:30]}{run[31:]}") == "Hi."


def test_a_text_without_its_markers_has_its_paragraphs() -> None:
    """What stood around a line that is gone stays apart; nothing else changes."""
    text = f"  One.\n\n{link_marker(ULID)}\n{link_marker(OTHER)}\n\nTwo{unseen_marker(ULID)}!\n\n[note]: # \n"
    assert strip_markers(text) == "  One.\n\nTwo!\n\n[note]: # \n"


LINES = [link_marker(ULID), f"\r\n{link_marker(OTHER)}\r\n", f"b{unseen_marker(OTHER)}", bits(ULID)]
PARTS = [*LINES, "a", "[", "]: #", " ", "\u200b."]


@given(st.lists(st.sampled_from(PARTS)))
def test_nothing_but_markers_is_lost_and_no_marker_is_left(parts: list[str]) -> None:
    """Whatever stands beside them."""
    text = "\n".join(parts)
    bare = [part for part in parts if not ids(part)] + ["b" for part in parts if part.startswith("b")]
    assert sorted("".join(strip_markers(text).split())) == sorted("".join("".join(bare).split()))
    assert ids(strip_markers(text)) == []


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
        "\u200b" * 415 + "a",
        bits("0" * 26)[:-1] + "\u200b" * 33 + "a",
        unseen_marker("0" * 26)[:-1],
        "[](openai_responses:v1:a",
    ],
)
def test_two_megabytes_of_anything_are_read_at_once(unit: str) -> None:
    """Linear: the text of a request is its sender's."""
    text = unit * (SIZE // len(unit)) + "]: #"
    begun = time.process_time()
    strip_markers(text)
    assert time.process_time() - begun < 3


def test_text_of_the_world_has_nothing_to_look_for() -> None:
    """The closer look is for texts that can have markers."""
    assert not has_signs("Grüße, 你好, 👋")
