"""What the demo model says in German. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from bridge.models.agent.demo.texts import Text
from bridge.models.agent.demo.understanding import Doubt

TEXTS: Mapping[Text, str] = {
    "who": (
        "Ich bin das Demo-Modell von Direct Tool Bridge. Ich brauche weder Anbieter noch Schlüssel und "
        "arbeite nach Regeln: Ich verstehe einfache Bitten an die Tools unten und Zeilen wie "
        "`CALL name {json}`. Mehrere Zeilen sind mehrere Aufrufe auf einmal."
    ),
    "no_tools": (
        "Mir wurde kein Tool angeboten. Auf der Seite der Bridge lässt sich ein Dokument hinzufügen; seine "
        "Operationen müssen akzeptiert werden, und die Seite muss offen bleiben."
    ),
    "no_call": "In dieser Runde darf ich kein Tool aufrufen.",
    "one_tool": "Mir wurde ein Tool angeboten:",
    "tools": "Mir wurden {} Tools angeboten:",
    "more": "und {} weitere",
    "try": "Zum Ausprobieren: `{}`.",
    "called": "Ich bin das Demo-Modell und arbeite nach Regeln. Auf diese Worte habe ich {} aufgerufen.",
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
    "ambiguous": "Zu diesen Worten passt mehr als ein Tool.",
    "negated": "Hier wird etwas verneint oder von etwas abhängig gemacht, und das können meine Regeln nicht.",
    "advice": "Hier wird um Rat gefragt, und den können Regeln nicht geben.",
    "unknown": "Hier soll sich etwas ändern, und ich kenne kein Tool dafür.",
}
