"""The result of a tool call as MCP clients read it: text, images, audio, links to files, errors.

The text is the JSON that every other endpoint answers with. `structuredContent` is the same object, if it is
short, and only where a client that gives its model nothing else loses nothing by that: JavaScript rounds long
integers.
"""

from __future__ import annotations

import asyncio
import base64
from functools import partial
from typing import TypeAlias, cast

import orjson

from bridge.calls.answer_parts import IMAGE_BYTES, StoredFiles
from bridge.calls.outcome import CallOutcome
from bridge.endpoints.mcp.protocol import has_long_number
from bridge.errors import WireError
from bridge.http.routing import error_bytes
from toolserver.answer.response_headers import filename_of, telling_headers
from toolserver.answer.result import Answered, FileBody, TextBody, render_answer
from toolserver.openapi.media_type import base_type

CALL_KEY = "tool-bridge/call-id"
"""Key in a result's `_meta` with the call's id, under which `/api/calls` has it."""

HEADERS_KEY = "tool-bridge/answer-headers"
"""Key in a result's `_meta` with what the headers of the API's answer tell, where they tell something."""

DECODED_KEY = "tool-bridge/decoded-arguments"
"""Key in a result's `_meta` with the names of arguments that came as the text of their JSON, if any did."""

JsonResult: TypeAlias = "dict[str, object]"
"""A result, in which parts are spliced by `orjson.Fragment`."""

JOINED_KEY = "tool-bridge/joined"
"""Key in a result's `_meta` with the id of the earlier call whose ending this is."""

STRUCTURED_BYTES = 32 * 1024
"""Maximum bytes of a result that is told twice, as text and as `structuredContent`: a client that counts or
shows both would read as much again."""

_MEDIA = ("image/", "audio/")


async def render_answer_of(outcome: CallOutcome, answered: Answered, files: StoredFiles) -> JsonResult:
    """Return the result of a call with the API's answer, spliced in."""
    body = answered.body
    meta: JsonResult = {CALL_KEY: outcome.call_id}
    if told := telling_headers(answered.headers):
        meta[HEADERS_KEY] = told
    if outcome.decoded:
        meta[DECODED_KEY] = outcome.decoded
    if isinstance(body, FileBody) and body.file_id is not None:
        name = filename_of(answered.headers)
        return {"content": [await _file_content(answered, body, body.file_id, name, files)], "_meta": meta}

    def file_url(file_id: str) -> str:
        return files.sign_url(file_id, answered.content_type, filename_of(answered.headers))

    render = partial(
        render_answer, answered, call_id=outcome.call_id, file_url=file_url, allow_inline_html=False
    )
    is_cut = isinstance(body, TextBody) and body.total_bytes is not None
    rendered = (await asyncio.to_thread(render) if is_cut else render()).body
    if len(rendered) > STRUCTURED_BYTES or has_long_number(rendered):
        return {"content": [_text(rendered)], "_meta": meta}
    return {"content": [_text(rendered)], "structuredContent": orjson.Fragment(rendered), "_meta": meta}


def render_error(error: WireError, call_id: str | None) -> JsonResult:
    """Return the result of a call that failed or was refused, for its model to read."""
    result: JsonResult = {"content": [_text(error_bytes(error))], "isError": True}
    return result if call_id is None else {**result, "_meta": {CALL_KEY: call_id}}


def mark_joined(result: JsonResult, call_id: str) -> JsonResult:
    """Return a result that says whose ending it is, in the text alone, so that no client passes over it."""
    note = (
        f"This is how the equal call {call_id} ended, whose answer was not received. Nothing was sent again. "
        "If you mean one more such call, make it now."
    )
    content = cast("list[object]", result["content"])
    meta = cast(JsonResult, result["_meta"])
    told: list[object] = [_text(note.encode()), *content]
    marked = {**result, "content": told, "_meta": {**meta, JOINED_KEY: call_id}}
    marked.pop("structuredContent", None)
    return marked


def render_lost(call_id: str, http_status: int | None) -> JsonResult:
    """Return the result of a call that succeeded, but whose answer was lost."""
    told = {"status": http_status, "note": "The call succeeded; what the API answered is no longer stored."}
    return {"content": [_text(orjson.dumps(told))], "_meta": {CALL_KEY: call_id}}


def _text(content: bytes) -> JsonResult:
    return {"type": "text", "text": content.decode("utf-8", "replace")}


async def _file_content(
    answered: Answered, body: FileBody, file_id: str, name: str, files: StoredFiles
) -> JsonResult:
    """Return an image or audio itself, unless it is too large; else a link that its holder may follow."""
    mime = base_type(answered.content_type) or "application/octet-stream"
    if mime.startswith(_MEDIA) and body.size_bytes <= IMAGE_BYTES:
        content = await files.read_content(file_id)
        if content is not None:
            kind = mime.partition("/")[0]
            encoded = await asyncio.to_thread(base64.b64encode, content)
            return {"type": kind, "data": encoded.decode(), "mimeType": mime}
    return {
        "type": "resource_link",
        "uri": files.sign_url(file_id, answered.content_type, name),
        "name": name or file_id,
        "mimeType": mime,
        "size": body.size_bytes,
    }
