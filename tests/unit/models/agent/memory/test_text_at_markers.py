"""Texts of the characters that markers are written in, beside markers: text and memory both survive."""

import asyncio
from collections.abc import Sequence

from hypothesis import example, given
from hypothesis import strategies as st

from bridge.models.agent.items import Item, message_text
from bridge.models.stored_items.markers import Mark, link_marker, parse_text, strip_markers, unseen_marker
from bridge.models.stored_items.zero_width import MIN_JUNK
from tests.support.examples import examples
from tests.support.models.chat_client import ChatClient, input_bytes
from tests.support.models.memory_harness import FakeNestingToolbox, MemoryHarness
from tests.support.models.turn_harness import Step, call, ending, item_events, round_of, text, user
from toolserver.json_types import JsonObject

SIGNS = "\u200b\u200c\u200d\u2060\u2063\u2064"
ULIDS = ("01HZY3Q6XK9V7T2M4N8P5R0SAB", "01HZY3Q6XK9V7T2M4N8P5R0SAC")

EDGES = st.text(SIGNS, max_size=MIN_JUNK - 1)
"""Shorter than what cannot be human writing."""

WORDS = st.one_of(
    st.text(SIGNS, min_size=1, max_size=3),
    st.text(f"{SIGNS}ok \n", max_size=12),
    st.lists(EDGES, min_size=2, max_size=2).map("ok".join),
    st.text(SIGNS, min_size=MIN_JUNK - 2, max_size=80),
    st.sampled_from([
        unseen_marker(ULIDS[0]), unseen_marker(ULIDS[0])[:40], unseen_marker(ULIDS[0])[40:], "\u2063" * 71,
        f"ok{unseen_marker(ULIDS[0])[:-1]}", f"\u2064{unseen_marker(ULIDS[0])}\u2063", "[tb:", "]: #",
        f"\n\n{link_marker(ULIDS[0])[:-3]}", f"{link_marker(ULIDS[0])}\n\n", "👩\u200d💻", "ok\u200b ",
        "\u2060\n",
    ]),
)  # fmt: skip

ANSWERS = st.lists(st.lists(WORDS, min_size=1, max_size=3), min_size=1, max_size=3)
"""What each turn says before its call, and at its end."""

OLD_DIGITS = str.maketrans("01", "\u200b\u200c")


def old_marker(item_id: str, guard: str) -> str:
    """As 0.8.6 wrote it without guards, and 0.8.7 between them."""
    digits = "".join(f"{ord(character):08b}" for character in item_id)
    return f"{guard}{digits.translate(OLD_DIGITS)}{guard}"


def said(words: str, number: int, place: int) -> Item:
    return text(words, item_id=f"m_{number}_{place}")


def in_pieces(item: Item, place: int, cut: int) -> list[Step]:
    """The events of a text that comes in two deltas."""
    added, *_, done = item_events(item, place)
    words = message_text(item)
    at = cut % (len(words) + 1)
    deltas: list[JsonObject] = [
        {"type": "response.output_text.delta", "output_index": place, "delta": piece}
        for piece in (words[:at], words[at:])
        if piece
    ]
    return [added, *deltas, done]


def rounds_of(texts: Sequence[str], number: int, cut: int) -> list[list[Step]]:
    """A round with all texts but the last and a call, and one with the last."""
    items = [said(words, number, place) for place, words in enumerate(texts)]
    wanted = call("a", "{}", f"c{number}")
    steps = [event for place, item in enumerate(items[:-1]) for event in in_pieces(item, place, cut)]
    steps += [*item_events(wanted, len(items) - 1), ending(*items[:-1], wanted)]
    return [steps, [*in_pieces(items[-1], 0, cut), ending(items[-1])]]


def trimmed(content: str) -> str:
    """As Open WebUI trims a message: JavaScript's white space, of which none of these characters is."""
    return content.strip(" \t\n\v\f\r\u00a0\ufeff")


@examples(150)
@given(ANSWERS, st.sampled_from(["link", "zero_width"]), st.booleans(), st.integers(0, 99))
@example([["ok\u2063", "\u2063ok\u200b"], ["\u2064", "\u2063"]], "zero_width", True, 1)
@example([["\u200b" * 20, "\u200b" * 20, "\u200c" * 20]], "zero_width", False, 0)
def test_a_turn_is_remembered_whatever_its_texts_are_made_of(
    answers: list[list[str]], markers: str, is_trimmed: bool, cut: int
) -> None:
    """Finding P-M5: the next request begins with all that was seen, to the byte, in both forms."""

    async def play() -> None:
        harness = MemoryHarness(tools=FakeNestingToolbox(own_names=["a"]))
        chat = ChatClient(harness, markers="link" if markers == "link" else "zero_width")
        known: list[Item] = []
        for number, texts in enumerate(answers):
            result = await chat.say("Go on.", *rounds_of(texts, number, cut))
            known += [user("Go on."), *result.output]
            assert chat.seen == input_bytes(known[:-1])
            if is_trimmed and strip_markers(chat.last) != chat.last:
                chat.messages[-1]["content"] = trimmed(chat.last)
        await chat.say("And?", round_of(text("Bye.", item_id="m_end")))
        assert chat.given == input_bytes([*known, user("And?")])

    asyncio.run(play())


@given(EDGES, EDGES, st.sampled_from(["", "ok"]), st.sampled_from(["", "\u2060"]))
def test_beside_a_marker_signs_stay_text(before: str, after: str, word: str, guard: str) -> None:
    """Finding P-M5: ours is read exactly; text that is edited or not stored keeps its edges."""
    marker = unseen_marker(ULIDS[0]) + unseen_marker(ULIDS[1])
    assert parse_text(f"{word}{before}{marker}{after}{word}") == [
        *([word + before] if word + before else []),
        Mark(ULIDS, False, marker),
        *([after + word] if after + word else []),
    ]


@given(EDGES, EDGES, st.sampled_from(["", "\u2060"]))
def test_an_older_marker_is_read_beside_signs(before: str, after: str, guard: str) -> None:
    """Finding P-M5: a marker in an old chat is found, though nobody can tell its guards from text."""
    marker = old_marker(ULIDS[0], guard) + old_marker(ULIDS[1], guard)
    found = parse_text(f"ok{before}{marker}{after}")
    assert [token.ids for token in found if isinstance(token, Mark)] == [ULIDS]
    kept = "".join(token for token in found if isinstance(token, str))
    assert kept.replace("\u2060", "") == f"ok{before}{after}".replace("\u2060", "")


@given(st.lists(st.one_of(EDGES, st.sampled_from([unseen_marker(each) for each in ULIDS])), max_size=6))
def test_tokens_are_the_text(pieces: list[str]) -> None:
    """Finding P-M5: nothing is lost or doubled between the marks, which hold their own text."""
    whole = "".join(pieces)
    tokens = parse_text(whole)
    assert "".join(token.text if isinstance(token, Mark) else token for token in tokens) == whole
    ids = [each for token in tokens if isinstance(token, Mark) for each in token.ids]
    assert ids == [ULIDS[pieces_id] for piece in pieces if (pieces_id := _place_of(piece)) is not None]


def _place_of(piece: str) -> int | None:
    return next((place for place, each in enumerate(ULIDS) if piece == unseen_marker(each)), None)
