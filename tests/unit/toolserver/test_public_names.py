"""What others import of `toolserver`."""

import inspect

import toolserver
from tests.house.source import ROOT, text_of

HOW_TO = "docs/how-to/use-toolserver-as-a-library.md"
TYPED = ROOT / "toolserver/py.typed"


def test_the_public_names_are_these() -> None:
    """Finding house-H5: a name that appears or goes by chance breaks programs that no one here knows."""
    assert set(toolserver.__all__) == {
        "ArgumentError",
        "CompiledOperation",
        "Document",
        "DocumentError",
        "DocumentLimits",
        "DocumentTools",
        "Request",
        "RequestError",
        "build_request",
        "openai_tool",
        "parse_document",
        "read_arguments",
    }


def test_each_public_name_says_what_it_is_and_is_on_the_page() -> None:
    """A stranger has the docstring and one page."""
    page = text_of(HOW_TO)
    for name in toolserver.__all__:
        assert inspect.getdoc(getattr(toolserver, name)), name
        assert f"`{name}`" in page, name


def test_its_types_are_there_for_type_checkers() -> None:
    """PEP 561: without this file they take every name for `Any`."""
    assert TYPED.read_text() == ""
