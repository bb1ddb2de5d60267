"""`tool-bridge`, also as `python -m bridge`: parses the command line and runs one command."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable, Sequence

from bridge.cli.command_parser import build_parser
from bridge.cli.commands import COMMANDS, load_function
from bridge.cli.parser import CommandFailed, describe_unknown_command
from bridge.cli.terminal import guard_terminal
from bridge.lazy_modules import load_lazily
from bridge.log_lines import log_to_stderr
from bridge.operating_system import write_any_character
from bridge.told_failure import ToldFailure


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that `arguments` (the process's by default) ask for; returns the exit status."""
    write_any_character(sys.stdout, sys.stderr)
    sys.stdout = guard_terminal(sys.stdout)
    sys.stderr = guard_terminal(sys.stderr)
    options = _parsed(sys.argv[1:] if arguments is None else arguments)
    log_to_stderr()
    for chatty in ("alembic", "aiohttp.access"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    try:
        return _load_command(options.command)(options)
    except ToldFailure as error:
        print(f"tool-bridge: {error}", file=sys.stderr)
        return error.status
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _load_command(name: str) -> Callable[..., int]:
    """Return a command's function; a library that was not read may lack what that imports."""
    try:
        return load_function(COMMANDS[name].run)
    except ImportError as error:
        if reason := load_lazily("unread_libraries")():
            raise CommandFailed(f"{error}. {reason}") from None
        raise


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of the command that is named; of the others only what they do."""
    command = next((argument for argument in arguments if not argument.startswith("-")), "")
    parser, of_command = build_parser([command] if command in COMMANDS else [])
    if command and command not in COMMANDS:
        parser.error(describe_unknown_command(command, COMMANDS))
    if not arguments:
        parser.print_help(sys.stderr)
        raise SystemExit(2)
    of_command.get(command, parser).refuse_unknown(arguments)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
