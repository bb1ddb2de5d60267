"""What is known of one model, as far as requests to it get something unasked."""

from __future__ import annotations

from dataclasses import dataclass, field

from bridge.settings.model_defaults import ContextSize, Summary, Truncation
from bridge.settings.models import WebSearch
from toolserver.json_types import JsonObject, JsonValue


@dataclass(frozen=True, slots=True)
class ProviderFeatures:
    """What requests to one model get unasked. As it stands: nothing."""

    is_responses: bool = False
    """Its provider speaks Responses."""
    web_search: WebSearch | None = None
    """None: it cannot."""
    searches_unasked: bool = False
    max_results: int | None = None
    context_size: ContextSize | None = None
    truncation: Truncation | None = None
    reasoning_summary: Summary | None = None
    reasons: bool = False
    options: JsonObject = field(default_factory=dict[str, JsonValue])
    """What the model's settings say for requests that do not."""
