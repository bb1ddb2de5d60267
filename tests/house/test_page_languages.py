"""What a page in any language keeps: its texts in one place, and no side of the screen taken for granted."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import cast

from bridge.calls.limits.settings import NAMES as LIMITS
from bridge.errors import ErrorCode
from tests.house.source import (
    SEES_SYNTAX,
    exceptions,
    files,
    reachable,
    refuse,
    run_node,
    scripts,
    text_of,
)

WORKER = "static/executor_worker.js"
LANGUAGE = "static/base/language.js"
ERRORS = "static/languages/de_errors.js"
OWN_ERRORS = {"unreachable"}
"""Codes that the page gives to what the bridge could not say."""

_SIDES = re.compile(r"(?<![-\w.])(?:[\w-]+-)?(?:left|right)\s*:|:\s*(?:left|right)\b")
_FOUR_SIDES = re.compile(
    r"\b(?:padding|margin):\s*[^\s;]+\s+(?P<right>[^\s;]+)\s+[^\s;]+\s+(?P<left>[^\s;]+);"
)
_PLACE = re.compile(r"\{\w+\}")
_KEY = re.compile(r"""^  ("(?:[^"\\]|\\.)*"|'[^']*'|\w+): """, re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PageTexts:
    """Texts of one module, each with its line."""

    file: str
    keys: tuple[tuple[str, int], ...]
    """Looked up in a catalog."""
    sentences: tuple[tuple[str, str, int], ...]
    """With their codes before them: English for programs, looked up by code for people."""
    bare: tuple[tuple[str, int], ...]
    """As users read them, and in no catalog."""


def test_every_text_of_the_page_is_german_too_and_no_german_is_left_over() -> None:
    """A page of two languages at once reads like a fault."""
    asked = {key: f"{texts.file}:{line}" for texts in page_texts() for key, line in texts.keys}
    german = catalog("texts")
    refuse(
        [f"{place} has no German: {key!r}" for key, place in asked.items() if key not in german]
        + [
            f"static/languages/ has German that nobody asks for: {key!r}"
            for key in german.keys() - asked.keys()
        ]
    )


def test_a_text_has_its_german_in_one_catalog() -> None:
    """Of two, the one that a reader changes may be the one that is not shown."""
    catalogs = sorted(set(files(".js", under=("static/languages/",))) - {ERRORS})
    found = [(key.strip("\"'"), file) for file in catalogs for key in _KEY.findall(text_of(file))]
    times = Counter(key for key, _ in found)
    refuse(f"{file}: {key!r} stands in another catalog too" for key, file in found if times[key] > 1)


def test_a_translation_has_the_values_and_the_forms_of_its_english() -> None:
    """A value that is lost on the way is a sentence that is untrue."""
    refuse(
        f"{english!r} is {german!r}"
        for english, german in catalog("texts").items()
        if set(_PLACE.findall(english)) != set(_PLACE.findall(german))
        or english.count("|") != german.count("|")
    )


def test_every_error_of_the_bridge_has_a_german_sentence() -> None:
    """The bridge's own words stay English: programs and models read them."""
    assert catalog("errors").keys() == {code.value for code in ErrorCode} | OWN_ERRORS


def test_every_sentence_for_programs_has_a_code_of_its_own_and_its_values_in_german() -> None:
    """Finding house-H16: a page that recognises English sentences shows English once a comma has changed."""
    spoken = [entry for texts in page_texts() for entry in texts.sentences]
    assert len({code for code, _, _ in spoken}) == len(spoken)
    german = catalog("sentences")
    assert german.keys() == {code for code, _, _ in spoken}
    refuse(
        f"{code}:{line}: {english!r} is {german[code]!r}"
        for code, english, line in spoken
        if set(_PLACE.findall(english)) != set(_PLACE.findall(german[code]))
    )


def test_texts_stand_in_a_catalog_but_where_that_is_still_to_be_done() -> None:
    """The list of what is still to be translated may only shrink."""
    excused = exceptions("texts_in_english_only")
    found = [texts for texts in page_texts() if texts.bare and texts.file not in spoken_to_programs()]
    used = {entry for entry in excused for texts in found if texts.file.startswith(entry)}
    refuse(
        [
            f"{texts.file}:{line} is in no catalog (t`…`): {words!r}"
            for texts in found
            if not texts.file.startswith(tuple(excused))
            for words, line in texts.bare
        ]
        + [f"{entry}: excused without need; delete it there" for entry in sorted(excused - used)]
    )


def test_what_the_worker_says_is_english() -> None:
    """Callers read it: a model in one language must not depend on the language of somebody's page."""
    assert LANGUAGE not in spoken_to_programs()


def test_every_limit_is_called_what_people_call_it() -> None:
    """A constant is what a program reads."""
    words = text_of("static/settings/limit_labels.js")
    refuse(f"{name} has no words in limit_labels.js" for name in LIMITS if f" {name}: [" not in words)


def test_the_style_sheets_name_no_left_and_no_right() -> None:
    """In a language that is read from the right, the page is its own mirror image."""
    refuse(
        f"{sheet}:{number}: {line.strip()}"
        for sheet in _style_sheets()
        for number, line in enumerate(text_of(sheet).splitlines(), 1)
        if _names_a_side(line)
    )


def test_the_page_loads_each_style_sheet_once_and_keeps_the_tokens_in_one() -> None:
    """Finding house §1: a sheet of each folder, found by its name; colours are chosen in one place."""
    loaded = [f"static/{name}" for name in re.findall(r'@import "\./(.+)";', text_of("static/style.css"))]
    assert sorted(loaded) == [sheet for sheet in _style_sheets() if sheet != "static/style.css"]
    tokens = [
        sheet for sheet in loaded if re.search(r"^\s*--[a-z-]+: light-dark", text_of(sheet), re.MULTILINE)
    ]
    assert tokens == ["static/styles/tokens.css"]


def _style_sheets() -> list[str]:
    return sorted(files(".css", under=("static/",)))


def _names_a_side(line: str) -> bool:
    four = _FOUR_SIDES.search(line)
    return bool(_SIDES.search(line)) or (four is not None and four["right"] != four["left"])


@cache
def spoken_to_programs() -> frozenset[str]:
    """Modules of the worker and the probe: what they say goes out to callers, or comes back as a code."""
    graph = {script.file: set(script.imports) for script in scripts()}
    return frozenset(
        {WORKER, *reachable(WORKER, graph), *reachable("static/probe.js", graph), "static/probe.js"}
    )


@cache
def page_texts() -> tuple[PageTexts, ...]:
    """The texts of all modules of the page, but for the catalogs."""
    names = [name for name in files(".js", under=("static/",)) if not name.startswith("static/languages/")]
    shown = run_node(SEES_SYNTAX, "tests/house/page_texts.cjs", *names)
    return tuple(_read_texts(entry) for entry in cast("list[dict[str, object]]", shown))


def _read_texts(entry: dict[str, object]) -> PageTexts:
    keys = cast("list[tuple[str, int, int]]", entry["keys"])
    bare = cast("list[tuple[str, int, int, int]]", entry["bare"])
    spoken = cast("list[tuple[str, str, int, int]]", entry["sentences"])
    return PageTexts(
        cast("str", entry["file"]),
        tuple((key, line) for key, line, _ in keys),
        tuple((code, english, line) for code, english, line, _ in spoken),
        tuple((words, line) for words, line, _, _ in bare),
    )


@cache
def catalog(part: str) -> dict[str, str]:
    """The German `texts`, `errors` or `sentences`."""
    script = "import { GERMAN } from './static/languages/de.js'; console.log(JSON.stringify(GERMAN))"
    return cast("dict[str, dict[str, str]]", run_node("--input-type=module", "-e", script))[part]
