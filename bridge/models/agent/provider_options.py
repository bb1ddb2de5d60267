"""Options added to a request beyond what its caller set: web search, truncation, reasoning.

Receives a caller's request and what is known of its model; returns the request as the loop runs it. What a
caller or the model's own options set always wins. Pure.
"""

from __future__ import annotations

from dataclasses import replace

from bridge.models.agent.provider_features import ProviderFeatures
from bridge.models.agent.turn import TurnRequest
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at

FEATURES = "features"
"""Request member `{"web_search": true}`, as Open WebUI sends it. It is never passed on to a provider."""

WEB_SEARCH = "web_search"
ENCRYPTED_REASONING = "reasoning.encrypted_content"

_SEARCH_TYPES = ("web_search", "web_search_preview", "openrouter:web_search")
"""Types of tools that search the web, as prefixes: dated versions begin with them."""


def add_provider_options(request: TurnRequest, features: ProviderFeatures) -> TurnRequest:
    """Return the request with the options that its model's settings and the bridge's add to it.

    A task (a title, tags) gets nothing that costs: no search, no reasoning summary.
    """
    options = {name: value for name, value in request.options.items() if name not in (FEATURES, "store")}
    tools = request.caller_tools
    if request.with_tools and _shall_search(request, features):
        if features.web_search == "plugin":
            options["plugins"] = [*array_at(options, "plugins"), _plugin(features)]
        else:
            tools = (*tools, _search_tool(features))
    if features.is_responses:
        options = _with_responses_options(options, features, is_task=not request.with_tools)
    return replace(request, caller_tools=tools, options=options)


def without_effect(options: JsonObject, features: ProviderFeatures) -> tuple[str, ...]:
    """Return the features that a request wants and its model lacks, as paths."""
    wanted = object_at(options, FEATURES)
    return tuple(
        f"{FEATURES}.{name}"
        for name, value in wanted.items()
        if value and not (name == WEB_SEARCH and features.web_search)
    )


def sent_truncation(options: JsonObject, features: ProviderFeatures) -> JsonValue:
    """Return the `truncation` that a provider of Responses is sent; None: none."""
    if not features.is_responses:
        return None
    return options.get("truncation") or features.options.get("truncation") or features.truncation


def _shall_search(request: TurnRequest, features: ProviderFeatures) -> bool:
    asked = object_at(request.options, FEATURES).get(WEB_SEARCH)
    is_wanted = asked if isinstance(asked, bool) else features.searches_unasked
    return (
        is_wanted
        and features.web_search is not None
        and _effort(request.options, features) != "minimal"  # providers refuse both together
        and not _searches_already(request, features)
    )


def _effort(options: JsonObject, features: ProviderFeatures) -> str:
    said = text_at(object_at(options, "reasoning"), "effort")
    return said or text_at(object_at(features.options, "reasoning"), "effort")


def _searches_already(request: TurnRequest, features: ProviderFeatures) -> bool:
    """Return whether the caller, or the model's own options, already include a search."""
    kinds = [text_at(tool, "type") for tool in request.caller_tools if isinstance(tool, dict)]
    plugins = [*array_at(request.options, "plugins"), *array_at(features.options, "plugins")]
    ids = [text_at(plugin, "id") for plugin in plugins if isinstance(plugin, dict)]
    return "web" in ids or any(kind.startswith(_SEARCH_TYPES) for kind in kinds)


def _plugin(features: ProviderFeatures) -> JsonObject:
    plugin: JsonObject = {"id": "web"}
    return plugin if features.max_results is None else {**plugin, "max_results": features.max_results}


def _search_tool(features: ProviderFeatures) -> JsonObject:
    size: JsonObject = {"search_context_size": features.context_size} if features.context_size else {}
    if features.web_search == "tool":
        return {"type": WEB_SEARCH, **size}
    results: JsonObject = {} if features.max_results is None else {"max_results": features.max_results}
    parameters: JsonObject = {**results, **size}
    tool: JsonObject = {"type": "openrouter:web_search"}
    return {**tool, "parameters": parameters} if parameters else tool


def _with_responses_options(options: JsonObject, features: ProviderFeatures, *, is_task: bool) -> JsonObject:
    """Add Responses options. The provider stores nothing by default, so reasoning must come encrypted."""
    extended: dict[str, JsonValue] = {**options}
    extended["store"] = features.options.get("store", False)
    if features.truncation and "truncation" not in features.options:
        extended.setdefault("truncation", features.truncation)
    reasons = features.reasons or isinstance(
        extended.get("reasoning") or features.options.get("reasoning"), dict
    )
    if not reasons:
        return extended
    if extended["store"] is False:
        include = array_at(options, "include") or array_at(features.options, "include")
        extended["include"] = [*include, *([] if ENCRYPTED_REASONING in include else [ENCRYPTED_REASONING])]
    said = {**object_at(features.options, "reasoning"), **object_at(options, "reasoning")}
    if features.reasoning_summary and not is_task and "summary" not in said:
        extended["reasoning"] = {**object_at(options, "reasoning"), "summary": features.reasoning_summary}
    return extended
