"""What `--help` shows, and what a mistyped word is answered with."""

import argparse
import shlex
from collections import Counter
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from bridge.__main__ import main
from bridge.cli.command_parser import build_parser
from bridge.cli.commands import COMMANDS, GROUPS
from tests.support.commands import run_command
from tests.support.terminals import Terminal

EXAMPLES = [line for command in COMMANDS.values() for line in command.examples]


def test_the_help_lists_each_command_once() -> None:
    """A command that stands in no group would be known to its author only."""
    assert Counter(name for names in GROUPS.values() for name in names) == Counter(list(COMMANDS))
    helped = run_command("--help")
    listed = [line.split()[0] for line in helped.output.splitlines() if line.startswith("    ")]
    assert (helped.status, listed[: len(COMMANDS)]) == (
        0,
        [name for group in GROUPS.values() for name in group],
    )


def test_each_command_shows_an_example() -> None:
    """Most people copy one before they read about options."""
    assert all(command.examples for command in COMMANDS.values())
    assert "examples:\n    tool-bridge check openapi.yaml\n" in run_command("check", "--help").output


@pytest.mark.parametrize("line", EXAMPLES)
def test_an_example_can_be_typed_as_it_stands(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is refused is worse than none."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "openapi.yaml").touch()
    (tmp_path / "edits.overlay.yaml").touch()
    words = shlex.split(line[line.index("tool-bridge") :].partition(" | ")[0].removesuffix(')"'))
    parser, of_command = build_parser([words[1]])
    of_command[words[1]].refuse_unknown(words[1:])
    assert parser.parse_args(words[1:]).command == words[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_and_every_argument_is_explained(name: str) -> None:
    """`tool` and `JSON` without a word tell nobody what to type."""
    _, of_command = build_parser([name])
    actions = of_command[name]._actions  # pyright: ignore[reportPrivateUsage]  # there is no public list
    assert not [action.dest for action in actions if not action.help or action.help == argparse.SUPPRESS]


def test_the_help_is_painted_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever pipes it to `less` or `grep`, or has asked for no colours, gets plain text."""
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    assert "\033[" in _help_on_a_terminal()
    assert "\033[" not in run_command("call", "--help").output
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\033[" not in _help_on_a_terminal()
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert "\033[" not in _help_on_a_terminal()


def _help_on_a_terminal() -> str:
    with redirect_stdout(Terminal()) as terminal, pytest.raises(SystemExit):
        main(["call", "--help"])
    return terminal.getvalue()


def test_without_any_word_the_commands_are_shown() -> None:
    """A newcomer types the name alone; a script that does has made a mistake."""
    ended = run_command()
    assert (ended.status, ended.output) == (2, "")
    assert "run the bridge with a sample API" in ended.errors


def test_what_is_behind_two_dashes_is_no_option() -> None:
    """An argument of a tool may begin with dashes."""
    _, of_command = build_parser(["call"])
    of_command["call"].refuse_unknown(["call", "--key", "k", "x", "--", "--name=value"])
