"""The tokens of a usage object, by kind. Usage is a provider's: what is no number there is not known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, cast

from toolserver.json_types import JsonObject, JsonValue, object_at

TokenKind: TypeAlias = Literal["input", "cached", "output", "reasoning"]


def read_tokens(usage: JsonObject) -> Mapping[TokenKind, int | float | None]:
    """Return the tokens of each kind. cached is part of input, reasoning of output."""
    return {
        "input": read_count(usage.get("input_tokens")),
        "cached": read_count(object_at(usage, "input_tokens_details").get("cached_tokens")),
        "output": read_count(usage.get("output_tokens")),
        "reasoning": read_count(object_at(usage, "output_tokens_details").get("reasoning_tokens")),
    }


def read_count(value: JsonValue) -> int | float | None:
    """Return a number that is not negative; None for anything else."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return max(0, cast("int | float", value)) if is_number else None
