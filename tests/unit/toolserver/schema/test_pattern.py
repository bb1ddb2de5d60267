"""Patterns in the syntax that every reader of JSON Schema shares."""

import re
import warnings
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.patterns import REWRITTEN, UNCHANGED, WITHOUT_FORM
from toolserver.schema.pattern import is_runnable, portable_pattern, stands_between_slashes


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


BETWEEN_SLASHES = (
    *("/^[A-Z]{3}$/", "/^[A-Z]{3}$/i", "/^(a|b)$/", "/^[|]$/", r"/^a\|b$/", "/^a", "a$/", r"a\\$/gi"),
    "/^a(?=b)$/",
)


@pytest.mark.parametrize("pattern", BETWEEN_SLASHES)
def test_a_pattern_between_slashes_is_known(pattern: str) -> None:
    """Finding W-38: no text has a character before its beginning, or behind its end."""
    assert stands_between_slashes(pattern)
    assert portable_pattern(pattern) is None


PATHS = ("/[A-Z]{3}/", "^/a/b$", "/^a|b$/", r"a\$/", "/", "^/$", "[$/]", "/?^a", "^a$", r"/\^a", "(^/a$)")


@pytest.mark.parametrize("pattern", PATHS)
def test_a_pattern_of_a_path_is_kept_to_the_letter(pattern: str) -> None:
    """Finding W-38: where a value can match, slashes are characters like others."""
    assert not stands_between_slashes(pattern)


@given(st.text(alphabet="/^$|()ab\\", max_size=8), st.text(alphabet="/^$ab\n", max_size=8))
def test_nothing_matches_a_pattern_between_slashes(pattern: str, text: str) -> None:
    """Finding W-38: a pattern that is not checked any more was none that a value could meet."""
    if stands_between_slashes(pattern):
        with suppress(re.error):
            assert re.search(pattern, text) is None
