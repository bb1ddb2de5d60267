"""Chats of any shape: what the model is given next begins with all that it has seen, to the byte."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.turns.items import Item
from tests.support.chatting import Chat, canonical
from tests.support.memory import NestingTools, Remembered
from tests.support.turning import Step, call, round_of, user
from tests.support.turning import text as said_text
from toolserver.json_types import JsonObject

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

ROUND = st.tuples(st.booleans(), st.lists(WORDS, max_size=2), st.integers(0, 3))
"""Whether it thinks, what it says, and how many calls it makes."""

TURN = st.tuples(st.lists(ROUND, max_size=2), WORDS)
"""Rounds with calls, and the answer."""

CHANGES = st.sampled_from(["none", "trim", "crlf", "copy", "restart", "again", "fork"])


class Talk:
    """A chat, and all that its model has seen in it."""

    def __init__(self, markers: Any) -> None:
        tools = NestingTools(own_names=["a"])
        self.chat = Chat(Remembered(tools=tools), markers=markers)
        self.number = 0
        self.seen: list[list[Item]] = [[]]
        """After each turn that the chat still has."""

    def rounds(self, rounds: Sequence[Any], answer: str) -> list[Sequence[Step]]:
        made: list[Sequence[Step]] = []
        for thinks, texts, calls in rounds:
            items = [self.thought()] if thinks else []
            items += [said_text(words, item_id=self.name("m")) for words in texts]
            items += [call("a", '{"n":1}', self.name("c")) for _ in range(calls)]
            made.append(round_of(*items))
            if not calls:
                return made
        return [*made, round_of(said_text(answer, item_id=self.name("m")))]

    def thought(self) -> Item:
        return {"type": "reasoning", "id": self.name("rs"), "encrypted_content": "x", "summary": []}

    def name(self, prefix: str) -> str:
        self.number += 1
        return f"{prefix}_{self.number}"

    async def turn(self, wanted: Any, change: str) -> None:
        """The user goes on, perhaps after something has happened to the chat."""
        self.change(change)
        rounds = self.rounds(*wanted)
        before = [*self.seen[-1], user("Go on.")]
        result = await self.chat.say("Go on.", *rounds, chat_id=change)
        assert self.chat.given == canonical(before)
        self.seen.append([*before, *_replayable(result.output)])

    def change(self, change: str) -> None:
        messages = self.chat.messages
        match change:
            case "trim":
                self.rewrite(str.strip)
            case "crlf":
                self.rewrite(_with_crlf)
            case "restart":
                self.chat.bridge.restart()
            case "again" if len(messages) >= 2:  # the last answer is thrown away, its question asked again
                del messages[-2:]
                self.seen.pop()
            case "fork" if len(messages) >= 4:
                del messages[2:]
                del self.seen[2:]
            case _:
                pass

    def rewrite(self, how: Callable[[str], str]) -> None:
        messages: list[JsonObject] = self.chat.messages
        for message in messages:
            if message["role"] == "assistant":
                message["content"] = how(str(message["content"]))


def _with_crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _replayable(output: Sequence[Item]) -> list[Item]:
    """What providers take back: no thought at the end that led to nothing."""
    items = list(output)
    while items and items[-1]["type"] == "reasoning":
        items.pop()
    return items


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(TURN, CHANGES), min_size=2, max_size=6),
    st.sampled_from(["link", "zero_width"]),
)
def test_every_answer_begins_with_all_that_was_seen_before(turns: list[Any], markers: str) -> None:
    """S4-04, W-21, W-33: reload, copy, restart, another try, fork and tidy clients; the input is a prefix."""

    async def play() -> None:
        talk = Talk(markers)
        for wanted, change in turns:
            await talk.turn(wanted, change)

    asyncio.run(play())
