"""`tool-bridge completion`: a script with which a shell completes commands, options, choices and tools.

The script holds all words itself, so that completing starts no Python; but for the tools it asks the bridge.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bridge.cli.command_parser import build_parser
from bridge.cli.commands import COMMANDS

_TOOL_NAMES = "$(tool-bridge tools 2>/dev/null | cut -d ' ' -f 1 | tr -cd 'A-Za-z0-9_\\n-')"
"""What bash and zsh run for the names of tools, only where one is typed. `compgen` expands what it is given,
so nothing else than the characters of names gets there."""

_TOOL_NAMES_IN_FISH = "(tool-bridge tools 2>/dev/null | string match -r '^[A-Za-z0-9_-]+')"


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a command, or what stands there without a name."""

    names: Sequence[str]
    choices: Sequence[str]
    help: str


def completion(options: argparse.Namespace) -> int:
    """Print the script for a shell."""
    _, parsers = build_parser(tuple(COMMANDS))
    of_command = {name: list(_options_of(parser)) for name, parser in parsers.items()}
    lines = _fish(of_command) if options.shell == "fish" else _bash(of_command)
    if options.shell == "zsh":
        print("autoload -U +X bashcompinit && bashcompinit")
    print("\n".join(lines))
    return 0


def _options_of(parser: argparse.ArgumentParser) -> Iterator[Option]:
    actions = parser._actions  # pyright: ignore[reportPrivateUsage]  # there is no public list
    for action in actions:
        names = [name for name in action.option_strings if name.startswith("--")]
        if names or action.choices:
            yield Option(names, [str(choice) for choice in action.choices or ()], action.help or "")


def _bash(of_command: Mapping[str, Sequence[Option]]) -> Iterator[str]:
    yield from ("_tool_bridge() {", '  local words="" current="${COMP_WORDS[COMP_CWORD]}"')
    yield '  case "${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD-1]}" in'
    for command, options in of_command.items():
        names = " ".join(name for option in options for name in option.names)
        first = _TOOL_NAMES if command == "call" else ""
        for option in options:
            choices = " ".join(option.choices)
            if choices and not option.names:
                first = choices
            elif choices:
                case = " | ".join(f'"{command} {name}"' for name in option.names)
                yield f'    {case}) words="{choices}" ;;'
        if first:
            yield f'    "{command} {command}") words="{first}"; [[ "$current" == -* ]] && words="{names}" ;;'
        if command == "smoke":
            yield f'    "smoke --tool") words="{_TOOL_NAMES}" ;;'
        yield f'    "{command} "*) [[ "$current" == -* ]] && words="{names}" ;;'
    yield from ("  esac", f'  [[ "$COMP_CWORD" -eq 1 ]] && words="{" ".join(of_command)}"')
    yield from ('  COMPREPLY=($(compgen -W "$words" -- "$current"))', "}")
    yield "complete -o default -F _tool_bridge tool-bridge"


def _fish(of_command: Mapping[str, Sequence[Option]]) -> Iterator[str]:
    for command, options in of_command.items():
        does = shlex.quote(COMMANDS[command].does)
        yield f"complete -c tool-bridge -n __fish_use_subcommand -f -a {command} -d {does}"
        if command == "call":
            tools = shlex.quote(_TOOL_NAMES_IN_FISH)
            yield f"complete -c tool-bridge -n '__fish_seen_subcommand_from call' -a {tools}"
        for option in options:
            names = " ".join(f"-l {name.removeprefix('--')}" for name in option.names)
            choices = f" -x -a {shlex.quote(' '.join(option.choices))}" if option.choices else ""
            seen = shlex.quote(f"__fish_seen_subcommand_from {command}")
            yield f"complete -c tool-bridge -n {seen} {names}{choices} -d {shlex.quote(option.help)}"
