"""The synopsis of every command, and its options in a few words."""

import argparse
import re
import textwrap
from collections.abc import Iterable, Iterator

from bridge.cli.command_parser import build_parser
from bridge.cli.commands import COMMANDS
from bridge.settings.bridge import BridgeSettings
from bridge.settings.declaration import sections_of, settings_of_section
from make.reference.parts import table

PAGE = "docs/reference/command-line.md"
WIDTH = 120
"""Characters of a line of a synopsis."""


def parts() -> dict[str, Iterable[str]]:
    """A part for each command, by its name."""
    _, parsers = build_parser(tuple(COMMANDS))
    return {name: _command(name, parser) for name, parser in parsers.items()}


def _command(name: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    actions = [
        action
        for action in parser._actions  # pyright: ignore[reportPrivateUsage]  # there is no public list
        if action.help != argparse.SUPPRESS and not isinstance(action, argparse._HelpAction)  # pyright: ignore[reportPrivateUsage]
    ]
    yield from ("", "```")
    yield from _synopsis(f"tool-bridge {name}", _words(parser, actions))
    yield from ("```", "")
    rows = [(_names(action), _help(action)) for action in actions if _needs_a_row(action)]
    if rows:
        yield from table(("option", "meaning"), rows)
        yield ""


def _words(parser: argparse.ArgumentParser, actions: list[argparse.Action]) -> list[str]:
    """The options; of which only one may be given, between bars."""
    groups = parser._mutually_exclusive_groups  # pyright: ignore[reportPrivateUsage]
    words: list[str] = []
    for action in actions:
        group = next((each for each in groups if action in each._group_actions), None)  # pyright: ignore[reportPrivateUsage]
        if group is None:
            words.append(_usage(action))
        elif action is group._group_actions[0]:  # pyright: ignore[reportPrivateUsage]
            choice = " | ".join(_usage(each).strip("[]") for each in group._group_actions)  # pyright: ignore[reportPrivateUsage]
            words.append(f"({choice})" if group.required else f"[{choice}]")
    return words


def _synopsis(command: str, words: list[str]) -> list[str]:
    # A space inside an option's brackets must not break: it is put back when the lines are made.
    line = " ".join([command, *(word.replace(" ", "\0") for word in words)])
    margin = " " * (len(command) + 1)
    lines = textwrap.wrap(
        line, WIDTH, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False
    )
    return [each.replace("\0", " ") for each in lines]


def _usage(action: argparse.Action) -> str:
    if not action.option_strings:
        name = _value(action)
        return {"*": f"[{name}]...", "+": f"{name}...", "?": f"[{name}]"}.get(str(action.nargs), name)
    value = "" if action.nargs == 0 else f" {_value(action)}"
    word = f"{_long(action)}{value}"
    is_repeatable = isinstance(action, argparse._AppendAction) or _SETTINGS.get(_long(action), False)  # pyright: ignore[reportPrivateUsage]
    return word if action.required else f"[{word}]{'...' if is_repeatable else ''}"


def _value(action: argparse.Action) -> str:
    if action.metavar:
        return str(action.metavar)
    return "|".join(map(str, action.choices)) if action.choices else action.dest.upper()


def _names(action: argparse.Action) -> str:
    return f"`{_usage(action).strip('[].')}`" if action.option_strings else f"`{_value(action)}`"


def _long(action: argparse.Action) -> str:
    return next((name for name in action.option_strings if name.startswith("--")), action.option_strings[0])


def _help(action: argparse.Action) -> str:
    text = (action.help or "").replace("%%", "%").replace("%(default)s", str(action.default))
    return re.sub(r"(--[a-z][a-z-]*|\b[A-Z]+(?:_[A-Z]+)+\b)", r"`\1`", text)


def _needs_a_row(action: argparse.Action) -> bool:
    return not action.option_strings or _long(action) not in {*_SETTINGS, *_IN_EVERY_COMMAND}


_IN_EVERY_COMMAND = ("--data", "--database", "--json", "--limit")
"""Options that the beginning of the page, or the page of settings, explains for all commands."""

_SETTINGS = {
    setting.names.option: setting.is_list
    for section in sections_of(BridgeSettings).values()
    for setting in settings_of_section(section)
    if setting.names.option
}
"""Options that the page of settings explains, and whether they may be repeated."""
