"""Derives the settings of a turn from those of the bridge and of the model."""

from __future__ import annotations

from bridge.calls.limits.settings import LiveLimits
from bridge.models.agent.provider_features import ProviderFeatures
from bridge.models.agent.turn import TurnSettings
from bridge.models.providers.listed_models import ModelEntry
from bridge.settings.bridge import BridgeSettings
from bridge.settings.chat.provider_rules import Strictness, without_strict


def turn_settings(settings: BridgeSettings, limits: LiveLimits, entry: ModelEntry) -> TurnSettings:
    """Return how a model's turns run, by the bridge's settings, its current limits and the model's."""
    defaults = settings.model_defaults
    features = ProviderFeatures(
        is_responses=entry.provider.api == "responses",
        web_search=entry.web_search,
        searches_unasked=defaults.enable_web_search_tool,
        max_results=defaults.web_search_max_results,
        context_size=defaults.search_context_size,
        truncation=defaults.truncation if entry.provider.truncation else None,
        reasoning_summary=defaults.enable_reasoning_summary,
        reasons=entry.reasons,
        options=entry.options,
    )
    own_rounds = entry.settings.max_rounds
    given = "max_function_call_loops" in limits.now.model_fields_set
    return TurnSettings(
        model=entry.upstream_name,
        provider=entry.owned_by,
        max_rounds=own_rounds or limits.now.max_function_call_loops,
        rounds_source="model" if own_rounds else "limit" if given else "default",
        limit_template=settings.model_defaults.limit_reached_template,
        can_call_functions=entry.settings.can_call_functions or entry.settings.text_calls,
        sees_images=entry.sees_images,
        strictness=_strictness(settings, entry),
        takes_examples=entry.provider.rules.takes_examples,
        tool_search=entry.searches_tools,
        subquery=entry.settings.subquery,
        prompt_tokens=entry.settings.prompt_tokens,
        features=features,
    )


def _strictness(settings: BridgeSettings, entry: ModelEntry) -> Strictness:
    if settings.tools.enable_strict_tool_calling:
        return entry.provider.rules.strictness
    return without_strict(entry.provider.api)
