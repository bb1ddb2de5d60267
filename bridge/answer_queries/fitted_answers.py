"""Answers as their callers read them: whole, selected by a query, as an outline, or only their beginning."""

from __future__ import annotations

from dataclasses import replace

import orjson

from bridge.calls.outcome import CallOutcome
from bridge.calls.reading import WHOLE, AnswerQueries, KeptText, QueryRefused, Reading
from bridge.errors import BridgeError, ErrorCode
from bridge.http.answer_files import MAX_BYTES_OF_CHARACTER, AnswerFiles
from toolserver.answer.result import Answered, QueriedText, TextBody, may_be_json
from toolserver.answer.sequence import is_sequence
from toolserver.json_types import JsonObject


class FittedAnswers:
    """Implements the engine's port `StoredAnswers`: never changes what is stored."""

    def __init__(self, files: AnswerFiles, queries: AnswerQueries, outline_bytes: int) -> None:
        """`outline_bytes`: above which callers read outlines that want them early; 0: no outlines at all."""
        self._files = files
        self._queries = queries
        self._outline_bytes = outline_bytes

    async def fit_answer(self, user_id: str, outcome: CallOutcome, reading: Reading = WHOLE) -> CallOutcome:
        """Return the outcome with as much as its caller reads, and store the whole; never raises."""
        answered = outcome.answered
        body = answered.body if answered else None
        if answered is None or not isinstance(body, TextBody):
            return outcome
        queried = await self._query(answered, body, reading)
        if queried.selected is None and queried.outline is None:
            fitted = await self._files.fit_answer(user_id, outcome, reading.max_bytes)
            return _with_error(fitted, queried) if queried.select_error else fitted
        stored_file = await self._files.store_text(user_id, outcome.call_id, body)
        short = TextBody(
            "", total_bytes=body.total_bytes or _size(body.text), stored_file=stored_file, queried=queried
        )
        return replace(outcome, answered=replace(answered, body=short))

    async def read_page(
        self, user_id: str, call_id: str, offset: int, max_bytes: int | None = None
    ) -> JsonObject:
        """Return one part of a stored text; see `AnswerFiles.read_page`."""
        return await self._files.read_page(user_id, call_id, offset, max_bytes)

    async def select_stored(self, user_id: str, call_id: str, reading: Reading) -> bytes:
        """Return what a query selects from a stored answer, as JSON with `selected`.

        Raises:
            BridgeError: as `AnswerFiles.read_page`; `invalid_arguments` with `detail.reason`: `QueryRefused`.
        """
        path = await self._files.find_text(user_id, call_id)
        try:
            found = await self._queries.select_from(
                KeptText(path=path), reading.select, self._most_selected(reading)
            )
        except QueryRefused as refusal:
            detail = {"argument": "select", "reason": refusal.reason}
            raise BridgeError(ErrorCode.INVALID_ARGUMENTS, refusal.message, detail=detail) from None
        told = {"selected": orjson.Fragment(found.json)}
        return orjson.dumps(told if found.complete else {**told, "complete": False})

    async def _query(self, answered: Answered, body: TextBody, reading: Reading) -> QueriedText:
        """Return what is read instead of a text; an empty one where the text itself is, or its beginning."""
        error = ""
        if reading.select:
            most = self._most_selected(reading)
            try:
                found = await self._queries.select_from(self._kept(answered, body), reading.select, most)
                return QueriedText(selected=found.json, complete=found.complete)
            except QueryRefused as refusal:
                error = refusal.message
        if not self._wants_outline(answered, body, reading, has_failed=bool(error)):
            return QueriedText(select_error=error)
        try:
            outline = (await self._queries.outline_answer(self._kept(answered, body))).json
        except QueryRefused:
            return QueriedText(select_error=error)
        return QueriedText(outline=outline, select_error=error)

    def _wants_outline(
        self, answered: Answered, body: TextBody, reading: Reading, *, has_failed: bool
    ) -> bool:
        """Whether an answer is long for its caller; after a query that failed, a short one counts, too."""
        if reading.outlines == "never" or not self._outline_bytes:
            return False
        most = self._files.limit_of(reading.max_bytes)
        if reading.outlines == "early":
            most = min(most, self._outline_bytes)
        is_long = has_failed or (body.total_bytes or _size_above(body.text, most)) > most
        return is_long and (
            is_sequence(answered.content_type) or may_be_json(answered.content_type, body.text)
        )

    def _most_selected(self, reading: Reading) -> int:
        """How many bytes a query may select: no more than would be read without one."""
        most = self._files.limit_of(reading.max_bytes)
        return min(most, self._outline_bytes) if reading.outlines == "early" and self._outline_bytes else most

    def _kept(self, answered: Answered, body: TextBody) -> KeptText:
        content_type, is_cut = answered.content_type, answered.truncated
        if body.total_bytes is None:
            return KeptText(body.text, content_type=content_type, is_cut=is_cut)
        file_id = body.stored_file.file_id if body.stored_file else None
        path = self._files.path_of(file_id) if file_id else None
        if path is None:  # there was no space for the rest
            return KeptText(body.text, content_type=content_type, is_cut=True)
        return KeptText(path=path, content_type=content_type, is_cut=is_cut)


def _with_error(outcome: CallOutcome, queried: QueriedText) -> CallOutcome:
    answered = outcome.answered
    assert answered is not None
    assert isinstance(answered.body, TextBody)
    return replace(outcome, answered=replace(answered, body=replace(answered.body, queried=queried)))


def _size_above(text: str, most: int) -> int:
    """Return the bytes of a text, or fewer if they are certainly not more than `most`."""
    return 0 if len(text) * MAX_BYTES_OF_CHARACTER <= most else _size(text)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
