"""Patterns in the syntax that every reader of JSON Schema shares."""

import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.patterns import REWRITTEN, UNCHANGED, WITHOUT_FORM
from toolserver.schema.pattern import is_runnable, portable_pattern


@pytest.mark.parametrize("pattern", UNCHANGED)
def test_an_ordinary_pattern_stays_as_it_is(pattern: str) -> None:
    """Nearly all are; a document's author recognizes them."""
    assert portable_pattern(pattern) == pattern


@pytest.mark.parametrize(("pattern", "portable"), REWRITTEN.items())
def test_an_author_s_syntax_is_written_in_the_shared_one(pattern: str, portable: str) -> None:
    r"""Ajv refuses `\-` outside of brackets, Python refuses `(?<year>`, and both mean the same."""
    assert portable_pattern(pattern) == portable


@pytest.mark.parametrize("pattern", [pattern for patterns in WITHOUT_FORM.values() for pattern in patterns])
def test_a_pattern_that_some_reader_cannot_compile_has_no_shared_form(pattern: str) -> None:
    """A schema that contained it would fail as a whole."""
    assert portable_pattern(pattern) is None


@given(st.text(alphabet="ab1-^$.*+?()[]{}|\\,&~dwpsbu:=!<>P", max_size=12))
def test_whatever_is_written_every_reader_here_compiles_it(pattern: str) -> None:
    """Also without the warnings with which Python announces a change of meaning."""
    portable = portable_pattern(pattern)
    if portable is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            re.purge()
            re.compile(portable)
        assert is_runnable(portable)
        assert portable_pattern(portable) == portable
