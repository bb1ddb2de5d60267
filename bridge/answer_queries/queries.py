"""Reads answers in child processes, which are killed when a query takes too long (`AnswerQueries`).

Two run at most, and users take turns: a query that takes long keeps another one waiting for a few seconds,
and no call. A process serves one answer after another until it has read a large one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

import orjson

from bridge.calls.reading import KeptText, QueryRefused, Selected
from bridge.documents.child_requests import end_child, send_request, spawn_module
from bridge.documents.children import Places
from bridge.documents.framing import TEXT_MARK
from bridge.documents.piped_child import Child
from bridge.log_lines import current_user
from bridge.operating_system import used_up_its_time
from bridge.timings import USUAL_TIMINGS, Timings

QUERY_CHILD = "bridge.answer_queries.query_child"

QUERY_S = 2.0
"""Maximum seconds of processor time of a query, once its answer has been read (ruling 56)."""

PLACES = 2
"""Maximum number of processes: each may take a core and 512 MiB."""

KEPT_BYTES = 1024 * 1024
"""Maximum bytes of an answer after which its process goes on: it keeps the memory that it needed."""

_HARMLESS = frozenset(("not_json", "query"))
"""Reasons of a refusal after which a process goes on: after the others its memory may be full."""

_TOO_LARGE = "The query needs more memory than it may use. Select less, or read the text with offset."


def spawn_query_child() -> Awaitable[Child]:
    """Start a process that reads answers."""
    return spawn_module(QUERY_CHILD)


class QueryWorker:
    """Implements `AnswerQueries`. All methods run on one event loop."""

    def __init__(
        self,
        timings: Timings = USUAL_TIMINGS,
        *,
        query_s: float = QUERY_S,
        note_end: Callable[[str, str], None] | None = None,
        spawn: Callable[[], Awaitable[Child]] = spawn_query_child,
    ) -> None:
        """`query_s` as `QUERY_S`; `spawn` starts a process.

        `note_end` gets the work (`outline` or `select`) and how it ended.
        """
        self._timings = timings
        self._query_s = query_s
        self._spawn = spawn
        self._note_end = note_end or _note_nothing
        self._places = Places(PLACES)
        self._idle: Child | None = None

    async def outline_answer(self, kept: KeptText) -> Selected:
        """Return the outline of an answer; cancelling it ends the process. See `AnswerQueries`."""
        return await self._noted("outline", self._ask(kept, {"op": "outline"}))

    async def select_from(self, kept: KeptText, expression: str, max_bytes: int) -> Selected:
        """Return what a query selects; cancelling it ends the process. See `AnswerQueries`."""
        question = {
            "op": "select",
            "expression": expression,
            "max_bytes": max_bytes,
            "seconds": self._query_s,
        }
        return await self._noted("select", self._ask(kept, question))

    async def close(self) -> None:
        """End the process that waits for the next answer."""
        child, self._idle = self._idle, None
        if child is not None:
            await end_child(child)

    async def _noted(self, work: str, asking: Awaitable[Selected]) -> Selected:
        try:
            selected = await asking
        except QueryRefused as refusal:
            self._note_end(work, refusal.reason)
            raise
        self._note_end(work, "succeeded")
        return selected

    async def _ask(self, kept: KeptText, question: Mapping[str, object]) -> Selected:
        await self._places.take_place(current_user())
        try:
            child, self._idle = self._idle, None
            if child is None or child.returncode is not None:
                child = await self._spawn()
            keeps_child = False
            try:
                selected = await self._ask_child(child, kept, question)
                keeps_child = True
                return selected
            except QueryRefused as refusal:
                keeps_child = refusal.reason in _HARMLESS
                raise
            finally:
                await self._leave_child(child, keeps=keeps_child and _is_short(kept))
        finally:
            self._places.leave_place()

    async def _ask_child(self, child: Child, kept: KeptText, question: Mapping[str, object]) -> Selected:
        path = None if kept.path is None else str(kept.path)
        reading = {"op": "read", "path": path, "content_type": kept.content_type, "is_cut": kept.is_cut}
        try:
            async with asyncio.timeout(self._timings.query_read_s):
                await _answer(child, reading, kept.text)
            async with asyncio.timeout(self._timings.query_wait_s):
                complete, found = await _answer(child, question, "")
        except TimeoutError:
            raise self._too_slow() from None
        except asyncio.IncompleteReadError:
            if await self._used_up_its_time(child):
                raise self._too_slow() from None
            raise QueryRefused("too_large", _TOO_LARGE) from None
        except (ConnectionError, ValueError):
            raise QueryRefused("too_large", _TOO_LARGE) from None
        return Selected(found.removeprefix(TEXT_MARK), orjson.loads(complete))

    async def _used_up_its_time(self, child: Child) -> bool:
        """Whether a process whose answer broke off took too long. To kill it now would lose how it ended."""
        try:
            async with asyncio.timeout(self._timings.query_wait_s):
                await child.communicate()
        except TimeoutError:
            return True
        return used_up_its_time(child.returncode)

    def _too_slow(self) -> QueryRefused:
        message = f"The query took longer than {self._query_s:g} s. Ask something simpler."
        return QueryRefused("too_slow", message)

    async def _leave_child(self, child: Child, *, keeps: bool) -> None:
        if keeps and self._idle is None:
            self._idle = child
        else:
            await end_child(child)


def _note_nothing(_work: str, _ending: str) -> None:
    pass


async def _answer(child: Child, header: Mapping[str, object], text: str) -> list[bytes]:
    """Return the lines of an answer, read to their end."""
    refusal: QueryRefused | None = None
    lines: list[bytes] = []
    async for line in send_request(child, header, text):
        if line.startswith(b'{"error":'):
            error = orjson.loads(line)["error"]
            message = _TOO_LARGE if error["code"] == "too_large" else error["message"]
            refusal = QueryRefused(error["code"], message)
        else:
            lines.append(line)
    if refusal is not None:
        raise refusal
    return lines


def _is_short(kept: KeptText) -> bool:
    """Whether the process that has read it needs no more memory than before."""
    return kept.path is None and len(kept.text) <= KEPT_BYTES
