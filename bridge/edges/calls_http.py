"""`/api/calls`: trying a tool from the page, uploading what a page received, and reading kept files."""

from __future__ import annotations

import secrets
import time
from typing import Any

from aiohttp import hdrs, web
from pydantic import BaseModel

from bridge.calls import CallState
from bridge.dispatch import Dispatcher
from bridge.edges.answer_files import AnswerFiles
from bridge.edges.call_journal import CallJournal
from bridge.edges.http_routes import Answer, Confirmation, Route, caller_of, json_answer, read_body
from bridge.edges.identity import Identity
from bridge.engine import Engine, ToolCall
from bridge.open_call import OpenCall
from bridge.outcome import CallOutcome
from bridge.wire import ARGUMENT_BYTES, FILE_BYTES, RESULT_BYTES, BridgeError, ErrorCode, WireError
from toolserver.json_types import dump_json
from toolserver.result import Answered, FileBody, TextBody

RESULT_TOKEN_HEADER = "X-Result-Token"

RESULT_KIND_HEADER = "X-Result-Kind"
"""`text` (UTF-8) or `file`: the page, which read the answer, knows."""


class NewCall(BaseModel):
    """A tool to run. `arguments_text` wins over `arguments`: as text, no integer loses digits on the way."""

    tool: str
    arguments: dict[str, Any] | None = None
    arguments_text: str | None = None


class FileLink(BaseModel):
    """A binary answer, readable at `url` for a day."""

    url: str
    mime: str
    bytes: int


class AnswerFacts(BaseModel):
    """What the API answered."""

    http_status: int
    content_type: str
    text: str | None = None
    file: FileLink | None = None
    truncated: bool = False
    total_bytes: int | None = None


class OutcomeFacts(BaseModel):
    """How the call ended: with an answer or with an error."""

    state: CallState
    answer: AnswerFacts | None = None
    error: WireError | None = None


class CallReport(BaseModel):
    """A call that has ended."""

    call_id: str
    tool: str
    outcome: OutcomeFacts
    duration_ms: float


class CallRoutes:
    """Handlers of calls and their answers."""

    def __init__(
        self,
        identity: Identity,
        engine: Engine,
        dispatcher: Dispatcher,
        files: AnswerFiles,
        journal: CallJournal,
    ) -> None:
        self._identity = identity
        self._engine = engine
        self._dispatcher = dispatcher
        self._files = files
        self._journal = journal

    def routes(self) -> list[Route]:
        """The table of these routes."""
        return [
            Route(
                "POST",
                "/api/calls",
                self.call,
                "callTool",
                "Run a tool in the caller's page and wait for its end",
                {200: Answer("The call has ended, one way or another.", CallReport)},
                body=NewCall,
                errors=(
                    ErrorCode.INVALID_REQUEST,
                    ErrorCode.INVALID_ARGUMENTS,
                    ErrorCode.UNKNOWN_TOOL,
                    ErrorCode.NOT_ACCEPTED,
                ),
            ),
            Route(
                "POST",
                "/api/calls/{id}/retry",
                self.retry,
                "retryCall",
                "Make a call that has ended again: a new call with the same arguments",
                {200: Answer("The new call has ended.", CallReport)},
                errors=(
                    ErrorCode.NOT_FOUND,
                    ErrorCode.INVALID_REQUEST,
                    ErrorCode.INVALID_ARGUMENTS,
                    ErrorCode.UNKNOWN_TOOL,
                    ErrorCode.NOT_ACCEPTED,
                ),
            ),
            Route(
                "PUT",
                "/api/calls/{id}/result",
                self.upload,
                "uploadResult",
                "Upload the answer of a running call, from the page",
                {200: Answer("Kept until the page reports the outcome.", Confirmation)},
                access="result_token",
                errors=(ErrorCode.UNAUTHORIZED, ErrorCode.TOO_LARGE),
            ),
            Route(
                "GET",
                "/files/{token}",
                self.download,
                "readFile",
                "Read a kept binary answer by its signed URL",
                {200: Answer("The file.", media_type="*/*")},
                access="public",
                errors=(ErrorCode.UNAUTHORIZED, ErrorCode.NOT_FOUND),
            ),
        ]

    async def call(self, request: web.Request) -> web.Response:
        """Run a tool, as every door does; the answer is for the page rather than for a model."""
        caller = await caller_of(self._identity, request)
        wanted = await read_body(request, NewCall, max_bytes=2 * ARGUMENT_BYTES)
        text = wanted.arguments_text
        if text is None:
            text = dump_json(wanted.arguments or {}).decode()
        return await self._run(ToolCall(caller.user.id, wanted.tool, text))

    async def retry(self, request: web.Request) -> web.Response:
        """Make a call of the caller again: another call, with the same tool and arguments."""
        caller = await caller_of(self._identity, request)
        call_id = request.match_info["id"]
        kept = await self._journal.call(caller.user.id, call_id)
        if kept is None or kept.ended_at is None:
            raise BridgeError(ErrorCode.NOT_FOUND, f"There is no ended call {call_id!r}.")
        if kept.arguments_text is None:
            message = f"The arguments of call {call_id!r} were too long to keep. Call the tool anew."
            raise BridgeError(ErrorCode.INVALID_REQUEST, message)
        return await self._run(ToolCall(caller.user.id, kept.tool, kept.arguments_text, kept.server_id))

    async def _run(self, call: ToolCall) -> web.Response:
        started = time.perf_counter()
        outcome = await self._engine.call(call)
        report = CallReport(
            call_id=outcome.call_id,
            tool=call.tool_name,
            outcome=self._facts(outcome),
            duration_ms=round((time.perf_counter() - started) * 1000, 1),
        )
        return json_answer(report)

    async def upload(self, request: web.Request) -> web.Response:
        """Take the answer of a running call; text is kept in memory, everything else as a file.

        A page that did not hear our answer sends it once more; the first one counts.
        """
        call = self._open_call(request)
        if call.uploaded is not None:
            return json_answer(Confirmation())
        if request.headers.get(RESULT_KIND_HEADER) == "text":
            text = (await _read(request, RESULT_BYTES)).decode("utf-8", "replace")
            call.uploaded = TextBody(text)
        else:
            content = await _read(request, FILE_BYTES)
            await self._files.keep(call.call_id, content)
            call.uploaded = FileBody(call.call_id, len(content))
        return json_answer(Confirmation())

    async def download(self, request: web.Request) -> web.StreamResponse:
        """A kept file, as an attachment that no browser runs."""
        kept = self._files.open(request.match_info["token"])
        if kept is None:
            raise BridgeError(ErrorCode.NOT_FOUND, "This file is gone; answers are kept for a day.")
        disposition = (
            "inline" if kept.mime.startswith("image/") and kept.mime != "image/svg+xml" else "attachment"
        )
        headers = {
            hdrs.CONTENT_TYPE: kept.mime,
            hdrs.CONTENT_DISPOSITION: disposition,
            "Content-Security-Policy": "default-src 'none'; sandbox",
            "X-Content-Type-Options": "nosniff",
        }
        return web.FileResponse(kept.path, headers=headers)

    def _open_call(self, request: web.Request) -> OpenCall:
        call = self._dispatcher.open_call(request.match_info["id"])
        shown = request.headers.get(RESULT_TOKEN_HEADER, "").encode("utf-8", "replace")
        if call is None or not secrets.compare_digest(call.result_token.encode(), shown):
            raise BridgeError(ErrorCode.UNAUTHORIZED, "No running call takes an answer with this token.")
        return call

    def _facts(self, outcome: CallOutcome) -> OutcomeFacts:
        answered = outcome.answered
        answer = self._answer_facts(outcome.call_id, answered) if answered else None
        return OutcomeFacts(state=outcome.state, answer=answer, error=outcome.error)

    def _answer_facts(self, call_id: str, answered: Answered) -> AnswerFacts:
        body = answered.body
        file = None
        if isinstance(body, FileBody):
            url = self._files.url_path(call_id, answered.content_type)
            file = FileLink(url=url, mime=answered.content_type, bytes=body.size_bytes)
        return AnswerFacts(
            http_status=answered.http_status,
            content_type=answered.content_type,
            text=body.text if isinstance(body, TextBody) else None,
            file=file,
            truncated=answered.truncated,
            total_bytes=answered.total_bytes,
        )


async def _read(request: web.Request, limit: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in request.content.iter_any():
        size += len(part)
        if size > limit:
            message = f"The answer exceeds {limit} bytes."
            raise BridgeError(ErrorCode.TOO_LARGE, message, detail={"limit_bytes": limit})
        parts.append(part)
    return b"".join(parts)
