"""The usage of Chat Completions under the names of the Responses API."""

from __future__ import annotations

from toolserver.json_types import JsonObject, object_at

_RENAMED = {
    "prompt_tokens": "input_tokens",
    "completion_tokens": "output_tokens",
    "prompt_tokens_details": "input_tokens_details",
    "completion_tokens_details": "output_tokens_details",
}

_NONE_READ: JsonObject = {"cached_tokens": 0, "cache_write_tokens": 0}
_NONE_WRITTEN: JsonObject = {"reasoning_tokens": 0}
"""Members that OpenAI's SDK asks for."""


def responses_usage(usage: JsonObject) -> JsonObject:
    """The counts renamed; further members, such as a gateway's `cost`, as they are."""
    renamed = {_RENAMED.get(name, name): value for name, value in usage.items()}
    read, written = renamed.get("input_tokens"), renamed.get("output_tokens")
    total = (read if isinstance(read, int) else 0) + (written if isinstance(written, int) else 0)
    return {
        "input_tokens": 0,
        "output_tokens": 0,
        "total_tokens": total,
        **renamed,
        "input_tokens_details": {
            "cached_tokens": 0,
            "cache_write_tokens": 0,
            **object_at(renamed, "input_tokens_details"),
        },
        "output_tokens_details": {"reasoning_tokens": 0, **object_at(renamed, "output_tokens_details")},
    }
