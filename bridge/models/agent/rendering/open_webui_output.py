"""Outputs of calls in the form that Open WebUI reads as items of a response. Pure.

It walks `output` as a list of parts: a text, which OpenAI allows as well, ended the chat for good (0.12.4,
measured 2026-11-28). It stores the item in the chat, so images are no part of it: they come in events, and it
would show its own logo in their place.
"""

from __future__ import annotations

from dataclasses import replace

from bridge.models.agent.items import Item, loaded_text, output_item
from bridge.models.agent.turn import CallEnded
from toolserver.json_types import JsonObject, JsonValue


def open_webui_output(ended: CallEnded) -> Item:
    """Return a call's output with its text as parts, its files, and whether it failed."""
    if ended.call.is_search:
        ended = replace(ended, output=output_item(ended.call.call_id, loaded_text(ended.output)))
    output = ended.output.get("output")
    text: JsonObject = {"type": "input_text", "text": output if isinstance(output, str) else ""}
    parts: list[JsonValue] = [text]
    if isinstance(output, list):
        parts = [part for part in output if isinstance(part, dict) and part.get("type") != "input_image"]
    shown: Item = {
        **ended.output,
        "status": "completed" if ended.has_succeeded else "failed",
        "output": parts,
    }
    files: list[JsonValue] = [file.link() for file in ended.files if file.kind != "image"]
    return {**shown, "files": files} if files else shown
