"""New and changed texts are plain English; see `since.py` for what counts as new."""

from collections.abc import Iterator

import pytest

from tests.house.source import exceptions, files, refuse
from tests.house.words.prose import Passage, passages_of
from tests.house.words.rules import Fault, Phrase, base, faults_of, phrases
from tests.house.words.since import has_history, new_lines


def test_new_texts_have_none_of_the_refused_phrases_and_no_long_sentence() -> None:
    """A reader who has to translate a sentence back reads it twice."""
    if not has_history(base()):
        pytest.skip(f"not checked: no history back to {base()[:8]}")
    excused = exceptions("words")
    found = list(new_faults())
    refuse(
        [
            f"{passage.file}:{passage.line_at(fault.start)}: {fault.advice}"
            for passage, fault in found
            if f"{passage.file}::{fault.name}" not in excused
        ]
        + [
            f"{key}: excused in words without need; delete it there"
            for key in sorted(excused - {f"{passage.file}::{fault.name}" for passage, fault in found})
        ]
    )


def new_faults() -> Iterator[tuple[Passage, Fault]]:
    """Faults that touch a line which is new."""
    lines = new_lines(base())
    for passage in passages_of(name for name in files("") if name in lines):
        new = lines[passage.file]
        if not new.isdisjoint(range(passage.first, passage.last + 1)):
            for fault in faults_of(passage):
                if not new.isdisjoint(passage.lines(fault.start, fault.end)):
                    yield passage, fault


@pytest.mark.parametrize("phrase", phrases(), ids=lambda phrase: phrase.name)
def test_a_phrase_is_found_in_its_examples_and_nowhere_else(phrase: Phrase) -> None:
    """A rule that is wrong about good sentences is switched off."""
    for example in phrase.refused:
        assert phrase.name in names_of_faults(example)
    for example in phrase.allowed:
        assert names_of_faults(example) == set()


def names_of_faults(text: str) -> set[str]:
    return {fault.name for fault in faults_of(Passage("docs/a.md", 1, 1, text))}
