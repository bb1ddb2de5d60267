"""The parser of all commands, with the help of each."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping, Sequence

from bridge import __version__
from bridge.cli.commands import COMMANDS, GROUPS, load_function
from bridge.cli.parser import Parser

_ABOUT = "OpenAPI operations as tools, performed by the user's own browser."

_FIRST_STEPS = (
    "tool-bridge demo",
    "tool-bridge call getProduct product_id=2",
    "tool-bridge COMMAND --help",
)


def build_parser(names: Collection[str]) -> tuple[Parser, Mapping[str, Parser]]:
    """Return the parser of all commands, and that of each; only those in `names` have their options."""
    parser = Parser(
        prog="tool-bridge",
        usage="tool-bridge COMMAND [OPTION]...",
        description=f"{_ABOUT}\n\n{_list_commands()}",
        epilog=_list_examples(_FIRST_STEPS),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=__version__, help="print the version")
    parsers = parser.add_subparsers(
        required=True, metavar="COMMAND", dest="command", prog="tool-bridge", help=argparse.SUPPRESS
    )
    of_name = {
        name: parsers.add_parser(
            name,
            description=f"{command.does[0].upper()}{command.does[1:]}.",
            epilog=_list_examples(command.examples),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        for name, command in COMMANDS.items()
    }
    for name in names:
        load_function(COMMANDS[name].options)(of_name[name])
    return parser, of_name


def _list_commands() -> str:
    width = max(map(len, COMMANDS))
    groups = (
        "\n".join([f"{title}:", *(f"    {name:{width}}  {COMMANDS[name].does}" for name in names)])
        for title, names in GROUPS.items()
    )
    return "\n\n".join(groups)


def _list_examples(lines: Sequence[str]) -> str:
    return "\n".join(["examples:", *(f"    {line}" for line in lines)])
