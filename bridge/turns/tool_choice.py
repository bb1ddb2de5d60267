"""`tool_choice` from the second round on. Pure.

A caller who forces a call means the answer to its question, not every round: a model that must call a tool
each time never answers. A forced choice holds for the first round of a turn, then the model is free among
the same tools.
"""

from __future__ import annotations

from toolserver.json_types import JsonObject

_FREE = ("auto", "none")


def later_options(options: JsonObject) -> JsonObject:
    """The options of a round after the first: nothing is forced any more."""
    choice = options.get("tool_choice")
    if choice is None or choice in _FREE:
        return options
    if isinstance(choice, dict) and choice.get("type") == "allowed_tools":
        return {**options, "tool_choice": {**choice, "mode": "auto"}}
    return {**options, "tool_choice": "auto"}


def closing_options(options: JsonObject) -> JsonObject:
    """The options of the round in which the model has to answer with what it has."""
    return {**options, "tool_choice": "none"}
