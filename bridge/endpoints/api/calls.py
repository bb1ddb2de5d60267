"""`/api/calls`: trying a tool from the page, uploading answers, and reading stored files."""

from __future__ import annotations

import secrets
import time
from typing import Any, Literal
from urllib.parse import quote

from aiohttp import hdrs, web

from bridge.browser_protocol import ARGUMENT_BYTES
from bridge.calls.argument_redaction import has_redactions
from bridge.calls.dispatcher import Dispatcher
from bridge.calls.engine import Engine
from bridge.calls.limits.call_settings import checked_deadline
from bridge.calls.open_call import OpenCall
from bridge.calls.outcome import CallOutcome
from bridge.calls.reading import Reading
from bridge.calls.request import CallContext, CallOptions, ToolCall
from bridge.calls.result_select import checked_select
from bridge.calls.state_machine import CallState
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.http.access import caller_of
from bridge.http.answer_files import AnswerFiles, plain_mime
from bridge.http.body import read_body
from bridge.http.connections import admit_user, share_of_pages
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.relayed import relayed_id_of
from bridge.http.routing import ApiModel, Confirmation, json_answer
from bridge.http.security_headers import FILE_POLICY
from bridge.storage.call_journal import CallJournal
from toolserver.answer.response_headers import filename_of
from toolserver.answer.result import Answered, FileBody, TextBody
from toolserver.errors import ArgumentError
from toolserver.json_types import dump_json

RESULT_TOKEN_HEADER = "X-Result-Token"

RESULT_KIND_HEADER = "X-Result-Kind"
"""Name of the header that says `text` (UTF-8) or `file`, as the page found the answer."""


AGENT_NAME = "agent of the browser"
"""Follows the name of the page in which an agent of the browser has called a tool (WebMCP)."""


class NewCall(ApiModel):
    """A tool to run. `arguments_text` overrides `arguments`: as text, integers keep all digits."""

    tool: str
    arguments: dict[str, Any] | None = None
    arguments_text: str | None = None
    deadline_s: float | None = None
    """Seconds from when it has its slot, 1 to 600; overrides every setting."""
    select: str | None = None
    """JMESPath: what to choose of the answer. The API never sees it."""
    for_agent: bool = False
    """An agent of the browser asks, not its user: for people, who asks is named so."""


class FileLink(ApiModel):
    """A stored answer, readable at `url` for a day."""

    url: str | None
    """None: the bridge had no space to store it."""
    mime: str
    bytes: int
    filename: str = ""
    """As the API named it."""


class AnswerFacts(ApiModel):
    """What the API answered."""

    http_status: int
    content_type: str
    headers: dict[str, str]
    """Those that the page may read, without secrets."""
    text: str | None = None
    """At most as much as a model reads (`--max-answer-bytes`)."""
    file: FileLink | None = None
    """The whole answer, when it is not text or was longer than a message of the socket."""
    truncated: bool = False
    """`text` is only the beginning of the answer, or what was selected of it."""
    selected: bool = False
    """`text` is what the query of the call selected, as JSON."""
    select_error: str = ""
    """Why the query of the call selected nothing."""
    cut_by: Literal["size", "time", "stop"] | None = None
    """Why the page itself could not read the answer to its end."""
    total_bytes: int | None = None
    transport: Literal["page", "companion"] = "page"
    """What sent the request: the page itself, or the companion extension of its browser."""
    login: bool = False
    """The user's cookies for the API went along."""


class OutcomeFacts(ApiModel):
    """How the call ended: with an answer or with an error."""

    state: CallState
    answer: AnswerFacts | None = None
    error: WireError | None = None


class CallReport(ApiModel):
    """A call that has ended."""

    call_id: str
    tool: str
    outcome: OutcomeFacts
    duration_ms: float


def context_of(request: web.Request, *, agent: str = "") -> CallContext:
    """Return who asks for a call, which belongs to no chat; `agent`: who asks in the caller's page."""
    caller = caller_of(request)
    asked_by = f"{caller.name}, {agent}" if agent else caller.name
    return CallContext(
        caller.user.id, asked_by=asked_by, caller_id=caller.id, relayed_id=relayed_id_of(request)
    )


def _reading_of(wanted: NewCall) -> Reading:
    """Return what the caller reads of the answer.

    Raises:
        BridgeError: `invalid_arguments`: the query is not JMESPath.
    """
    try:
        return Reading(select=checked_select(wanted.select, "select"))
    except ArgumentError as error:
        detail = {"argument": error.argument, "pointer": error.pointer}
        raise BridgeError(ErrorCode.INVALID_ARGUMENTS, error.message, detail=detail) from None


_CALLING = (
    ErrorCode.INVALID_REQUEST,
    ErrorCode.INVALID_ARGUMENTS,
    ErrorCode.UNKNOWN_TOOL,
    ErrorCode.NOT_ACCEPTED,
    ErrorCode.QUEUE_FULL,
    ErrorCode.BREAKER_OPEN,
)


class CallRoutes(DeclaredApiRoutes):
    """Handlers of calls and their answers."""

    def __init__(
        self,
        engine: Engine,
        dispatcher: Dispatcher,
        files: AnswerFiles,
        journal: CallJournal,
    ) -> None:
        self._engine = engine
        self._dispatcher = dispatcher
        self._files = files
        self._journal = journal

    @api_route(
        "POST /api/calls",
        ok("The call has ended; `state` says how.", CallReport),
        body=NewCall,
        errors=_CALLING,
    )
    async def call_tool(self, request: web.Request) -> web.Response:
        """Run a tool in the caller's page and wait for the outcome.

        The answer is for the page rather than for a model.
        """
        wanted = await read_body(request, NewCall, max_bytes=2 * ARGUMENT_BYTES)
        if wanted.deadline_s is not None:
            checked_deadline(wanted.deadline_s)
        text = wanted.arguments_text
        if text is None:
            text = dump_json(wanted.arguments or {}).decode()
        options = CallOptions(deadline_s=wanted.deadline_s, reading=_reading_of(wanted))
        context = context_of(request, agent=AGENT_NAME if wanted.for_agent else "")
        return await self._run(ToolCall(context, wanted.tool, text, options=options))

    @api_route(
        "POST /api/calls/{id}/retry",
        ok("The new call has ended.", CallReport),
        errors=(ErrorCode.NOT_FOUND, *_CALLING),
    )
    async def retry_call(self, request: web.Request) -> web.Response:
        """Repeat a call that has ended: a new call with the same arguments."""
        caller = caller_of(request)
        call_id = request.match_info["id"]
        stored = await self._journal.find_call(caller.user.id, call_id)
        if stored is None or stored.ended_at is None:
            raise BridgeError(ErrorCode.NOT_FOUND, f"There is no ended call {call_id!r}.")
        if stored.arguments is None:
            message = f"The arguments of call {call_id!r} were too long to store. Call the tool again."
            raise BridgeError(ErrorCode.INVALID_REQUEST, message)
        if has_redactions(stored.arguments):
            message = f"Secrets in the arguments of call {call_id!r} were not stored. Call the tool again."
            raise BridgeError(ErrorCode.INVALID_REQUEST, message)
        return await self._run(ToolCall(context_of(request), stored.tool, stored.arguments, stored.server))

    @api_route(
        "PUT /api/calls/{id}/result",
        ok("Stored until the page reports the outcome.", Confirmation),
        access="result_token",
        errors=(ErrorCode.UNAUTHORIZED, ErrorCode.TOO_LARGE),
    )
    async def upload_result(self, request: web.Request) -> web.Response:
        """Upload the answer of a running call, from the page.

        A page that did not get the response sends it once more; the first one counts.
        """
        call = self._open_call(request)
        if call.uploaded is not None:
            return json_answer(Confirmation())
        is_text = request.headers.get(RESULT_KIND_HEADER) == "text"
        receive = self._files.receive_text if is_text else self._files.receive_file
        uploaded = await receive(call.user_id, call.call_id, request.content.iter_any())
        call.uploaded = call.uploaded or uploaded
        return json_answer(Confirmation())

    @api_route(
        "GET /api/calls/{id}/answer",
        ok("A link to the whole answer, valid for a day.", FileLink),
        errors=(ErrorCode.NOT_FOUND, ErrorCode.ANSWER_LOST, ErrorCode.CLUSTER_UNAVAILABLE),
    )
    async def find_answer(self, request: web.Request) -> web.Response:
        """Get a link to the stored answer of one of the caller's calls.

        It has the type and file name of the API's answer.
        """
        caller = caller_of(request)
        mime = request.query.get("content_type", "")
        name = filename_of({"content-disposition": request.query.get("disposition", "")})
        found = await self._files.sign_link(caller.user.id, request.match_info["id"], mime, name)
        if found is None:
            message = "No answer of this call is stored. Files and long answers are stored for a day."
            raise BridgeError(ErrorCode.NOT_FOUND, message)
        url, size = found
        return json_answer(FileLink(url=url, mime=plain_mime(mime), bytes=size, filename=name))

    @api_route(
        "GET /files/{token}",
        ok("The file.", media_type="*/*"),
        access="public",
        errors=(
            ErrorCode.UNAUTHORIZED,
            ErrorCode.NOT_FOUND,
            ErrorCode.ANSWER_LOST,
            ErrorCode.CLUSTER_UNAVAILABLE,
        ),
    )
    async def read_file(self, request: web.Request) -> web.StreamResponse:
        """Read a stored answer by its signed URL. It is sent as an attachment that no browser executes."""
        stored = await self._files.open_file(request.match_info["token"])
        if stored is None:
            message = "This file no longer exists; answers are stored for a day."
            raise BridgeError(ErrorCode.NOT_FOUND, message)
        is_inline = stored.mime.startswith("image/") and not stored.mime.startswith("image/svg")
        disposition = "inline" if is_inline else "attachment"
        if stored.filename:
            disposition += f"; filename*=UTF-8''{quote(stored.filename, safe='')}"
        headers = {
            hdrs.CONTENT_TYPE: stored.mime,
            hdrs.CONTENT_DISPOSITION: disposition,
            "Content-Security-Policy": FILE_POLICY,
            "X-Content-Type-Options": "nosniff",
        }
        return web.FileResponse(stored.path, headers=headers)

    async def _run(self, call: ToolCall) -> web.Response:
        started = time.perf_counter()
        outcome = await self._engine.call_tool(call)
        report = CallReport(
            call_id=outcome.call_id,
            tool=call.tool_name,
            outcome=self.describe_outcome(outcome),
            duration_ms=round((time.perf_counter() - started) * 1000, 1),
        )
        return json_answer(report)

    def _open_call(self, request: web.Request) -> OpenCall:
        call = self._dispatcher.open_call(request.match_info["id"])
        token = request.headers.get(RESULT_TOKEN_HEADER, "").encode("utf-8", "replace")
        if call is None or not secrets.compare_digest(call.result_token.encode(), token):
            raise BridgeError(ErrorCode.UNAUTHORIZED, "No running call accepts an answer with this token.")
        admit_user(request, share_of_pages(call.request.context.user_id))
        return call

    def describe_outcome(self, outcome: CallOutcome) -> OutcomeFacts:
        """Return an outcome in the form of these routes."""
        answer = self._answer_facts(outcome.answered) if outcome.answered else None
        return OutcomeFacts(state=outcome.state, answer=answer, error=outcome.error)

    def _answer_facts(self, answered: Answered) -> AnswerFacts:
        body = answered.body
        text = body if isinstance(body, TextBody) else None
        file = body if isinstance(body, FileBody) else text.stored_file if text else None
        is_cut = text is not None and text.total_bytes is not None
        queried = text.queried if text else None
        selected = queried.selected if queried else None
        return AnswerFacts(
            http_status=answered.http_status,
            content_type=answered.content_type,
            headers=dict(answered.headers),
            text=selected.decode() if selected is not None else text.text if text else None,
            selected=selected is not None,
            select_error=queried.select_error if queried else "",
            file=self._link(answered, file) if file else None,
            truncated=answered.truncated or is_cut,
            cut_by=answered.cut_by,
            total_bytes=text.total_bytes
            if text and is_cut and not answered.truncated
            else answered.total_bytes,
            transport=answered.transport,
            login=answered.login,
        )

    def _link(self, answered: Answered, file: FileBody) -> FileLink:
        name = filename_of(answered.headers)
        url = self._files.url_path(file.file_id, answered.content_type, name) if file.file_id else None
        return FileLink(url=url, mime=answered.content_type, bytes=file.size_bytes, filename=name)
