"""What the demo model says in German. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from bridge.models.agent.demo.texts import Text
from bridge.models.agent.demo.understanding import Doubt

TEXTS: Mapping[Text, str] = {
    "who": (
        "Ich bin das Demo-Modell von Direct Tool Bridge. Ich brauche weder Anbieter noch Schlüssel "
        "und arbeite nach Regeln: Ich verstehe einfache Bitten an die Werkzeuge unten und Zeilen "
        "wie `CALL name {json}`. Mehrere Zeilen sind mehrere Aufrufe auf einmal."
    ),
    "no_tools": (
        "Mir wurden keine Werkzeuge angeboten. Fügen Sie auf der Seite der Bridge ein Dokument "
        "hinzu, nehmen Sie seine Operationen an und lassen Sie die Seite offen."
    ),
    "no_call": "In dieser Runde darf ich kein Werkzeug aufrufen.",
    "one_tool": "Mir wurde ein Werkzeug angeboten:",
    "tools": "Mir wurden {} Werkzeuge angeboten:",
    "more": "und {} weitere",
    "try": "Versuchen Sie `{}`.",
    "called": "Ich bin das Demo-Modell und arbeite nach Regeln. Auf Ihre Bitte habe ich {} aufgerufen.",
    "by_rules": "Ich bin das Demo-Modell und arbeite nach Regeln.",
    "nothing_called": "Ich habe nichts aufgerufen. `CALL {} {{json}}` nennt alles genau.",
    "answered": "hat geantwortet:",
    "answered_nothing": "hat nichts geantwortet.",
    "failed": "ist gescheitert:",
    "a_call": "Ein Aufruf",
    "characters_more": "… und {} weitere Zeichen",
}
DOUBTS: Mapping[Doubt, str] = {
    "missing": "Für `{tool}` fehlt mir noch {missing}.",
    "unclear": "`{tool}` ändert vielleicht etwas, und ich verstehe {unclear} nicht.",
    "ambiguous": "Zu Ihren Worten passt mehr als ein Werkzeug.",
    "negated": "Sie verneinen etwas oder machen es von etwas abhängig, und das können meine Regeln nicht.",
    "advice": "Sie fragen um Rat, und den können Regeln nicht geben.",
    "unknown": "Sie wünschen eine Änderung, und ich kenne kein Werkzeug dafür.",
}
