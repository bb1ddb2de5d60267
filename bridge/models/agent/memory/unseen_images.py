"""Replaces images of tools by words for a model that does not see: its provider refuses the whole request.

Only images that nobody has chosen for the model: those of Open WebUI's tools, and those that were stored for
another model. A program that sends images of its own tools means it, as users do who attach one. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bridge.models.agent.items import Item, answered_call_id
from bridge.models.agent.memory.replay import Replayed
from toolserver.json_types import JsonObject, JsonValue, array_at, text_at

UNSEEN = "[An image, which this model cannot see; its user may.]"

IMAGES_OF_TOOLS = "Here are the images from the tool results above."
"""How the user's message begins in which Open WebUI repeats images of tools (0.12.4, measured 2026-11-28)."""


def without_unseen_images(
    entries: Sequence[Replayed], model: str, *, from_open_webui: bool
) -> list[Replayed]:
    """Return the input of a model that does not see, without the images that nobody has chosen for it."""
    return [
        replace(entry, item=_without_images(entry.item))
        if _is_output(entry, model, from_open_webui=from_open_webui)
        or (from_open_webui and _repeats_images(entry.item))
        else entry
        for entry in entries
    ]


def _is_output(entry: Replayed, model: str, *, from_open_webui: bool) -> bool:
    is_others = entry.stored is not None and entry.stored.model != model
    return (from_open_webui or is_others) and answered_call_id(entry.item) != ""


def _repeats_images(item: Item) -> bool:
    first = next(iter(array_at(item, "content")), None)
    is_said = isinstance(first, dict) and text_at(first, "text").startswith(IMAGES_OF_TOOLS)
    return is_said and item.get("role") == "user"


def _without_images(item: Item) -> Item:
    kept: Item = {**item}
    for name in ("output", "content"):
        parts = item.get(name)
        if isinstance(parts, list):
            kept[name] = [_without_image(part) for part in parts]
    return kept


def _without_image(part: JsonValue) -> JsonValue:
    if not isinstance(part, dict) or part.get("type") != "input_image":
        return part
    words: JsonObject = {"type": "input_text", "text": UNSEEN}
    return words
