"""A block of thinking as an item of reasoning, and back as it came. Pure.

The provider knows its blocks again by a signature and refuses one that was changed. The signature, or the
whole of a redacted block, is the item's `encrypted_content`, which every client of Responses sends back. A
word before it says what it is, so that another provider's reasoning is never taken for it.
"""

from __future__ import annotations

from bridge.models.agent.items import Item
from toolserver.json_types import JsonObject, JsonValue, array_at, text_at

_THINKING, _REDACTED = "thinking:", "redacted_thinking:"


def seal_signature(signature: str) -> str:
    """Return the `encrypted_content` of a block whose text is readable, or was left out."""
    return _THINKING + signature


def seal_redacted(data: str) -> str:
    """Return the `encrypted_content` of a redacted block."""
    return _REDACTED + data


def is_sealed_thinking(item: Item) -> bool:
    """Return whether an item of reasoning is a block of thinking, which no other protocol takes back."""
    return text_at(item, "encrypted_content").startswith((_THINKING, _REDACTED))


def thinking_block(item: Item) -> JsonObject | None:
    """Return the block that an item of reasoning was; None: it came from another protocol."""
    sealed = text_at(item, "encrypted_content")
    if sealed.startswith(_REDACTED):
        return {"type": "redacted_thinking", "data": sealed.removeprefix(_REDACTED)}
    if not sealed.startswith(_THINKING):
        return None
    parts = (part for part in array_at(item, "content") if isinstance(part, dict))
    text = "".join(text_at(part, "text") for part in parts)
    return {"type": "thinking", "thinking": text, "signature": sealed.removeprefix(_THINKING)}


def is_thinking(block: JsonValue) -> bool:
    """Return whether a block of a message is one of thinking."""
    return isinstance(block, dict) and block.get("type") in ("thinking", "redacted_thinking")
