"""What of a Markdown text is code, wherever the text is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.models.agent.rendering.markdown_code import CodeReader


def is_code_after(*pieces: str) -> bool:
    reader = CodeReader()
    for piece in pieces:
        reader.read_text(piece)
    return reader.is_in_code


@pytest.mark.parametrize(
    "text",
    [
        "```\nx",
        "```python\nx",
        "  ```\nx",
        "> ```\nx",
        "~~~\nx",
        "~~~ `a` \nx",
        "````\n```\nx",
        "```\n~~~\nx",
        "```\n``` no end\nx",
        "```\n`````",
        "a `x",
        "a ``x ` y",
        "```x",
        "a ```b",
        "```a``` and `b",
        "text\n\n```\na\n```\n```\nb",
    ],
)
def test_inside_of_code(text: str) -> None:
    """W-30: what stands in code is told, not meant; a call in it must not run."""
    assert is_code_after(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "```\nx\n```\n",
        "```\nx\n`````  \n",
        "~~~\nx\n~~~\n",
        "a `x` b",
        "a ``x ` y`` b",
        "```a``` b",
        "an unpaired ` is code\nuntil its line ends",
        "~~ struck ~~ ",
        "a ~~~ b",
        "``` a ` b\nno fence\n",
    ],
)
def test_outside_of_code(text: str) -> None:
    """W-30: a call after code must run, whatever the code looked like."""
    assert not is_code_after(text)


@given(st.lists(st.text(alphabet="`~\n >a", max_size=6), max_size=12))
def test_it_does_not_matter_where_a_text_is_cut(pieces: list[str]) -> None:
    """A provider cuts its text anywhere, in the middle of a fence as well."""
    assert is_code_after(*pieces) == is_code_after("".join(pieces))
