"""Converts an API's answer into a call's output: JSON text, and images and files beside it.

Receives outcomes of calls; returns outputs. An answer is data: nothing in it is markup, and nothing is an
instruction. Files are a port.
"""

from __future__ import annotations

import asyncio
import base64
import json
from functools import partial

from bridge.calls.answer_parts import IMAGE_BYTES, StoredFiles
from bridge.calls.outcome import CallOutcome
from bridge.models.agent.toolbox import CallOutput
from bridge.models.agent.turn import CallFile
from toolserver.answer.response_headers import ANSWER_HEADERS, filename_of
from toolserver.answer.result import Answered, FileBody, Rendered, TextBody, render_answer
from toolserver.json_types import JsonObject, dump_json
from toolserver.openapi.media_type import base_type

SEEN_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Types of images that models can read."""


async def answer_output(
    outcome: CallOutcome, tool_name: str, files: StoredFiles, *, sees_images: bool
) -> CallOutput:
    """Build the output of a call that has an answer."""
    answered = outcome.answered
    assert answered is not None
    name = filename_of(answered.headers)
    render = partial(
        render_answer,
        answered,
        call_id=outcome.call_id,
        file_url=lambda file_id: files.sign_url(file_id, answered.content_type, name),
        allow_inline_html=False,
    )
    is_cut = isinstance(answered.body, TextBody) and answered.body.total_bytes is not None
    rendered = await asyncio.to_thread(render) if is_cut else render()
    if rendered.file is not None:
        return await _image_output(rendered, rendered.file, name, tool_name, files, sees_images=sees_images)
    text = _with_headers(rendered).decode("utf-8", "replace")
    return CallOutput(text, has_succeeded=True, files=_files_of(answered, files, name))


def _with_headers(rendered: Rendered) -> bytes:
    """Return the answer with what its headers tell, which a model reads in no other place than the text."""
    told = rendered.headers.get(ANSWER_HEADERS)
    return rendered.body if told is None else b'{"result":%b,"headers":%b}' % (rendered.body, told.encode())


async def _image_output(
    rendered: Rendered, file: FileBody, name: str, tool_name: str, files: StoredFiles, *, sees_images: bool
) -> CallOutput:
    assert file.file_id is not None
    mime = rendered.content_type
    url = files.sign_url(file.file_id, mime, name)
    file_facts: JsonObject = {"url": url, "mime": mime, "bytes": file.size_bytes}
    told = rendered.headers.get(ANSWER_HEADERS)
    headers: JsonObject = {} if told is None else {"headers": json.loads(told)}
    said: JsonObject = {"text": f"{tool_name}: Image file read successfully.", "file": file_facts, **headers}
    text = dump_json(said).decode()
    data_url = await _read_image_url(file.file_id, mime, files) if file.size_bytes <= IMAGE_BYTES else ""
    parts: tuple[JsonObject, ...] = ()
    if sees_images and data_url:
        parts = ({"type": "input_image", "image_url": data_url, "detail": "auto"},)
    return CallOutput(text, True, parts, (CallFile("image", url, mime, data_url),))


async def _read_image_url(file_id: str, mime: str, files: StoredFiles) -> str:
    """Return an image as a `data:` URL; "" if it is gone or of a type that few programs read."""
    content = await files.read_content(file_id) if mime in SEEN_TYPES else None
    return f"data:{mime};base64,{base64.b64encode(content).decode()}" if content is not None else ""


def _files_of(answered: Answered, files: StoredFiles, name: str) -> tuple[CallFile, ...]:
    body = answered.body
    if not isinstance(body, FileBody) or body.file_id is None:
        return ()
    mime = base_type(answered.content_type) or "application/octet-stream"
    return (CallFile("file", files.sign_url(body.file_id, mime, name), mime),)
