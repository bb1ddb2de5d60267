"""How a request to Anthropic's Messages API asks for thinking, by the effort of a Responses request. Pure.

Newer models decide how much to think, by an effort; older ones want a number of tokens.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from toolserver.json_types import JsonObject, object_at, text_at

_BY_TOKENS = re.compile(r"claude-(?:3|(?:opus|sonnet|haiku)-4(?:-[015](?!\d)|-2025|$))", re.IGNORECASE)
"""Models that know no effort, by their names (model pages of Anthropic, and their type `ModelInfo`)."""

_BUDGETS: Mapping[str, int] = {
    "minimal": 1_024,
    "low": 2_048,
    "medium": 8_192,
    "high": 16_384,
    "xhigh": 24_576,
    "max": 24_576,
}
"""Tokens for thinking of models that want a number. Chosen."""

_LEAST_BUDGET = 1_024
"""As few as the provider takes."""

_EFFORTS: Mapping[str, str] = {"minimal": "low"}
"""Efforts with another name there."""


def thinking_options(model: str, options: JsonObject, max_tokens: int) -> JsonObject:
    """Return the members of a request that ask for thinking, or forbid it; none where nothing was asked.

    What the options say in the provider's own words counts.
    """
    own = {name: options[name] for name in ("thinking", "output_config") if name in options}
    effort = text_at(object_at(options, "reasoning"), "effort")
    if "thinking" in own or not effort:
        return own
    if effort == "none":
        return {**own, "thinking": {"type": "disabled"}}
    summary = object_at(options, "reasoning").get("summary")
    display: JsonObject = {"display": "summarized"} if summary else {}
    if _BY_TOKENS.search(model) is None:
        config: JsonObject = {"effort": _EFFORTS.get(effort, effort), **object_at(options, "output_config")}
        return {"thinking": {"type": "adaptive", **display}, "output_config": config}
    budget = min(_BUDGETS.get(effort, _BUDGETS["medium"]), max_tokens - 1)
    if budget < _LEAST_BUDGET:
        return own
    return {**own, "thinking": {"type": "enabled", "budget_tokens": budget, **display}}


def without_thinking(asked: JsonObject) -> JsonObject:
    """Return the members for a request in which the provider refuses that thinking is asked for."""
    if text_at(object_at(asked, "thinking"), "type") != "enabled":
        return asked
    return cast("JsonObject", {**asked, "thinking": {"type": "disabled"}})
