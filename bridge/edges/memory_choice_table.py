"""What users want kept of answers, in the database. The port of `bridge.stored_items.retention_preference`."""

from __future__ import annotations

from sqlalchemy import select

from bridge.settings.bridge import REASONING_MEMORIES, ReasoningMemory
from bridge.storage.dialects import dialect_of, upsert
from bridge.storage.sessions import Sessions
from bridge.storage.tables import MemoryChoiceRow
from bridge.stored_items.retention_preference import MemoryChoice


class MemoryChoiceTable:
    """Each method is one transaction, committed when it returns."""

    def __init__(self, session: Sessions) -> None:
        self._session = session

    async def memory_choice(self, user_id: str) -> MemoryChoice:
        """What a user has chosen; of a value that another version wrote, the least."""
        query = select(MemoryChoiceRow).where(MemoryChoiceRow.user_id == user_id)
        async with self._session() as session:
            row = await session.scalar(query)
        if row is None:
            return MemoryChoice()
        return MemoryChoice(row.keeps_answers, _known(row.reasoning))

    async def save_memory_choice(self, user_id: str, choice: MemoryChoice) -> None:
        """Put a choice in place of the one before."""
        row = {"user_id": user_id, "keeps_answers": choice.keeps_answers, "reasoning": choice.reasoning}
        async with self._session.begin() as session:
            await session.execute(upsert(dialect_of(session), MemoryChoiceRow), row)


def _known(name: str) -> ReasoningMemory:
    found: ReasoningMemory | None = next((each for each in REASONING_MEMORIES if each == name), None)
    return found or "disabled"
