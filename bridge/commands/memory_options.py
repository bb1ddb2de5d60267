"""What a model is shown again of what was kept, as the environment says."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from bridge.cli.storage_options import is_yes
from bridge.settings.bridge import (
    DEFAULT_TOOL_OUTPUT_TURNS,
    REASONING_MEMORIES,
    MemorySettings,
    ReasoningMemory,
)

PERSIST_VARIABLE = "PERSIST_TOOL_RESULTS"
REASONING_VARIABLE = "PERSIST_REASONING_TOKENS"
TURNS_VARIABLE = "TOOL_OUTPUT_RETENTION_TURNS"


def memory_settings(environ: Mapping[str, str]) -> MemorySettings:
    """The settings that the environment names.

    Raises:
        ArgumentTypeError: a variable says what cannot be used.
    """
    turns = environ.get(TURNS_VARIABLE, "").strip() or str(DEFAULT_TOOL_OUTPUT_TURNS)
    if not turns.isdecimal():
        raise argparse.ArgumentTypeError(
            f"{TURNS_VARIABLE} must be a whole number, 0 for all turns, not {turns[:100]!r}"
        )
    return MemorySettings(is_yes(environ, PERSIST_VARIABLE, default=True), _reasoning(environ), int(turns))


def _reasoning(environ: Mapping[str, str]) -> ReasoningMemory:
    text = environ.get(REASONING_VARIABLE, "").strip().lower() or "conversation"
    found: ReasoningMemory | None = next((each for each in REASONING_MEMORIES if each == text), None)
    if found is None:
        raise argparse.ArgumentTypeError(
            f"{REASONING_VARIABLE} must be one of {', '.join(REASONING_MEMORIES)}, not {text[:100]!r}"
        )
    return found
