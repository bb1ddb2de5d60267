"""Chats of any shape: what the model is given next begins with all that it has seen, to the byte."""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bridge.models.agent.items import Item, answered_call_id, call_id_of, message_item, message_text
from bridge.models.agent.model_messages import NO_OUTPUT
from bridge.models.stored_items.markers import strip_markers
from tests.support.examples import examples
from tests.support.models.chat_client import ChatClient, input_bytes
from tests.support.models.memory_harness import FakeNestingToolbox, MemoryHarness
from tests.support.models.stopped_answer import StoppedScript, shown_text
from tests.support.models.turn_harness import call, user
from tests.support.models.turn_harness import text as said_text
from toolserver.json_types import text_at

WORDS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.sampled_from(
        [
            "```\ncode",
            "```py\ncode\n```",
            "- a list\n- of two",
            "    indented\n",
            "\n\nafter lines\n\n",
            "[0001HTHEHGE10BKXZSRC]: #",
            "One.\n\n[0001HTHEHGE10BKXZSRC]: #\n\nTwo.",
            "joined \u200d\u200b signs",
            "> quoted\r\n> twice\r\n",
            "| a | b |\n|---|---|",
            '"title"',
        ]
    ),
)

SAYING = st.tuples(WORDS, st.booleans())
"""What it says, and whether that has words that nothing else has, by which it can be edited."""

ROUND = st.tuples(st.booleans(), st.lists(SAYING, max_size=2), st.integers(0, 3))
"""Whether it thinks, what it says, and how many calls it makes."""

TURN = st.tuples(st.lists(ROUND, max_size=2), SAYING)
"""Rounds with calls, and the answer."""

CHANGES = st.sampled_from(
    ["none", "trim", "crlf", "copy", "restart", "again", "fork", "edit", "delete", "edit question", "switch"]
)

STEP = st.tuples(TURN, CHANGES, st.integers(0, 99), st.one_of(st.none(), st.none(), st.integers(0, 99)))
"""A turn, what happens to the chat before it, a number that chooses of what, and where the user stops it."""

MODELS = ("gpt", "other")

TAG = re.compile(r"\(text \d+\)")


@dataclass
class Turn:
    """One question and what came of it, as its own model is to have it again."""

    asked: str
    model: str
    items: list[Item]
    seen: bytes | None
    """What the provider was given in the last round; None: the user has changed something of it since."""

    def given_to(self, model: str) -> list[Item]:
        """As a model is to have it: calls that were stopped with a stub, no thoughts that lead nowhere."""
        answered = {answered_call_id(item) for item in self.items}
        made = [call_id for item in self.items if (call_id := call_id_of(item))]
        items = [*self.items, *(stub_of(call_id) for call_id in made if call_id not in answered)]
        while items and items[-1]["type"] == "reasoning":
            items.pop()
        if model != self.model:
            items = [_without_id(item) for item in items if item["type"] != "reasoning"]
        return [user(self.asked), *items]


class ReplayedChat:
    """A chat, and all that its models are to know of it."""

    def __init__(self, markers: Any) -> None:
        self.tools = FakeNestingToolbox(own_names=["a"])
        self.chat = ChatClient(MemoryHarness(tools=self.tools), markers=markers)
        self.number = 0
        self.model = MODELS[0]
        self.turns: list[Turn] = []
        """Those that the chat still has."""

    async def turn(self, wanted: Any, change: str, pick: int, stop: int | None) -> None:
        """The user goes on, perhaps after something has happened to the chat."""
        self.change(change, pick)
        rounds = self.rounds(*wanted)
        script = StoppedScript(rounds, stop)
        self.tools.during = script.during_calls
        items = await self.played(script, chat_id=change, model=self.model)
        earlier = [item for turn in self.turns for item in turn.given_to(self.model)]
        assert self.chat.given == input_bytes([*earlier, user("Go on.")])
        for turn in self.turns:
            if turn.seen is not None and turn.model == self.model:
                assert self.chat.given.startswith(turn.seen)
        self.turns.append(Turn("Go on.", self.model, items, self.chat.seen))

    async def played(self, script: StoppedScript, **request: Any) -> list[Item]:
        """What came of a turn, up to where it was stopped."""
        saying = asyncio.create_task(self.chat.say("Go on.", *script.steps, **request))
        stopping = asyncio.create_task(script.reached.wait())
        await asyncio.wait([saying, stopping], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if saying.done():
            return list(saying.result().output)
        saying.cancel()
        with pytest.raises(asyncio.CancelledError):
            await saying
        if not _has_markers(self.chat.last):
            self.chat.messages[-1]["content"] = shown_text(self.chat.last)
        requests = self.chat.bridge.model.requests
        return [*requests[-1].input[len(requests[0].input) :], *script.items_until_stop]

    def rounds(self, rounds: Sequence[Any], answer: Any) -> list[list[Item]]:
        made: list[list[Item]] = []
        for thinks, texts, calls in rounds:
            items = [self.thought()] if thinks else []
            items += [self.said(*saying) for saying in texts]
            items += [call("a", '{"n":1}', self.name("c")) for _ in range(calls)]
            made.append(items)
            if not calls:
                return made
        return [*made, [self.said(*answer)]]

    def said(self, words: str, is_tagged: bool) -> Item:
        tag = f"\n(text {self.number})" if is_tagged else ""
        return said_text(f"{words}{tag}", item_id=self.name("m"))

    def thought(self) -> Item:
        return {"type": "reasoning", "id": self.name("rs"), "encrypted_content": "x", "summary": []}

    def name(self, prefix: str) -> str:
        self.number += 1
        return f"{prefix}_{self.number}"

    def change(self, change: str, pick: int) -> None:
        messages, number = self.chat.messages, pick % max(1, len(self.turns))
        match change:
            case "trim":
                self.rewrite(str.strip)
            case "crlf":
                self.rewrite(_with_crlf)
            case "restart":
                self.chat.bridge.restart()
            case "switch":
                self.model = MODELS[1 - MODELS.index(self.model)]
            case "again" if self.turns:  # the last answer is thrown away, its question asked again
                del messages[-2:]
                self.turns.pop()
            case "fork":
                del messages[2 * number :]
                del self.turns[number:]
            case "edit question" if self.turns:
                messages[2 * number]["content"] = self.turns[number].asked = "Edited."
                self.forget_seen(number)
            case "edit" | "delete":
                self.edit(pick, deletes=change == "delete")
            case _:
                pass

    def edit(self, pick: int, *, deletes: bool) -> None:
        """One of the texts that can be told from all others is changed, or deleted."""
        places = [
            (number, place)
            for number, turn in enumerate(self.turns)
            for place, item in enumerate(turn.items)
            if item["type"] == "message" and TAG.search(message_text(item))
        ]
        if not places:
            return
        number, place = places[pick % len(places)]
        message, items = self.chat.messages[2 * number + 1], self.turns[number].items
        content, text = text_at(message, "content"), message_text(items[place])
        if not deletes:
            tag = TAG.findall(text)[0]
            message["content"] = content.replace(tag, "edited")
            items[place] = message_item("assistant", shown_text(text.replace(tag, "edited")))
        elif text in content:
            message["content"] = content.replace(text, "")
            del items[place]
        self.forget_seen(number)

    def forget_seen(self, first: int) -> None:
        for turn in self.turns[first:]:
            turn.seen = None

    def rewrite(self, how: Callable[[str], str]) -> None:
        for message in self.chat.messages:
            content = text_at(message, "content")
            if message["role"] == "assistant" and _has_markers(content):
                message["content"] = how(content)


def stub_of(call_id: str) -> Item:
    return {"type": "function_call_output", "call_id": call_id, "output": NO_OUTPUT}


def _has_markers(text: str) -> bool:
    """White space in a text without them is the caller's affair."""
    return strip_markers(text) != text


def _with_crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _without_id(item: Item) -> Item:
    return {name: value for name, value in item.items() if name != "id"}


def _answers(*texts: str) -> list[Any]:
    """Steps in which nothing happens but that the model says these texts."""
    return [(([], (words, False)), "none", 0, None) for words in texts]


@pytest.mark.wide
@examples(150)
@example(_answers("a", "\u2063", "b", "c"), "zero_width")
@example(_answers("a", "ok\u2063", "b", "c"), "zero_width")
@example(_answers("a", "\u2064", "b", "c"), "zero_width")
@example(_answers("a", "\u200b", "b", "c"), "zero_width")
@example(_answers("a", "ok\u200d", "b", "c"), "zero_width")
@example(_answers("", "\u2063", "", ""), "zero_width")
@given(st.lists(STEP, min_size=2, max_size=10), st.sampled_from(["link", "zero_width"]))
def test_every_answer_begins_with_all_that_was_seen_before(steps: list[Any], markers: str) -> None:
    """Finding P-M5: S4-04, W-21, W-29, W-33: reload, copy, restart, fork, edits, Stop, another try and model.

    What a model is given is exactly what is left of what was said and done, and it begins with all that it
    has seen, as far as the user has left that alone.
    """

    async def play() -> None:
        talk = ReplayedChat(markers)
        for wanted, change, pick, stop in steps:
            await talk.turn(wanted, change, pick, stop)

    asyncio.run(play())
