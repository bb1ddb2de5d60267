"""German words of the demo model, as the English words of the same meaning. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from bridge.models.agent.demo.english import word_set

_VERBS = {
    "bestell kauf": "order",
    "stornier": "cancel",
    "brech": "cancel",
    "lösch entfern": "remove",
    "setz stell änder aktualisier pass": "change",
    "heiz": "heat",
    "leih ausleih borg": "borrow",
    "druck": "print",
    "registrier meld": "register",
    "erstell schreib": "add write",
    "install": "install",
    "ersetz": "replace",
    "verschieb beweg": "move",
    "kopier": "copy",
    "send schick": "send",
    "mach tu": "make",
    "erhöh": "increase",
    "senk": "lower",
    "schalt dreh": "turn",
    "starte start": "start",
    "stopp": "stop",
    "hol": "collect",
    "bring": "bring",
    "nimm": "take",
    "füg leg": "put",
    "schlag": "suggest",
    "lad": "upload",
    "zeichne mal": "draw",
}
_READING_VERBS = {
    "zeig": "show",
    "list": "list",
    "such": "search",
    "find": "find",
    "nenn sag erzähl": "tell",
    "gib": "give",
    "seh anseh": "see",
    "les": "read",
    "zähl": "count",
    "wiss": "know",
    "prüf": "check",
}
_NOUNS = {
    "laden geschäft": "shop",
    "öffnungszeit": "opening hours",
    "geöffnet offen": "open",
    "schließ geschlossen": "close",
    "produkt artikel ware": "product",
    "preis kost kostet kosten": "price",
    "bestellung": "order",
    "reserviert": "reserved",
    "abgeholt": "collected",
    "storniert abgebrochen": "cancelled",
    "bestellt": "order",
    "kunde kundin": "customer",
    "backware gebäck": "bakery",
    "getränk": "drinks",
    "gemüse obst": "produce",
    "haushalt haushaltsware": "household",
    "vorrat lager vorrätig lieferbar": "stock",
    "stück anzahl menge": "quantity",
    "bild foto": "picture",
    "zimmer raum": "room",
    "wohnzimmer": "living room",
    "schlafzimmer": "bedroom",
    "badezimmer bad": "bathroom",
    "küche": "kitchen",
    "warm kalt wärm temperatur grad": "temperature",
    "heizung thermostat": "thermostat",
    "minute": "minutes",
    "stunde": "hours",
    "tag": "day",
    "woche": "week",
    "wöchentlich": "weekly",
    "programm": "program",
    "verlauf vergangen letzt bisherig": "past",
    "stand zustand status": "status",
    "wartung": "service",
    "bericht": "report",
    "funktionier läuft": "work",
    "buch bücher": "book",
    "roman": "novel",
    "gedicht lyrik": "poetry",
    "wissenschaft": "science",
    "geschichte": "history",
    "kind kinder": "children",
    "hörbuch": "audio book",
    "autor autorin": "author",
    "veröffentlicht erschienen": "published",
    "verfügbar": "available",
    "ausleihbar": "available",
    "ausleihe leihe": "loan",
    "ausgeliehen verliehen geliehen": "loan",
    "leser leserin": "reader",
    "katalog": "catalog",
    "kategorie thema themen": "subject",
    "drucker": "printer",
    "papier": "paper",
    "text": "text",
    "urlaub urlaubstag": "leave",
    "angemeldet": "logged",
    "notiz": "note",
    "wetter": "weather",
    "ort stadt": "city",
    "titel": "title",
    "name": "name",
    "datum": "date",
    "seite": "page",
    "beschreibung": "description",
    "grund": "reason",
    "celsius": "celsius",
    "fahrenheit": "fahrenheit",
    "euro": "euro",
    "cent": "cent",
    "billigst günstigst billig günstig": "cheap",
    "neu neuest": "new",
    "voll": "full",
    "ziel": "target",
    "eintrag einträge gegenstand": "item",
    "regal": "shelf",
    "wann": "when",
    "wer": "who",
    "bibliothek bücherei": "library",
    "vegan": "vegan",
}

STOP_WORDS = word_set(
    "der die das den dem des ein eine einen einem einer eines mein meine meinen dein",
    "deine unser ihr ihre ihren ihrem seinen mit von vom für im in am an auf",
    "aus zu zum zur bei und oder auch nach nur es sie ihn er ich du",
    "wir mir uns mich dich dir man ist sind war waren wird werden wurde wurden hat",
    "habe haben hatte kann kannst könnte könntest möchte will würde würdest bitte hallo jetzt gerade noch",
    "so da hier alle allen alles jede jeden jedes gibt was wie welche welcher welches welchen",
    "viel viele lang um während unter über höchstens mindestens bis ab sofort nicht kein keine keinen",
    "derzeit aktuell aktuellen danke doch mal heute moment isbn nummer nr gern gerne geht zurück hinzu",
    "vor ab auf ein weg",
)
"""Words that name nothing."""
MARKS = STOP_WORDS - word_set("in an am war will so er man es da") | word_set(
    "wann wer wo warum wieso soll sollte darf zeig zeige suche storniere bestelle"
)
"""Words that mark a text as German."""
NEGATIONS = word_set("nicht nie niemals kein keine keinen keinem keinesfalls ohne")
CONDITIONS = word_set("wenn falls sobald sofern oder bevor nachdem bis außer")
ASKS_FOR_ADVICE = word_set("soll sollte sollten sollen darf dürfen dürfte muss warum wieso weshalb wenn")
QUESTION_WORDS = word_set(
    "was welche welcher welches welchen wer wem wen wann wo wie ist sind war waren hat",
    "habe haben gibt wurde wird läuft funktioniert",
)
POLITE = word_set("bitte hallo hey guten tag jetzt dann nun doch mal")
AT_MOST = word_set("unter höchstens bis maximal")
AT_LEAST = word_set("über mindestens ab")
AFTER = word_set("nach seit")
TOWARDS = word_set("auf")
OF = word_set("von mal")
LINKS = word_set("nummer nr mit der die den")
ABOUT = word_set("nach über")
"""Words before numbers, behind them, between a noun and its number, and before what is searched for."""
SEPARATED = {
    ("gib", "zurück"): "return",
    ("bring", "zurück"): "return",
    ("füg", "hinzu"): "add",
    ("leg", "an"): "add",
    ("schlag", "vor"): "suggest",
    ("brech", "ab"): "cancel",
    ("brich", "ab"): "cancel",
    ("leih", "aus"): "borrow",
}
"""Stems of verbs that mean something else with a word at the end of the sentence."""
_COUNTED = "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"
NUMBERS = {word: number for number, word in enumerate(_COUNTED.split()) if word != "ein"}

_VERB_ENDINGS = ("", "e", "en", "n", "st", "t")
_ENDINGS = ("", "e", "en", "er", "es", "em", "n", "s", "ern", "nen")
_LINKS = ("", "s", "n", "en", "er", "e", "es")
_SHORTEST_PART = 3


def _table(rows: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    return {word: tuple(english.split()) for words, english in rows.items() for word in words.split()}


_VERB_TABLE = _table(_VERBS)
_READING_TABLE = _table(_READING_VERBS)
_NOUN_TABLE = _table(_NOUNS)


def verb_stem(word: str) -> str | None:
    """Return the stem of a German verb in a form of asking (`zeig`, `zeige`, `zeigen`); None: it is none."""
    known = _VERB_TABLE | _READING_TABLE
    for ending in _VERB_ENDINGS:
        if word.endswith(ending) and (found := word.removesuffix(ending)) in known:
            return found
    return None


def english_verb(stem: str) -> tuple[str, ...]:
    """Return the English of a verb's stem."""
    return _VERB_TABLE.get(stem) or _READING_TABLE[stem]


@lru_cache(maxsize=2048)
def translate_word(word: str) -> tuple[str, ...]:
    """Return the English of a German word in lower case, or of its parts; () if it is not known."""
    if found := _noun(word):
        return found
    if stem := verb_stem(word):
        return english_verb(stem)
    for at in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        head = next((each for link in _LINKS if (each := _linked(word[:at], link))), ())
        if head and (rest := _noun(word[at:])):
            return (*head, *rest)
    return ()


def _linked(part: str, link: str) -> tuple[str, ...]:
    return _NOUN_TABLE.get(part.removesuffix(link), ()) if part.endswith(link) else ()


def _noun(word: str) -> tuple[str, ...]:
    for ending in _ENDINGS:
        if word.endswith(ending) and (found := _NOUN_TABLE.get(word.removesuffix(ending))):
            return found
    return ()
