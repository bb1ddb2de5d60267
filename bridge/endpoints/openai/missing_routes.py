"""What the bridge has in the place of routes of OpenAI's API that it does not have. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bridge.http.routing import NO_MODELS

_MODELS = "The bridge has POST /v1/chat/completions, POST /v1/responses and GET /v1/models."
_AT_PROVIDER = f"Ask the provider for that. {_MODELS}"

_INSTEAD: Mapping[str, str] = {
    "completions": "Use POST /v1/chat/completions or POST /v1/responses.",
    "messages": f"That is Anthropic's. {_MODELS}",
    "files": "The bridge stores no files: send them within the input, as input_file or input_image.",
    "uploads": "The bridge stores no files: send them within the input, as input_file or input_image.",
    "conversations": (
        "Go on with a response by previous_response_id, or use the bridge's own conversations under "
        "/conversations."
    ),
    "threads": "Use POST /v1/responses, with previous_response_id to go on.",
    "assistants": "Use POST /v1/responses, with previous_response_id to go on.",
    "batches": "Use POST /v1/responses with background: true for each request.",
    "embeddings": f"The bridge makes no embeddings. {_AT_PROVIDER}",
    **dict.fromkeys(
        ("audio", "images", "moderations", "fine_tuning", "vector_stores", "realtime", "rerank"),
        _AT_PROVIDER,
    ),
}
"""By what follows `/v1/`."""

_OF_MODELS = re.compile(r"/(v1|conversations|api/(providers|usage|stored-data))(/|$)")

_AFTER_VERSION = ("/chat/completions", "/responses", "/models", "/completions", "/embeddings")


def advise_on_path(path: str, *, serves_models: bool = True) -> str:
    """Return what to ask for instead of a path that leads nowhere; "" where it is none of the models."""
    if not serves_models and _OF_MODELS.match(path):
        return NO_MODELS
    if path.startswith("/v1/v1/") or path == "/v1/v1":
        return "The path has /v1 twice: clients add it, or the paths behind it, to their base URL themselves."
    if path.startswith(_AFTER_VERSION):
        return "The base URL of the model API ends with /v1."
    if path == "/v1" or path.startswith("/v1/"):
        return _INSTEAD.get(path.removeprefix("/v1").strip("/").partition("/")[0], _MODELS)
    return ""
