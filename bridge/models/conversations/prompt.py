"""The parts that a conversation adds to its system prompt: the list of tools, and the user's context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from toolserver.json_types import JsonValue, dump_json

MAX_DESCRIPTION_CHARS = 120
"""Maximum characters of a tool's description in the list; its definition has all of it."""

NO_TOOLS = (
    "You have no tools in this conversation. Do not claim to have called any, and do not make up what one "
    "would return."
)


class ListedTool(NamedTuple):
    """A tool as the prompt lists it."""

    name: str
    description: str


def build_instructions(system_prompt: str, tools: Sequence[ListedTool], context: Sequence[JsonValue]) -> str:
    """Build the complete system prompt of a turn."""
    parts = [system_prompt.strip(), _tools_part(tools), _context_part(context)]
    return "\n\n".join(part for part in parts if part)


def _tools_part(tools: Sequence[ListedTool]) -> str:
    if not tools:
        return f"## Available Tools\n\n{NO_TOOLS}"
    lines = [f"- {tool.name}: {_short(tool.description)}".removesuffix(": ") for tool in tools]
    return "\n".join(["## Available Tools", "", *lines])


def _context_part(context: Sequence[JsonValue]) -> str:
    if not context:
        return ""
    lines = [f"- {item if isinstance(item, str) else dump_json(item).decode()}" for item in context]
    return "\n".join(["## Context Information", "", *lines])


def _short(description: str) -> str:
    first = description.strip().partition("\n")[0]
    return first if len(first) <= MAX_DESCRIPTION_CHARS else first[: MAX_DESCRIPTION_CHARS - 1] + "…"
