"""What the demo model says in English; `german_texts.py` has the same in German. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from bridge.models.agent.demo.understanding import Doubt

Text: TypeAlias = Literal[
    "who", "no_tools", "no_call", "one_tool", "tools", "more", "try", "called", "by_rules", "nothing_called",
    "answered", "answered_nothing", "failed", "a_call", "characters_more",
]  # fmt: skip

TEXTS: Mapping[Text, str] = {
    "who": (
        "I am the demo model of Direct Tool Bridge. I need no provider and no key, and I go by "
        "rules: I understand plain requests to the tools below, and lines such as `CALL name "
        "{json}`. Several lines are several calls at once."
    ),
    "no_tools": (
        "I was offered no tools. In the bridge's page, add a document, accept its operations, and "
        "leave the page open."
    ),
    "no_call": "I may not call a tool in this round.",
    "one_tool": "I was offered one tool:",
    "tools": "I was offered {} tools:",
    "more": "and {} more",
    "try": "Try `{}`.",
    "called": "I am the demo model and go by rules. For your words I called {}.",
    "by_rules": "I am the demo model and go by rules.",
    "nothing_called": "I called nothing. `CALL {} {{json}}` names everything exactly.",
    "answered": "answered:",
    "answered_nothing": "answered nothing.",
    "failed": "failed:",
    "a_call": "A call",
    "characters_more": "… and {} characters more",
}
DOUBTS: Mapping[Doubt, str] = {
    "missing": "For `{tool}` I still need {missing}.",
    "unclear": "`{tool}` may change something, and I do not understand {unclear}.",
    "ambiguous": "More than one tool fits your words.",
    "negated": "You deny something, or make it depend on something, which my rules cannot follow.",
    "advice": "You ask for advice, which rules cannot give.",
    "unknown": "You ask for a change, and I know no tool for it.",
}
