"""What users have chosen that is remembered of their answers. Each method is one transaction."""

from __future__ import annotations

from sqlalchemy import select

from bridge.models.stored_items.retention_preference import MemoryChoice
from bridge.settings.chat.memory import REASONING_MEMORIES, ReasoningMemory
from bridge.storage.dialects import build_upsert, dialect_of
from bridge.storage.store import Store
from bridge.storage.tables import MemoryChoiceRow


class MemoryChoiceTable:
    """Implements the port `MemoryChoiceStore`."""

    def __init__(self, store: Store) -> None:
        self._session = store.sessions

    async def memory_choice(self, user_id: str) -> MemoryChoice:
        """Return a user's choice; an unknown value, written by another version, counts as the least."""
        query = select(MemoryChoiceRow).where(MemoryChoiceRow.user_id == user_id)
        async with self._session() as session:
            row = await session.scalar(query)
        if row is None:
            return MemoryChoice()
        return MemoryChoice(row.keeps_answers, _known(row.reasoning))

    async def save_memory_choice(self, user_id: str, choice: MemoryChoice) -> None:
        """Store a choice, replacing the previous one."""
        row = {"user_id": user_id, "keeps_answers": choice.keeps_answers, "reasoning": choice.reasoning}
        async with self._session.begin_transaction(changes="memory_choices") as session:
            await session.execute(build_upsert(dialect_of(session), MemoryChoiceRow), row)


def _known(name: str) -> ReasoningMemory:
    found: ReasoningMemory | None = next((each for each in REASONING_MEMORIES if each == name), None)
    return found or "disabled"
