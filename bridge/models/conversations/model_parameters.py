"""What a user sets of a model for one conversation, and what of it a request carries. Pure."""

from __future__ import annotations

from collections.abc import Collection

from toolserver.json_types import JsonObject, JsonValue

PARAMETERS = ("temperature", "top_p", "max_output_tokens", "reasoning_effort")
"""Names of parameters, as the conversation API has them."""


def request_options(chosen: JsonObject, taken: Collection[str]) -> JsonObject:
    """Return the members of a Responses request for the parameters that the model takes.

    Others are left out rather than refused: the user may have changed the model since.
    """
    carried = [name for name in PARAMETERS if name in chosen and name in taken]
    options: dict[str, JsonValue] = {name: chosen[name] for name in carried}
    effort = options.pop("reasoning_effort", None)
    return options if effort is None else {**options, "reasoning": {"effort": effort}}
