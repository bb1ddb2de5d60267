"""Texts of conversations in memory: a search reads from the database only what has changed since the last.

An index in the database would reveal words of what is encrypted there (docs/adr/0030). Here is nothing that
the process does not read anyway, and nothing of it is written anywhere.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import select

from bridge.models.conversations.conversation import Conversation
from bridge.storage.chat.conversation_mapping import CONVERSATIONS, MESSAGES, ConversationRows
from bridge.storage.sessions import Sessions

MAX_CHARS = 128 * 1024 * 1024
"""Maximum characters kept of all users together: about as many bytes. Those of the user who searched longest
ago go first. Chosen."""

MAX_TEXT_CHARS = 2 * 1024 * 1024
"""Maximum characters kept of one conversation; a longer one is read again at each search. Chosen."""

READ_AT_ONCE = 100
"""Number of conversations that are read in one query."""


class _Known(NamedTuple):
    """The text of a conversation as it was at a time."""

    updated_at: float
    text: str | None
    """Casefolded; None: too long to be kept."""


@dataclass(slots=True)
class _UserTexts:
    """What is kept of one user."""

    known: dict[str, _Known] = field(default_factory=dict[str, _Known])
    chars: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class SearchTexts:
    """The texts of all users who search. All methods run on one event loop."""

    def __init__(self, session: Sessions, rows: ConversationRows, *, max_chars: int = MAX_CHARS) -> None:
        self._session = session
        self._rows = rows
        self._max_chars = max_chars
        self._users: OrderedDict[str, _UserTexts] = OrderedDict()

    @property
    def chars(self) -> int:
        """Number of characters that are kept now."""
        return sum(texts.chars for texts in self._users.values())

    async def find_ids(self, user_id: str, query: str, *, limit: int) -> list[str]:
        """Return the ids of a user's conversations that contain a text, most recently changed first.

        Raises:
            BridgeError: `database_unavailable`.
        """
        texts = self._users.setdefault(user_id, _UserTexts())
        self._users.move_to_end(user_id)
        wanted = query.casefold()
        async with texts.lock:
            current = await self._current_times(user_id)
            _forget_gone(texts, current)
            stale = [each for each, at in current.items() if not _is_fresh(texts.known.get(each), at)]
            found: set[str] = set()
            for start in range(0, len(stale), READ_AT_ONCE):
                read = await self._read_texts(user_id, stale[start : start + READ_AT_ONCE])
                found |= {each for each, text in read.items() if wanted in text}
                _keep(texts, read, current)
            self._make_room()
            found |= await asyncio.to_thread(_matching, texts.known, current, wanted)
        return [each for each in current if each in found][:limit]

    async def _current_times(self, user_id: str) -> Mapping[str, float]:
        """Return when each conversation was changed last, most recently changed first."""
        columns = select(CONVERSATIONS.c.id, CONVERSATIONS.c.updated_at)
        wanted = columns.where(CONVERSATIONS.c.user_id == user_id).order_by(CONVERSATIONS.c.updated_at.desc())
        async with self._session() as session:
            return {row.id: row.updated_at for row in await session.execute(wanted)}

    async def _read_texts(self, user_id: str, ids: Sequence[str]) -> Mapping[str, str]:
        """Return the texts of conversations as they are stored now."""
        mine = (CONVERSATIONS.c.user_id == user_id, CONVERSATIONS.c.id.in_(ids))
        theirs = select(MESSAGES).where(MESSAGES.c.conversation_id.in_(ids))
        async with self._session() as session:
            heads = (await session.execute(select(CONVERSATIONS).where(*mine))).all()
            said = (await session.execute(theirs.order_by(MESSAGES.c.conversation_id, MESSAGES.c.seq))).all()

        def read() -> dict[str, str]:
            parts = {row.id: _words_of(self._rows.read_conversation(row)) for row in heads}
            for conversation_id, rows in groupby(said, key=lambda row: row.conversation_id):
                texts = [self._rows.read_words(row) for row in rows]
                parts[conversation_id] = "\n".join([parts.get(conversation_id, ""), *texts])
            return {each: text.casefold() for each, text in parts.items()}

        return await asyncio.to_thread(read)

    def _make_room(self) -> None:
        while self.chars > self._max_chars and self._users:
            user_id, texts = next(iter(self._users.items()))
            if len(self._users) == 1:  # the one who searches now: what is over is read again next time
                _shorten(texts, self._max_chars)
                return
            del self._users[user_id]


def _words_of(conversation: Conversation | None) -> str:
    return f"{conversation.settings.title}\n{conversation.settings.description}" if conversation else ""


def _is_fresh(known: _Known | None, updated_at: float) -> bool:
    return known is not None and known.updated_at == updated_at and known.text is not None


def _matching(known: Mapping[str, _Known], current: Mapping[str, float], wanted: str) -> set[str]:
    return {
        each
        for each, updated_at in current.items()
        if (found := known.get(each)) is not None
        and found.updated_at == updated_at
        and wanted in (found.text or "")
    }


def _forget_gone(texts: _UserTexts, current: Mapping[str, float]) -> None:
    for gone in texts.known.keys() - current.keys():
        texts.chars -= len(texts.known.pop(gone).text or "")


def _keep(texts: _UserTexts, read: Mapping[str, str], current: Mapping[str, float]) -> None:
    for each, text in read.items():
        if (old := texts.known.pop(each, None)) is not None:
            texts.chars -= len(old.text or "")
        kept = text if len(text) <= MAX_TEXT_CHARS else None
        texts.known[each] = _Known(current[each], kept)
        texts.chars += len(kept or "")


def _shorten(texts: _UserTexts, max_chars: int) -> None:
    """Forget what was read first until the rest fits."""
    while texts.chars > max_chars and texts.known:
        texts.chars -= len(texts.known.pop(next(iter(texts.known))).text or "")
