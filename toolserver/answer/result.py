"""Renders the answer of an API as a caller reads it (`docs/reference/answers.md`).

Receives what the page reported of a finished request; gives the body, content type and headers of our own
answer. JSON is spliced in as it came, never parsed and written again: large integers and number formats stay.
An answer is never a bare array, never `null` and never empty, because callers lose those (measured with Open
WebUI 0.12.4). Knows nothing of calls, errors and HTTP servers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import orjson

from toolserver.answer.response_headers import (
    ANSWER_HEADERS,
    filename_of,
    headers_line,
    select_headers,
    telling_headers,
)
from toolserver.answer.sequence import complete_items, is_sequence, items_of
from toolserver.answer.tolerant_json import readable_json
from toolserver.answer.truncation import cut_json
from toolserver.openapi.media_type import JSON, OCTETS, base_type, is_json
from toolserver.value_object import value_object

HTML = "text/html"
_SILENT_TYPES = frozenset(
    ("", "text/plain", OCTETS, "binary/octet-stream", "application/unknown", "application/x-unknown")
)
"""Types that say nothing useful: a JSON object or array in such a body is read as JSON."""

_NO_HEADERS: Mapping[str, str] = {}
_EMBED_HEADERS = ("content-disposition", "location")

SELECT = (
    "This is the outline of a longer answer. Select what you need with read_result: this call_id, and in "
    "select a JMESPath over the shape, such as orders[?total > `10`].{id: id}. With offset it gives the text."
)
READ_ON = (
    "This is the beginning of the answer. Read on with read_result: this call_id, next_offset as offset."
)
NOT_STORED = (
    "This is the beginning of the answer. The bridge had no space to store the rest. Ask the API for less."
)
CUT_BY_SIZE = "The API's answer is longer than the page reads, so its end is missing. Ask the API for less."
CUT_BY_TIME = "The API was still sending when the call timed out; this is what had arrived."
CUT_BY_STOP = "The user stopped the call while the API was still sending; this is what had arrived."
CUT_HINTS = {"size": CUT_BY_SIZE, "time": CUT_BY_TIME, "stop": CUT_BY_STOP}
FILE_NOT_STORED = "The bridge had no space to store this file."

LOST = "The API answered with this status; the rest of its answer was lost on the way to the bridge."


@dataclass(frozen=True, slots=True)
class FileBody:
    """A body that is not text."""

    file_id: str | None
    """Id of the stored bytes; None: there was no room for them."""
    size_bytes: int


@value_object
class QueriedText:
    """What a caller reads of a text that was queried, or is too long for it."""

    outline: bytes | None = None
    """JSON, as `outline.outline_of` gives it; None: of what was selected, and of what is not JSON."""
    selected: bytes | None = None
    """JSON."""
    complete: bool = True
    """Whether the query was asked of the whole answer."""
    select_error: str = ""
    """Why nothing was selected; "" if nothing was to be."""


@value_object
class TextBody:
    """A body the page read as text."""

    text: str
    """The whole text, or as much of its beginning as a caller reads."""
    total_bytes: int | None = None
    """Size of the whole text in UTF-8 bytes, when `text` is only its beginning."""
    stored_file: FileBody | None = None
    """The whole text as a file, if it is stored."""
    queried: QueriedText | None = None


@value_object
class Answered:
    """An API's answer as the page reported it."""

    http_status: int
    content_type: str
    """As sent by the API, parameters included; "" if it sent none."""
    headers: Mapping[str, str]
    """Lower-case names; only what the API lets a page read."""
    body: TextBody | FileBody | None
    """None for an empty body."""
    truncated: bool = False
    """Whether the page has read only the beginning of the body."""
    total_bytes: int | None = None
    """Size of the whole body in bytes, where known."""
    cut_by: Literal["size", "time", "stop"] | None = None
    """Why the page stopped reading, if it reported that."""
    transport: Literal["page", "companion"] = "page"
    """What sent the request: the page itself, or its browser's companion extension."""
    login: bool = False
    """Whether the user's cookies for the API went along."""


@value_object
class Rendered:
    """One of the bridge's own HTTP answers."""

    body: bytes
    """Empty when `file` is the body."""
    content_type: str
    headers: Mapping[str, str] = field(default_factory=lambda: _NO_HEADERS)
    """Lower-case names, without content-type. `ANSWER_HEADERS` is among them where the body is the API's own
    and what its headers tell has no place in it."""
    file: FileBody | None = None
    """The file whose bytes are the body; the HTTP layer sends them."""


FileUrl = Callable[[str], str]
"""Returns the address of a stored file, by its id."""


def render_answer(
    answered: Answered, *, call_id: str, file_url: FileUrl, allow_inline_html: bool
) -> Rendered:
    """Renders `answered` for a caller, whatever its status (`docs/reference/answers.md`).

    `file_url` is called only for stored files. A text that was cut, by the page or because a caller reads
    only its beginning, says so and, where the rest is stored, how to read on.
    """
    body = answered.body
    if isinstance(body, FileBody):
        return _render_file(answered, body, file_url)
    if body is not None and body.queried is not None:
        return _render_queried(answered, body, body.queried, call_id, file_url)
    if allow_inline_html and _is_inline(answered) and (embedded := _render_embed(answered)) is not None:
        return embedded
    if body is None or not (body.text or answered.truncated):
        headers = select_headers(answered.headers)
        lost = {"note": LOST} if answered.truncated else {}
        return _json({"status": answered.http_status} | ({"headers": headers} if headers else {}) | lost)
    if answered.truncated or body.total_bytes is not None:
        return _render_cut(answered, body, call_id, file_url)
    return _render_complete_text(answered, body.text)


def may_be_json(content_type: str, text: str) -> bool:
    """Whether to try a text as JSON: its type says JSON, or says nothing and the text begins like JSON."""
    if is_json(content_type):
        return True
    return base_type(content_type) in _SILENT_TYPES and text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[")


def _render_complete_text(answered: Answered, text: str) -> Rendered:
    if is_sequence(answered.content_type) and (items := items_of(text, answered.content_type)):
        return _json({"items": [orjson.Fragment(item) for item in items], **_told_beside(answered)})
    encoded = text.encode("utf-8", "replace")
    if may_be_json(answered.content_type, text) and (spliced := _splice(answered, encoded)) is not None:
        return spliced
    return _json({**_text_fields(answered, encoded.decode("utf-8")), **_told_beside(answered)})


def _told_beside(answered: Answered) -> Mapping[str, object]:
    """The member with what the headers tell, for answers that are objects of our own."""
    told = telling_headers(answered.headers)
    return {"headers": told} if told else _NO_HEADERS


def _told_in_header(answered: Answered) -> Mapping[str, str]:
    """The same as a header, for answers that stay as the API sent them."""
    told = telling_headers(answered.headers)
    return {ANSWER_HEADERS: headers_line(told)} if told else _NO_HEADERS


def _render_queried(
    answered: Answered, body: TextBody, queried: QueriedText, call_id: str, file_url: FileUrl
) -> Rendered:
    """The outline or what was selected; both name the stored answer."""
    if queried.selected is not None:
        told: dict[str, object] = {"selected": orjson.Fragment(queried.selected)}
        told |= {} if queried.complete else {"complete": False}
        told |= {**_told_beside(answered), "call_id": call_id}
        told |= (
            {} if body.stored_file is None else {"file": _file_fields(answered, body.stored_file, file_url)}
        )
        return _json(told if not answered.truncated else {**told, "hint": _cut_hint(answered)})
    error = {"select_error": queried.select_error} if queried.select_error else {}
    if queried.outline is None:
        rendered = render_answer(
            replace(answered, body=replace(body, queried=None)),
            call_id=call_id,
            file_url=file_url,
            allow_inline_html=False,
        )
        return _json({"result": orjson.Fragment(rendered.body), **error})
    continuation: dict[str, object] = {}
    if body.stored_file is not None:
        continuation = {"next_offset": 0, "file": _file_fields(answered, body.stored_file, file_url)}
    truncated = {"truncated": _sizes(answered, body, 0), "call_id": call_id, **continuation}
    outline = {"outline": orjson.Fragment(queried.outline), **error, **_told_beside(answered)}
    return _json({**outline, **truncated, "hint": _hint(answered, body, SELECT)})


class _Beginning(NamedTuple):
    """The part of a cut text that is shown."""

    fields: Mapping[str, object]
    end: int
    """Number of characters of the text that this part covers."""
    facts: Mapping[str, object] = {}
    """Facts about the array that was cut."""


def _beginning(answered: Answered, text: str) -> _Beginning:
    """Whole items of a sequence or an array, where enough of them remain; else the text as it is."""
    if is_sequence(answered.content_type):
        items_text = complete_items(text, answered.content_type)
        if items := items_of(items_text, answered.content_type):
            return _Beginning({"items": [orjson.Fragment(item) for item in items]}, len(items_text))
    elif may_be_json(answered.content_type, text) and (cut := cut_json(text)) is not None:
        facts = {"items_shown": cut.items, "array": cut.pointer}
        return _Beginning({"result": orjson.Fragment(cut.text)}, cut.end, facts)
    return _Beginning(_text_fields(answered, text), len(text))


def _render_cut(answered: Answered, body: TextBody, call_id: str, file_url: FileUrl) -> Rendered:
    text = body.text.encode("utf-8", "replace").decode("utf-8")
    fields, end, facts = _beginning(answered, text)
    sizes = _sizes(answered, body, len(text[:end].encode()))
    continuation: dict[str, object] = {}
    if body.stored_file is not None:
        continuation = {"next_offset": end, "file": _file_fields(answered, body.stored_file, file_url)}
    truncated = {"truncated": {**sizes, **facts}, "call_id": call_id, **continuation}
    return _json({**fields, **_told_beside(answered), **truncated, "hint": _hint(answered, body, READ_ON)})


def _sizes(answered: Answered, body: TextBody, shown: int) -> dict[str, int]:
    """Sizes in UTF-8 bytes; `bytes_kept` is how much can be read in all."""
    sizes = {"bytes_shown": shown, "bytes_kept": body.stored_file.size_bytes if body.stored_file else shown}
    total = answered.total_bytes if answered.truncated else body.total_bytes
    return sizes if total is None else {**sizes, "bytes_total": total}


def _hint(answered: Answered, body: TextBody, read_on: str) -> str:
    hints: list[str] = []
    if body.stored_file is not None:
        hints.append(read_on)
    elif body.total_bytes is not None:
        hints.append(NOT_STORED)
    if answered.truncated:
        hints.append(_cut_hint(answered))
    return " ".join(hints)


def _cut_hint(answered: Answered) -> str:
    return CUT_HINTS[answered.cut_by or "size"]


def _splice(answered: Answered, encoded: bytes) -> Rendered | None:
    """The JSON text as an object; None if it is not JSON."""
    readable = readable_json(encoded.removeprefix(b"\xef\xbb\xbf").strip())
    if readable is None:
        return None
    if readable.startswith(b"{"):
        return Rendered(readable, JSON, _told_in_header(answered))
    return _json({"result": orjson.Fragment(readable), **_told_beside(answered)})


def _text_fields(answered: Answered, text: str) -> dict[str, object]:
    fields: dict[str, object] = {"text": text, "content_type": answered.content_type or "text/plain"}
    name = filename_of(answered.headers)
    return {**fields, "filename": name} if name else fields


def _render_file(answered: Answered, body: FileBody, file_url: FileUrl) -> Rendered:
    mime = base_type(answered.content_type) or OCTETS
    if mime.startswith("image/") and body.file_id is not None:
        return Rendered(b"", mime, _told_in_header(answered), file=body)
    fields = {"file": _file_fields(answered, body, file_url), **_told_beside(answered)}
    return _json(fields if body.file_id is not None else {**fields, "hint": FILE_NOT_STORED})


def _file_fields(answered: Answered, body: FileBody, file_url: FileUrl) -> dict[str, object]:
    url = {} if body.file_id is None else {"url": file_url(body.file_id)}
    name = filename_of(answered.headers)
    fields: dict[str, object] = {
        **url,
        "mime": base_type(answered.content_type) or OCTETS,
        "bytes": body.size_bytes,
    }
    return {**fields, "filename": name} if name else fields


def _is_inline(answered: Answered) -> bool:
    return base_type(answered.headers.get("content-disposition", "")) == "inline"


def _render_embed(answered: Answered) -> Rendered | None:
    """Renders a page or an address that Open WebUI shows in a frame; Open WebUI reads only these two headers.

    A page too long for a caller to read is shown whole where it is stored: it is meant for the user's eyes.
    """
    headers = {name: answered.headers[name] for name in _EMBED_HEADERS if name in answered.headers}
    body = answered.body
    if base_type(answered.content_type) == HTML and isinstance(body, TextBody) and not answered.truncated:
        headers.pop("location", None)
        headers |= _told_in_header(answered)
        if body.total_bytes is None:
            return Rendered(body.text.encode("utf-8", "replace"), f"{HTML}; charset=utf-8", headers)
        return (
            Rendered(b"", f"{HTML}; charset=utf-8", headers, file=body.stored_file)
            if body.stored_file
            else None
        )
    if headers.get("location", "").startswith(("https://", "http://")):
        return Rendered(orjson.dumps({"status": answered.http_status}), JSON, headers)
    return None


def _json(value: Mapping[str, object]) -> Rendered:
    return Rendered(orjson.dumps(value), JSON)
