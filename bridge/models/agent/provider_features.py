"""Per-model facts and defaults by which requests get options that their caller did not ask for."""

from __future__ import annotations

from dataclasses import dataclass, field

from bridge.settings.chat.model_defaults import ContextSize, Summary, Truncation
from bridge.settings.chat.models import WebSearch
from toolserver.json_types import JsonObject, JsonValue


@dataclass(frozen=True, slots=True)
class ProviderFeatures:
    """Options added to every request to one model. The defaults add nothing."""

    is_responses: bool = False
    """Whether the model's provider speaks Responses."""
    web_search: WebSearch | None = None
    """How the model searches the web; None: it cannot."""
    searches_unasked: bool = False
    max_results: int | None = None
    context_size: ContextSize | None = None
    truncation: Truncation | None = None
    reasoning_summary: Summary | None = None
    reasons: bool = False
    options: JsonObject = field(default_factory=dict[str, JsonValue])
    """Options from the model's settings, for requests that do not set them."""
