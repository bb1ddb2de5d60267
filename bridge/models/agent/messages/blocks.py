"""Converts content parts of the Responses API to blocks of Anthropic's Messages API. Pure."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from toolserver.json_types import JsonObject, JsonValue, dump_json, text_at

_DATA_URL = re.compile(r"data:([^;,]+)(?:;[^;,]+)*;base64,", re.IGNORECASE)
_IMAGES = {
    "image/jpeg": "image/jpeg",
    "image/jpg": "image/jpeg",
    "image/png": "image/png",
    "image/gif": "image/gif",
    "image/webp": "image/webp",
}
"""Types of images that are taken, and one that is written in two ways."""


def text_block(text: str) -> JsonObject:
    """Build the block of a text."""
    return {"type": "text", "text": text}


def blocks_of(content: JsonValue) -> list[JsonObject]:
    """Return the blocks of a content, without texts that are blank, which the provider refuses."""
    if content is None:
        return []
    if isinstance(content, str):
        return [text_block(content)] if content.strip() else []
    if not isinstance(content, list):
        return [text_block(dump_json(content).decode())]
    return [block for part in content if (block := said_block(part)) and not is_blank(block)]


def unsayable_parts(content: list[JsonValue]) -> Iterator[int]:
    """Yield the places of parts for which there is no block."""
    return (place for place, part in enumerate(content) if said_block(part) is None)


def is_blank(block: JsonObject) -> bool:
    """Return whether a block is a text without a letter or sign."""
    return block.get("type") == "text" and not text_at(block, "text").strip()


def said_block(part: JsonValue) -> JsonObject | None:
    """Return the block of a part; None: there is none."""
    if not isinstance(part, dict):
        return None
    match part.get("type"):
        case "input_text" | "output_text" | "text":
            return text_block(text_at(part, "text"))
        case "refusal":
            return text_block(text_at(part, "refusal"))
        case "input_image":
            return _image(text_at(part, "image_url"))
        case "input_file":
            return _document(part)
        case "tool_reference":
            return {"type": "tool_reference", "tool_name": text_at(part, "tool_name")}
        case _:
            return None


def _image(url: str) -> JsonObject | None:
    if url.startswith(("http://", "https://")):
        return {"type": "image", "source": {"type": "url", "url": url}}
    mime, content = _read_inline(url)
    if mime not in _IMAGES:
        return None
    source: JsonObject = {"type": "base64", "media_type": _IMAGES[mime], "data": content}
    return {"type": "image", "source": source}


def _document(part: JsonObject) -> JsonObject | None:
    mime, content = _read_inline(text_at(part, "file_data"))
    title: JsonObject = {"title": name} if (name := text_at(part, "filename")) else {}
    if url := text_at(part, "file_url"):
        source: JsonObject = {"type": "url", "url": url}
    elif mime == "application/pdf":
        source = {"type": "base64", "media_type": mime, "data": content}
    elif mime.startswith("text/") and (text := _decoded(content)):
        source = {"type": "text", "media_type": "text/plain", "data": text}
    else:
        return None
    return {"type": "document", "source": source, **title}


def _read_inline(url: str) -> tuple[str, str]:
    """Return the type and the base64 of a `data:` URL; empty texts for anything else."""
    head = _DATA_URL.match(url)
    return (head[1].lower(), url[head.end() :]) if head else ("", "")


def _decoded(content: str) -> str:
    try:
        return base64.b64decode(content, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


def is_error_text(output: JsonValue) -> bool:
    """Return whether an output is an error's JSON, as `model_messages.error_text` writes it."""
    return isinstance(output, str) and output.startswith('{"error":{"code":')


def texts_of(content: JsonValue) -> str:
    """Return the texts of a content, each in a line."""
    return "\n".join(text for block in blocks_of(content) if (text := text_at(block, "text")))
