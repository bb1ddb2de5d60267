"""Options that exist only in Chat Completions, and what of them a Responses request can express.

A provider that speaks Chat Completions is sent them unchanged. For a provider of Responses they are
translated as far as possible; the rest is left out, and `unsayable_in_responses` names it, so that a caller
can be told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bridge.models.agent.request_fields import InvalidRequest, wrong_type
from toolserver.json_types import JsonObject, JsonValue, array_at

CHAT_OPTIONS = frozenset(
    {
        "audio",
        "frequency_penalty",
        "logit_bias",
        "logprobs",
        "modalities",
        "prediction",
        "presence_penalty",
        "seed",
        "stop",
        "top_logprobs",
        "web_search_options",
    }
)

PROBABILITIES = "message.output_text.logprobs"
"""Value of a Responses request's `include` that stands for `logprobs`."""

_DEFAULTS: Mapping[str, JsonValue] = {
    "frequency_penalty": 0,
    "logprobs": False,
    "modalities": ["text"],
    "presence_penalty": 0,
    "top_logprobs": 0,
}
"""Values that ask for what a provider of Responses does anyway. Libraries send them with every request, and a
notice about each would hide the one that matters."""

_SAYABLE = frozenset({"logprobs", "top_logprobs"})


def chat_options(body: JsonObject) -> JsonObject:
    """Return the options of a chat request, those that are empty or zero included.

    `web_search_options: {}` switches the search on, and a zero overrides the default of the file of models.
    """
    return {name: value for name, value in body.items() if name in CHAT_OPTIONS and value is not None}


def refuse_choices(body: JsonObject) -> None:
    """Refuse a request for several answers: a caller who counts on them must not take one for all.

    Raises:
        InvalidRequest: `n` is no integer, or not 1.
    """
    count = body.get("n")
    if count is None:
        return
    if isinstance(count, bool) or not isinstance(count, int):
        raise wrong_type("n", "an integer", count)
    if count != 1:
        message = f"'n' must be 1, not {count}: the bridge gives one answer to a request. Ask once for each."
        raise InvalidRequest(message, param="n", code="unsupported_value")


def with_responses_options(options: JsonObject, chat: JsonObject) -> JsonObject:
    """Return Responses options, including those of a chat request that Responses can express."""
    if not chat.keys() & _SAYABLE:
        return options
    said = dict(options)
    if chat.get("logprobs"):
        included = array_at(options, "include")
        said["include"] = included if PROBABILITIES in included else [*included, PROBABILITIES]
    if top := chat.get("top_logprobs"):
        said["top_logprobs"] = top
    return said


def unsayable_in_responses(chat: JsonObject) -> Iterator[str]:
    """Yield the options of a chat request that no Responses request has, and that ask for something."""
    unsaid = (name for name in chat if name not in _SAYABLE)
    return (name for name in unsaid if name not in _DEFAULTS or chat[name] != _DEFAULTS[name])
