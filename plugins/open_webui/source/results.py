"""What tools give: results as models read them, images and embedded pages as users see them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from plugins.open_webui.source.json_values import Json, as_array, as_object

MAX_RESULT_CHARS = 200_000
"""Of one result that a model is given."""

MAX_REASON_CHARS = 300
"""Of the reason for a failure, for people."""

IMAGE = "data:image/"

ANSWER_HEADERS = "x-tool-bridge-answer-headers"
"""Header of the bridge's tool server: what the headers of an API's answer tell, as JSON."""

MAX_TOLD_CHARS = 4096


@dataclass(frozen=True)
class Result:
    """What a call gave."""

    text: str
    images: Sequence[str] = ()
    """Addresses, or the images themselves as `data:` addresses."""
    embeds: Sequence[str] = ()
    """Pages, or their addresses."""
    has_failed: bool = False

    @property
    def output(self) -> str | list[Json]:
        """For the model."""
        images = [{"type": "input_image", "image_url": url} for url in self.images]
        return [{"type": "input_text", "text": self.text}, *images] if images else self.text


def failed(message: str) -> Result:
    """A failure, as a model reads it."""
    return Result(json.dumps({"error": message}, ensure_ascii=False), has_failed=True)


def reason_of(failure: Result) -> str:
    """Why a call failed, for people."""
    try:
        error = as_object(json.loads(failure.text)).get("error")
    except ValueError:
        error = failure.text
    return str(error)[:MAX_REASON_CHARS]


def result_of(name: str, raw: Any, *, is_direct: bool) -> Result:
    """What a tool returned, or a browser answered (`is_direct`): a value, perhaps paired with headers."""
    data, headers = _parted(raw, list if is_direct else tuple)
    images: list[str] = []
    embeds: list[str] = []
    if "inline" in headers.get("content-disposition", ""):
        pair = as_array(data)
        shown, context = pair if len(pair) == _PAIR else (data, None)
        embed = shown if "text/html" in headers.get("content-type", "") else headers.get("location")
        if embed:
            embeds.append(str(embed))
            data = context or f"{name}: the result is shown to the user."
    if isinstance(data, str) and data.startswith(IMAGE):
        images.append(data)
        data = f"{name}: Image file read successfully."
    elif isinstance(data, list):
        data = [_part(part, images) for part in as_array(data)]
    has_failed = bool(as_object(data).get("error"))
    if told := _told_headers(headers):
        data = {"result": data, "headers": told}
    return Result(_text(data), images, embeds, has_failed)


_PAIR = 2


def _text(data: Any) -> str:
    if data is None:
        return ""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)
    if len(text) <= MAX_RESULT_CHARS:
        return text
    return f"{text[:MAX_RESULT_CHARS]}\n[Cut: {len(text) - MAX_RESULT_CHARS} characters more.]"


def _parted(raw: Any, pair_type: type) -> tuple[Any, dict[str, str]]:
    """Data and headers: of tool servers and browsers, which give pairs, and of HTML of Python tools."""
    first, second = cast(Sequence[Any], raw) if _is_pair(raw, pair_type) else (raw, None)
    if hasattr(first, "body") and hasattr(first, "headers"):
        text = bytes(first.body).decode("utf-8", "replace")
        return ([text, second] if second else text), _headers(first.headers)
    if first is not raw and (second is None or isinstance(second, Mapping)):
        return first, _headers(second)
    return raw, {}


def _is_pair(value: Any, pair_type: type) -> bool:
    return isinstance(value, pair_type) and len(cast(Sequence[Any], value)) == _PAIR


def _headers(pairs: Any) -> dict[str, str]:
    found = cast(Mapping[Any, Any], pairs or {})
    return {str(name).lower(): str(value) for name, value in found.items()}


def _told_headers(headers: Mapping[str, str]) -> Json:
    """What the headers of an API's answer tell, such as its next page; beside lists it stands already."""
    line = headers.get(ANSWER_HEADERS, "")
    try:
        return as_object(json.loads(line)) if 0 < len(line) <= MAX_TOLD_CHARS else {}
    except ValueError:
        return {}


def _part(value: Any, images: list[str]) -> Any:
    """One part of an array: a content part of MCP, an image, or anything else."""
    part = as_object(value)
    match part.get("type"):
        case "text" if "text" in part:
            return part["text"]
        case "image" if "data" in part:
            images.append(f"data:{part.get('mimeType')};base64,{part['data']}")
            return "[image]"
        case "resource" if resource := as_object(part.get("resource")):
            return resource.get("text") or resource.get("uri") or "[a file that is not text]"
        case _ if isinstance(value, str) and value.startswith(IMAGE):
            images.append(value)
            return "[image]"
        case _:
            return value
