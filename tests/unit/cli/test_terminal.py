"""What a terminal gets and a pipe does not."""

import io

import pytest

from bridge.cli.terminal import ProgressLine, paint, printable, showing_progress, takes_color
from tests.support.terminals import Terminal


@pytest.mark.parametrize(
    ("environ", "painted"),
    [
        ({}, True),
        ({"TERM": "xterm", "NO_COLOR": ""}, True),
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(environ: dict[str, str], painted: bool) -> None:
    """https://no-color.org: whoever sets it has a reason."""
    assert takes_color(Terminal(), environ) is painted
    assert not takes_color(io.StringIO(), environ)
    assert paint("x", "31", io.StringIO()) == "x"


def test_a_text_of_a_stranger_does_not_control_the_terminal() -> None:
    """A title of a document may hold what moves the cursor or sets the window's title."""
    assert printable("a\x1b[2Jb\x9bc\rd\te\nf") == "a\ufffd[2Jb\ufffdc\ufffdd\te\nf"


def test_a_step_that_takes_over_a_second_says_how_far_it_is_and_leaves_nothing() -> None:
    """Nobody knows otherwise whether it hangs; the result stands alone afterwards."""
    terminal, times = Terminal(), iter([0.0, 0.9, 1.5, 3.2])
    progress = ProgressLine("Copying rows", terminal, lambda: next(times))
    progress.show()
    assert terminal.getvalue() == ""
    progress.show()
    assert terminal.getvalue() == "\r\033[KCopying rows: 2 s"
    progress.set_done(500, 2000)
    progress.show()
    assert terminal.getvalue().endswith("\r\033[KCopying rows: [######                  ] 500 of 2,000, 3 s")
    progress.clear()
    assert terminal.getvalue().endswith("\r\033[K")


def test_a_step_that_ends_soon_leaves_the_terminal_as_it_was() -> None:
    """Most do; and a pipe gets nothing whatever it takes."""
    for stream in (Terminal(), io.StringIO()):
        with showing_progress("Reading", stream) as progress:
            progress.set_done(1, 2)
        assert stream.getvalue() == ""
