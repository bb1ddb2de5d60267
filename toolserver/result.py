"""The answer of an API, and what a caller reads of it.

Receives what the page reported of a finished request; gives the body, content type and headers of our own
answer. JSON is spliced as it came, never parsed and written again: large integers and number formats stay.
An answer is never a bare array, never `null` and never empty, because callers lose those (measured with
Open WebUI 0.12.4). Knows nothing of calls, errors and HTTP servers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import orjson

JSON = "application/json"
HTML = "text/html"
_JSON_TYPES = frozenset({JSON, "text/json", "application/x-json"})
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

    A JSON object is passed on as it is. Other JSON becomes `{"result": …}`, no body `{"status": 204}`, text
    `{"text", "content_type"}`, cut text the same with `truncated` and `call_id`, an image the image itself,
    and any other file `{"file": {"url", "mime", "bytes"}}`; `file_url` is asked only then. HTML is text, or
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
    if answered.truncated:
        return _render_cut(answered, encoded, call_id)
    if _claims_json(answered.content_type):
        spliced = _splice(encoded)
        if spliced is not None:
            return Rendered(spliced, JSON)
    return _json(_text_fields(answered, encoded))


def media_type(content_type: str) -> str:
    """The type of a Content-Type header: lower case, without parameters; "" for none."""
    return content_type.partition(";")[0].strip().lower()


def _claims_json(content_type: str) -> bool:
    mime = media_type(content_type)
    return mime in _JSON_TYPES or mime.endswith("+json")


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
    kept: dict[str, int] = {"bytes_kept": len(encoded)}
    if answered.total_bytes is not None:
        kept["bytes_total"] = answered.total_bytes
    return _json({**_text_fields(answered, encoded), "truncated": kept, "call_id": call_id})


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
