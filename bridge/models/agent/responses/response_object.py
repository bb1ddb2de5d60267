"""The response object of the Responses API: as it begins, and members of its end."""

from __future__ import annotations

from collections.abc import Mapping

from toolserver.json_types import JsonObject, JsonValue, object_at, text_at

_ECHOED: Mapping[str, JsonValue] = {
    "background": False,
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "prompt_cache_key": None,
    "reasoning": {"effort": None, "summary": None},
    "safety_identifier": None,
    "service_tier": None,
    "store": False,
    "temperature": None,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_logprobs": None,
    "top_p": None,
    "truncation": "disabled",
    "user": None,
}
"""Members of a request that OpenAI repeats in the response, with their value where the request has none; null
where only the provider knows its default."""


def response_shell(response_id: str, created_at: int, model: str, body: JsonObject) -> JsonObject:
    """Build a response that has just begun. `body`: the caller's request; `model`: its name for the model."""
    told = {name: body[name] if body.get(name) is not None else value for name, value in _ECHOED.items()}
    return {
        "id": response_id,
        "object": "response",
        "created_at": created_at,
        "status": "in_progress",
        "completed_at": None,
        "error": None,
        "incomplete_details": None,
        "model": model,
        **told,
        "output": [],
        "usage": None,
    }


def complete_usage(usage: JsonObject) -> JsonValue:
    """Return a usage with every member of OpenAI's; null when the provider counted nothing."""
    if not isinstance(usage.get("input_tokens"), int):
        return None
    return {
        "output_tokens": 0,
        "total_tokens": 0,
        **usage,
        "input_tokens_details": {
            "cached_tokens": 0,
            "cache_write_tokens": 0,
            **object_at(usage, "input_tokens_details"),
        },
        "output_tokens_details": {"reasoning_tokens": 0, **object_at(usage, "output_tokens_details")},
    }


def response_error(error: JsonObject) -> JsonObject:
    """Return an error in OpenAI's form as the `error` of a response."""
    return {"code": text_at(error, "code") or "server_error", "message": text_at(error, "message")}
