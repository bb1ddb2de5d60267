"""The notice that a user reads when a turn has used up its rounds. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bridge.models.agent.turn import RoundsSource

DEFAULT_TEMPLATE = """\
### Tool step limit reached

The model wanted to call more tools than one answer allows.
{{#if max_function_call_loops}}
- **Limit:** {max_function_call_loops} rounds
{{/if}}
- Ask again to let it continue, or make the request simpler.
- {how_to_raise}
"""

HOW_TO_RAISE: Mapping[RoundsSource, str] = {
    "default": "The bridge's operator can raise `TOOL_BRIDGE_MAX_FUNCTION_CALL_LOOPS`, for example to 50.",
    "limit": "The bridge's operator can raise `TOOL_BRIDGE_MAX_FUNCTION_CALL_LOOPS`, for example to 50.",
    "model": "Whoever runs the bridge can raise `max_rounds` of this model in the file of models.",
    "request": "The program that asked has set this limit, as `max_function_call_loops`.",
}
"""What raises a limit, by what set it: raising anything else would change nothing."""

_CONDITION = re.compile(r"\s*\{\{\s*(?:#if\s+(?P<name>\w+)|(?P<end>/if))\s*\}\}\s*")
_PLACEHOLDER = re.compile(r"(?<!\{)\{(\w+)\}(?!\})")


class _BrokenTemplate(Exception):
    """A text that cannot be parsed as a template."""


def limit_notice(template: str, max_rounds: int, source: RoundsSource) -> str:
    """Return the notice in Markdown; the built-in one if the template is empty or broken, or yields no text.

    `{max_function_call_loops}` stands for the number, `{how_to_raise}` for a sentence that says who can raise
    it. Lines between `{{#if name}}` and `{{/if}}` appear if the name has a value; each of the two tags has a
    line of its own. A line with a placeholder that has no value is left out.
    """
    values = {"max_function_call_loops": str(max_rounds), "how_to_raise": HOW_TO_RAISE[source]}
    try:
        text = _filled(template, values)
    except _BrokenTemplate:
        text = ""
    return text or _filled(DEFAULT_TEMPLATE, values)


def limit_warning(max_rounds: int) -> str:
    """Return the notice in one sentence, for a notification."""
    return (
        f"Tool step limit reached (max_function_call_loops={max_rounds}). "
        "Increase the limit or simplify the request to continue."
    )


def _filled(template: str, values: dict[str, str]) -> str:
    shows: list[bool] = []
    lines: list[str] = []
    for line in template.splitlines():
        condition = _CONDITION.fullmatch(line)
        if condition is None:
            if all(shows) and all(values.get(name) for name in _PLACEHOLDER.findall(line)):
                lines.append(_PLACEHOLDER.sub(lambda found: values[found[1]], line))
        elif condition["name"]:
            shows.append(bool(values.get(condition["name"])))
        elif shows:
            shows.pop()
        else:
            raise _BrokenTemplate
    if shows:
        raise _BrokenTemplate
    return "\n".join(lines).strip()
