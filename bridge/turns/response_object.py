"""The response object of a round that the bridge tells itself, for want of a provider that does."""

from __future__ import annotations

from bridge.agent.model import ModelRequest
from toolserver.json_types import JsonObject


def begun_response(request: ModelRequest, response_id: str, created_at: int) -> JsonObject:
    """As it stands in `response.created`: every member that OpenAI's SDK asks for, nothing said yet.

    `created_at`: seconds since 1970.
    """
    return {
        "id": response_id,
        "object": "response",
        "created_at": created_at,
        "status": "in_progress",
        "model": request.model,
        "instructions": request.instructions,
        "output": [],
        "tools": [*request.tools],
        "tool_choice": request.options.get("tool_choice", "auto"),
        "parallel_tool_calls": request.options.get("parallel_tool_calls", True),
        "error": None,
        "incomplete_details": None,
        "usage": None,
    }
