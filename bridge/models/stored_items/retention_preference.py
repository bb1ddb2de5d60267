"""A user's preference for what is stored of answers: as much as the bridge stores, or less, never more.

Receives choices from a store; provides them to turns. Knows nothing of HTTP and SQL.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Protocol

from bridge.settings.chat.memory import REASONING_MEMORIES, MemorySettings, ReasoningMemory


@dataclass(frozen=True, slots=True)
class MemoryChoice:
    """One user's preference; the defaults are as much as the bridge stores."""

    keeps_answers: bool = True
    reasoning: ReasoningMemory = "conversation"


@dataclass(frozen=True, slots=True)
class AnswerRetention:
    """What is stored of one user's answers, and what of it a model is sent again."""

    stores_chats: bool
    """Whether what happened in answers of chats is stored, to be found by the markers in their texts."""
    stores_responses: bool
    """Whether responses are stored, to be read and continued by their ids."""
    reasoning: ReasoningMemory
    tool_output_turns: int


def narrow_settings(settings: MemorySettings, choice: MemoryChoice) -> AnswerRetention:
    """Return the retention by the settings of the bridge, reduced to what a user wants stored."""
    known = REASONING_MEMORIES
    return AnswerRetention(
        stores_chats=settings.persist_tool_results and choice.keeps_answers,
        stores_responses=choice.keeps_answers,
        reasoning=known[min(known.index(settings.reasoning), known.index(choice.reasoning))],
        tool_output_turns=settings.tool_output_turns,
    )


class MemoryChoiceStore(Protocol):
    """Port to the storage of choices.

    Raises, each method:
        BridgeError: `database_unavailable`.
    """

    async def memory_choice(self, user_id: str) -> MemoryChoice:
        """Return the choice of a user."""
        ...

    async def save_memory_choice(self, user_id: str, choice: MemoryChoice) -> None:
        """Save a choice; committed when it returns."""
        ...


class MemoryChoices:
    """The choices of all users; each is read once until `clear_cache`. All methods run on one event loop."""

    def __init__(self, store: MemoryChoiceStore) -> None:
        self._store = store
        self._choices: dict[str, MemoryChoice] = {}
        self._clearings = 0
        self._lock = asyncio.Lock()

    def known_choice(self, user_id: str) -> MemoryChoice | None:
        """Return a user's choice if it has been read: who waits for it needs no bound then."""
        return self._choices.get(user_id)

    async def choice_of_user(self, user_id: str) -> MemoryChoice:
        """Return a user's choice; cheap once it has been read.

        Raises:
            BridgeError: `database_unavailable`.
        """
        choice = self._choices.get(user_id)
        if choice is not None:
            return choice
        async with self._lock:
            if user_id in self._choices:
                return self._choices[user_id]
            clearings = self._clearings
            choice = await self._store.memory_choice(user_id)
            if clearings == self._clearings:  # else this may be older than what the cache was cleared for
                self._choices[user_id] = choice
            return choice

    def clear_cache(self) -> None:
        """Drop all cached choices: another replica has changed some of them."""
        self._clearings += 1
        self._choices.clear()

    async def save_choice(self, user_id: str, choice: MemoryChoice) -> None:
        """Save a choice; it applies to answers that start from now on.

        Raises:
            BridgeError: `database_unavailable`.
        """
        await asyncio.shield(self._store_choice(user_id, choice))

    async def _store_choice(self, user_id: str, choice: MemoryChoice) -> None:
        """Save a choice. Shielded: a caller who hangs up must not leave memory and store different."""
        async with self._lock:
            self._choices.pop(user_id, None)
            await self._store.save_memory_choice(user_id, choice)
