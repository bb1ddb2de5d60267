"""The answer of an API, and what a caller reads of it.

Receives what the page reported of a finished request; gives the body, content type and headers of our own
answer. JSON is spliced as it came, never parsed and written again: large integers and number formats stay.
An answer is never a bare array, never `null` and never empty, because callers lose those (measured with
Open WebUI 0.12.4). Knows nothing of calls, errors and HTTP servers.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

import orjson

JSON = "application/json"
HTML = "text/html"
_JSON_TYPES = frozenset({JSON, "text/json", "application/x-json"})
_PROBLEM_CHARS = 500
EVENTS = "text/event-stream"
_SEQUENCE_TYPES = frozenset(
    (
        EVENTS,
        *("application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl"),
        *("application/json-seq", "application/jsonlines", "application/x-json-stream"),
    )
)
_EMBED_HEADERS = ("content-disposition", "location")


@dataclass(frozen=True, slots=True)
class TextBody:
    """A body the page read as text."""

    text: str


@dataclass(frozen=True, slots=True)
class FileBody:
    """A body that is not text; its bytes are kept under `file_id`."""

    file_id: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
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
    """The text is only the beginning of the body."""
    total_bytes: int | None = None
    """Size of the whole body, where known."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """One HTTP answer of ours."""

    body: bytes
    """Empty when `file` is the body."""
    content_type: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Lower-case names, without content-type."""
    file: FileBody | None = None
    """The file whose bytes are the body; whoever holds files sends them."""


def render_answer(
    answered: Answered, *, call_id: str, file_url: Callable[[FileBody], str], allow_inline_html: bool
) -> Rendered:
    """What a caller reads of `answered`, whatever its status (ruling 10).

    A JSON object is passed on as it is. Other JSON becomes `{"result": …}`, lines of JSON (NDJSON,
    server-sent events) `{"items": […]}`, of which a cut answer has the whole ones, no body `{"status": 204}`,
    text `{"text", "content_type"}`, cut text the same with `truncated` and `call_id`, an image the image
    itself, and any other file `{"file": {"url", "mime", "bytes"}}`; `file_url` is asked only then. HTML is
    text, or
    an embed if `allow_inline_html` and the API itself marked it as inline.
    """
    body = answered.body
    if isinstance(body, FileBody):
        return _render_file(answered, body, file_url)
    if allow_inline_html and _is_inline(answered) and (embedded := _render_embed(answered)) is not None:
        return embedded
    if body is None or not body.text:
        return _json({"status": answered.http_status})
    encoded = body.text.encode("utf-8", "replace")
    if _is_sequence(answered.content_type) and (items := _items(encoded, answered)) is not None:
        return _render_items(answered, items, len(encoded), call_id)
    if answered.truncated:
        return _render_cut(answered, encoded, call_id)
    if _claims_json(answered.content_type):
        spliced = _splice(encoded)
        if spliced is not None:
            return Rendered(spliced, JSON)
    return _json(_text_fields(answered, encoded))


def problem_text(answered: Answered) -> str:
    """What the API itself says went wrong, in one line: title and detail of RFC 9457, or their usual kin.

    "" when its answer is no JSON object or says nothing of the kind.
    """
    if not isinstance(answered.body, TextBody) or not _claims_json(answered.content_type):
        return ""
    try:
        said = orjson.loads(answered.body.text.encode("utf-8", "replace"))
    except orjson.JSONDecodeError:
        return ""
    texts = [text for text in _problem_texts(said) if text]
    line = " ".join(": ".join(dict.fromkeys(texts[:2])).split())
    return line if len(line) <= _PROBLEM_CHARS else line[: _PROBLEM_CHARS - 1] + "…"


def _problem_texts(said: object) -> list[str]:
    if not isinstance(said, dict):
        return []
    fields = cast("dict[str, object]", said)
    inner = fields.get("error")
    if isinstance(inner, dict):
        return _problem_texts(cast(object, inner))
    texts = [fields.get(key) for key in ("title", "detail", "message", "error_description", "error")]
    return [text for text in texts if isinstance(text, str)]


def media_type(content_type: str) -> str:
    """The type of a Content-Type header: lower case, without parameters; "" for none."""
    return content_type.partition(";")[0].strip().lower()


def _claims_json(content_type: str) -> bool:
    mime = media_type(content_type)
    return mime in _JSON_TYPES or mime.endswith("+json")


def _is_sequence(content_type: str) -> bool:
    mime = media_type(content_type)
    return mime in _SEQUENCE_TYPES or mime.endswith("+json-seq")


def _items(encoded: bytes, answered: Answered) -> list[bytes] | None:
    """The JSON texts of a sequence; None when one of them is no JSON. The last one may be cut."""
    if media_type(answered.content_type) == EVENTS:
        lines = _event_texts(encoded)
    else:
        lines = re.split(rb"[\x1e\n]+", encoded)
    items = [line.strip() for line in lines if line.strip()]
    if not items:
        return None
    for index, item in enumerate(items):
        try:
            orjson.loads(item)
        except orjson.JSONDecodeError:
            is_last = index == len(items) - 1
            return items[:-1] if is_last and answered.truncated and index else None
    return items


def _event_texts(encoded: bytes) -> list[bytes]:
    """The data of each server-sent event; "[DONE]", which ends many streams, is no data."""
    data: list[bytes] = []
    for event in re.split(rb"\r?\n\r?\n", encoded):
        fields = [line[5:].removeprefix(b" ") for line in event.splitlines() if line.startswith(b"data:")]
        if fields and fields != [b"[DONE]"]:
            data.append(b"\n".join(fields))
    return data


def _render_items(answered: Answered, items: list[bytes], size: int, call_id: str) -> Rendered:
    fields: dict[str, object] = {"items": [orjson.Fragment(item) for item in items]}
    if answered.truncated:
        fields |= {"truncated": _kept(answered, size), "call_id": call_id}
    return _json(fields)


def _splice(encoded: bytes) -> bytes | None:
    """The JSON text as an object, or None if it is no JSON."""
    encoded = encoded.removeprefix(b"\xef\xbb\xbf").strip()
    try:
        orjson.loads(encoded)
    except orjson.JSONDecodeError:
        return None
    return encoded if encoded.startswith(b"{") else b'{"result":' + encoded + b"}"


def _text_fields(answered: Answered, encoded: bytes) -> dict[str, object]:
    return {"text": encoded.decode("utf-8"), "content_type": answered.content_type or "text/plain"}


def _render_cut(answered: Answered, encoded: bytes, call_id: str) -> Rendered:
    kept = _kept(answered, len(encoded))
    return _json({**_text_fields(answered, encoded), "truncated": kept, "call_id": call_id})


def _kept(answered: Answered, size: int) -> dict[str, int]:
    kept = {"bytes_kept": size}
    if answered.total_bytes is not None:
        kept["bytes_total"] = answered.total_bytes
    return kept


def _render_file(answered: Answered, body: FileBody, file_url: Callable[[FileBody], str]) -> Rendered:
    mime = media_type(answered.content_type) or "application/octet-stream"
    if mime.startswith("image/"):
        return Rendered(b"", mime, file=body)
    return _json({"file": {"url": file_url(body), "mime": mime, "bytes": body.size_bytes}})


def _is_inline(answered: Answered) -> bool:
    return media_type(answered.headers.get("content-disposition", "")) == "inline"


def _render_embed(answered: Answered) -> Rendered | None:
    """A page or an address that Open WebUI shows in a frame; it reads these two headers only."""
    headers = {name: answered.headers[name] for name in _EMBED_HEADERS if name in answered.headers}
    body = answered.body
    if media_type(answered.content_type) == HTML and isinstance(body, TextBody) and not answered.truncated:
        headers.pop("location", None)
        return Rendered(body.text.encode("utf-8", "replace"), f"{HTML}; charset=utf-8", headers)
    if headers.get("location", "").startswith(("https://", "http://")):
        return Rendered(orjson.dumps({"status": answered.http_status}), JSON, headers)
    return None


def _json(value: Mapping[str, object]) -> Rendered:
    return Rendered(orjson.dumps(value), JSON)
