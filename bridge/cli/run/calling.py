"""Calls the tool of a saved request through the running bridge, and reads what its expectation asks of."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path

import aiohttp
from pydantic import BaseModel, JsonValue

from bridge.answer_queries.queries import QueryWorker
from bridge.calls.reading import KeptText, QueryRefused
from bridge.cli.parser import NoBridge
from bridge.endpoints.api.calls import AnswerFacts, CallReport
from bridge.errors import WireError
from bridge.saved_requests.judgement import CallEnding, NotSelected
from bridge.saved_requests.request_file import Expectation, SavedRequest
from toolserver.json_types import dump_json, load_json

MAX_FOUND_BYTES = 64 * 1024
"""Maximum bytes of what a query may select: an expected value stands in a file that people read."""


class _Refusal(BaseModel):
    """What the bridge answers where there was no call."""

    error: WireError


@dataclass(frozen=True, slots=True)
class RequestCaller:
    """Runs requests one after another; a call may wait for its user as long as the bridge lets it."""

    http: aiohttp.ClientSession
    url: str
    """Address of the bridge, without a final slash."""
    key: str
    queries: QueryWorker

    async def call_tool(self, request: SavedRequest) -> CallEnding:
        """Call the tool and return how that ended, with what the expected values' queries select.

        Raises:
            NoBridge: no bridge answers.
        """
        body = {"tool": request.tool, "arguments_text": dump_json(request.arguments).decode()}
        try:
            async with self.http.post(f"{self.url}/api/calls", json=body, headers=self._headers()) as answer:
                content = await answer.read()
                if answer.status >= HTTPStatus.BAD_REQUEST:
                    return CallEnding(duration_ms=0, error=_Refusal.model_validate_json(content).error)
            return await self._read_report(CallReport.model_validate_json(content), request.expect)
        except (aiohttp.ClientError, TimeoutError) as error:
            message = f"no bridge answers at {self.url}: {error}. tool-bridge doctor says more"
            raise NoBridge(message) from None
        except ValueError:
            raise NoBridge(f"{self.url} does not answer as a bridge does") from None

    async def _read_report(self, report: CallReport, expect: Expectation) -> CallEnding:
        ending = CallEnding(duration_ms=report.duration_ms, call_id=report.call_id)
        answer, error = report.outcome.answer, report.outcome.error
        if answer is not None:
            with tempfile.TemporaryDirectory() as folder:
                found = await self._select(expect, await self._text_of(answer, Path(folder)))
            return replace(ending, status=answer.http_status, found=found)
        status = None if error is None else error.detail.get("status")
        if error is None or not isinstance(status, int):
            return replace(ending, error=error)
        found = await self._select(expect, _text_of_error(error))
        return replace(ending, status=status, error=error, found=found)

    async def _text_of(self, answer: AnswerFacts, folder: Path) -> KeptText:
        """Return the whole text of an answer, from its file where the report has only the beginning."""
        beginning = KeptText(answer.text or "", content_type=answer.content_type, is_cut=answer.truncated)
        if answer.file is None or answer.file.url is None:
            return beginning
        path = folder / "answer"
        async with self.http.get(self.url + answer.file.url) as got:
            if got.status != HTTPStatus.OK:
                return beginning
            with path.open("wb") as file:
                async for piece in got.content.iter_any():
                    await asyncio.to_thread(file.write, piece)
        return KeptText(path=path, content_type=answer.content_type, is_cut=answer.cut_by is not None)

    async def _select(self, expect: Expectation, kept: KeptText) -> Mapping[str, JsonValue | NotSelected]:
        found: dict[str, JsonValue | NotSelected] = {}
        for query in expect.values:
            try:
                selected = await self.queries.select_from(kept, query, MAX_FOUND_BYTES)
                found[query] = load_json(selected.json)
            except QueryRefused as refusal:
                found[query] = NotSelected(refusal.message)
        return found

    def _headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.key}"}


def _text_of_error(error: WireError) -> KeptText:
    """Return the body of an API's error, of which the bridge passes on the beginning."""
    body = error.detail.get("body", "")
    text = body if isinstance(body, str) else dump_json(body).decode()
    return KeptText(text, is_cut="truncated" in error.detail)
