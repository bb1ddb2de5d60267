"""Facts about models without settings: from their names, and from what a provider's list says.

Pure tables and readers. Names are OpenAI's (platform.openai.com/docs/models, read 2026-11-22), with or
without a vendor prefix; members of lists are OpenRouter's (openrouter.ai/docs, read 2026-11-22), and
Anthropic's (the type `ModelInfo` of its client 2.14).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from toolserver.json_types import JsonObject, array_at, object_at

_REASON = re.compile(r"(?:^|/)(?:o\d|codex|gpt-5(?!-chat)|gpt-6)")
_SEARCH = re.compile(r"(?:^|/)(?:gpt-4o|gpt-4\.1|gpt-5|o3|o4-mini)")
_NO_SEARCH = re.compile(r"(?:^|/)o3-mini|nano|audio|realtime|transcribe|tts|search")
_SEES = re.compile(r"(?:^|/)(?:chatgpt-4o|gpt-4o|gpt-4\.1|gpt-4\.5|gpt-4-turbo|gpt-5|gpt-6|o1|o3|o4-mini)")
_SEES_NOT = re.compile(r"o1-mini|o1-preview|o3-mini|gpt-4-turbo-preview|audio|realtime|transcribe|tts|search")
_SEARCH_TOOLS = re.compile(r"gpt-(?:5\.(?:[4-9]|[1-9]\d)|[6-9])(?!\d)")
_SEARCH_NO_TOOLS = re.compile(r"audio|realtime|transcribe|tts|search|image|oss")
_NO_FUNCTIONS = re.compile(r"(?:^|/)(?:chatgpt-4o-latest|o1-mini|o1-preview|gpt-4o[^/]*-search-preview)")


def is_reasoning_model(name: str) -> bool:
    """Whether a model of that name reasons before it answers."""
    return _REASON.search(name) is not None


def can_search_web(name: str) -> bool:
    """Whether a model of that name supports OpenAI's tool `web_search`."""
    return _SEARCH.search(name) is not None and _NO_SEARCH.search(name) is None


def sees_images(name: str) -> bool:
    """Whether a model of that name reads images."""
    return _SEES.search(name) is not None and _SEES_NOT.search(name) is None


def can_search_tools(name: str) -> bool:
    """Whether a model of that name, at OpenAI's own or Azure's kind of provider, supports `tool_search`.

    "Only gpt-5.4 and later models" (developers.openai.com, tools-tool-search, read 2026-11-30). A name with a
    vendor's prefix is a gateway's, of which it is not known whether it passes the tool on.
    """
    return _SEARCH_TOOLS.match(name) is not None and _SEARCH_NO_TOOLS.search(name) is None


def _with_effort(effort: str) -> JsonObject:
    return {"reasoning": {"effort": effort}}


PSEUDO_MODELS: Mapping[str, Mapping[str, JsonObject]] = {
    "o3-mini": {"o3-mini-high": _with_effort("high")},
    "o4-mini": {"o4-mini-high": _with_effort("high")},
    **{
        base: {
            f"gpt-5-thinking{size}": _with_effort("medium"),
            f"gpt-5-thinking{size}-minimal": _with_effort("minimal"),
            f"gpt-5-thinking{size}-high": _with_effort("high"),
        }
        for base, size in (("gpt-5", ""), ("gpt-5-mini", "-mini"), ("gpt-5-nano", "-nano"))
    },
}
"""Model to the names under which it is offered with other options, and these options."""


def listed_facts(row: JsonObject) -> JsonObject:
    """Return what a row of a provider's list says about its model, as members of `ModelSettings`."""
    facts: JsonObject = {}
    name = row.get("id")
    if isinstance(name, str) and _NO_FUNCTIONS.search(name):
        facts["can_call_functions"] = False
    if parameters := array_at(row, "supported_parameters"):
        facts["can_call_functions"] = "tools" in parameters or "tool_choice" in parameters
        facts["reasons"] = "reasoning" in parameters
    if modalities := array_at(object_at(row, "architecture"), "input_modalities"):
        facts["sees_images"] = "image" in modalities
    facts |= _capabilities_of(row)
    provider = object_at(row, "top_provider")
    for ours, theirs in _NUMBERS.items():
        found = next((n for n in (*map(row.get, theirs), provider.get(theirs[0])) if _is_count(n)), None)
        if found is not None:
            facts[ours] = found
    return facts


_NUMBERS = {
    "max_prompt_tokens": ("max_prompt_tokens", "max_input_tokens"),
    "context_tokens": ("context_length",),
    "max_completion_tokens": ("max_completion_tokens", "max_tokens"),
}
"""Our name to the lists' names."""


def _capabilities_of(row: JsonObject) -> JsonObject:
    """Return what Anthropic's list says of a model's abilities."""
    told = object_at(row, "capabilities")
    said = {ours: object_at(told, theirs).get("supported") for ours, theirs in _CAPABILITIES.items()}
    return {name: value for name, value in said.items() if isinstance(value, bool)}


_CAPABILITIES = {"reasons": "thinking", "sees_images": "image_input"}


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
