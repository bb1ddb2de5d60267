"""A block that the provider wants back unchanged, as an item of reasoning, and back as it came. Pure.

The provider knows its thinking again by a signature and refuses a block that was changed. It goes on with an
answer only after what its own tools asked and found in it. The signature, or the whole of another block, is
the item's `encrypted_content`, which every client of Responses sends back. A word before it says what it is,
so that another provider's reasoning is never taken for it.
"""

from __future__ import annotations

from bridge.models.agent.items import Item
from toolserver.json_types import JsonObject, JsonValue, array_at, dump_json, load_json, text_at

_THINKING, _REDACTED, _OWN_TOOL = "thinking:", "redacted_thinking:", "own_tool:"


def seal_signature(signature: str) -> str:
    """Return the `encrypted_content` of a block whose text is readable, or was left out."""
    return _THINKING + signature


def seal_redacted(data: str) -> str:
    """Return the `encrypted_content` of a redacted block."""
    return _REDACTED + data


def comes_of_own_tool(kind: str) -> bool:
    """Return whether a block of this type is of a tool that the provider runs itself."""
    return kind in ("server_tool_use", "container_upload") or kind.endswith("_tool_result")


def seal_own_tool(block: JsonObject) -> str:
    """Return the `encrypted_content` of a block of the provider's own tools."""
    return _OWN_TOOL + dump_json(block).decode()


def is_sealed(item: Item) -> bool:
    """Return whether an item of reasoning is a block of this provider, which no other protocol takes back."""
    return text_at(item, "encrypted_content").startswith((_THINKING, _REDACTED, _OWN_TOOL))


def is_own_tool(item: Item) -> bool:
    """Return whether an item of reasoning is a block of the provider's own tools."""
    return text_at(item, "encrypted_content").startswith(_OWN_TOOL)


def sealed_block(item: Item) -> JsonObject | None:
    """Return the block that an item of reasoning was; None: it came from another protocol."""
    sealed = text_at(item, "encrypted_content")
    if sealed.startswith(_REDACTED):
        return {"type": "redacted_thinking", "data": sealed.removeprefix(_REDACTED)}
    if sealed.startswith(_OWN_TOOL):
        return _own_tool(sealed.removeprefix(_OWN_TOOL))
    if not sealed.startswith(_THINKING):
        return None
    parts = (part for part in array_at(item, "content") if isinstance(part, dict))
    text = "".join(text_at(part, "text") for part in parts)
    return {"type": "thinking", "thinking": text, "signature": sealed.removeprefix(_THINKING)}


def is_thinking(block: JsonValue) -> bool:
    """Return whether a block of a message is one of thinking."""
    return isinstance(block, dict) and block.get("type") in ("thinking", "redacted_thinking")


def _own_tool(text: str) -> JsonObject | None:
    """Return the block; None: it is none, as a caller may write whatever it likes."""
    try:
        block = load_json(text)
    except ValueError:
        return None
    return block if isinstance(block, dict) and comes_of_own_tool(text_at(block, "type")) else None
