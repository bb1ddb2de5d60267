"""Budget of what a model can still read in a turn; outputs that do not fit are replaced by their size.

Counts characters, four to a token, of everything that the next round is sent. Images and files sent as data
count as many tokens as a picture costs. A caller's input is never cut here: a provider drops the middle of
what is too long, or refuses it. Pure.
"""

from __future__ import annotations

from dataclasses import replace

from bridge.models.agent.items import Item
from bridge.models.agent.model import ModelRequest
from bridge.models.agent.toolbox import CallOutput
from toolserver.json_types import JsonObject, array_at, dump_json, object_at, text_at

CHARS_PER_TOKEN = 4

DATA_TOKENS = 1_700
"""Tokens that an image, a file or a sound within a message counts as; about what a large picture costs."""


class ContextBudget:
    """Remaining budget of a turn, before the outputs of a round."""

    def __init__(self, prompt_tokens: int, request: ModelRequest) -> None:
        """`prompt_tokens`: maximum that the model reads; `request`: the next round without the outputs."""
        known = len(request.instructions or "") + len(dump_json([*request.tools]))
        self._left = prompt_tokens * CHARS_PER_TOKEN - known - sum(map(_chars_of, request.input))

    def fit_output(self, output: CallOutput) -> CallOutput:
        """Return the output if it fits, else a note of its size; subtract it from the budget."""
        size = len(output.text) + len(output.parts) * DATA_TOKENS * CHARS_PER_TOKEN
        size += len(dump_json([*output.loaded])) if output.loaded else 0
        stub = _stub(size, max(0, self._left))
        if size > max(self._left, len(stub)):
            output = replace(output, text=stub, parts=(), files=(), loaded=())
            size = len(stub)
        self._left -= size
        return output


def _stub(size: int, left: int) -> str:
    return (
        "[Tool result omitted due to context budget. "
        f"Result size: {size:,} chars (~{_tokens(size):,} tokens). "
        f"Remaining prompt budget: ~{left // CHARS_PER_TOKEN:,} tokens. "
        "If needed, re-run the tool with a narrower query or explicit result limit.]"
    )


def _tokens(chars: int) -> int:
    return -(-chars // CHARS_PER_TOKEN)


def _chars_of(item: Item) -> int:
    """Return the characters of an item as JSON, with `DATA_TOKENS` for each part that is data."""
    parts = [
        part for name in ("content", "output") for part in array_at(item, name) if isinstance(part, dict)
    ]
    data = [size for part in parts if (size := _embedded_chars(part))]
    return len(dump_json(item)) - sum(data) + len(data) * DATA_TOKENS * CHARS_PER_TOKEN


def _embedded_chars(part: JsonObject) -> int:
    """Return the number of characters of data in a part: of `input_image`, `input_file` or `input_audio`."""
    url = text_at(part, "image_url")
    data = text_at(part, "file_data") or text_at(object_at(part, "input_audio"), "data")
    return len(url if url.startswith("data:") else data)
