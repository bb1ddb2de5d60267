"""The table of commands: where the options of each and the command itself are, and the parser of all.

Only the modules of the command at hand are imported: `check` loads no server, `key` no SDK of a provider, and
the help of a command only its options.
"""

from __future__ import annotations

import argparse
import gc
import pkgutil
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple, cast

from bridge import __version__
from bridge.cli.parser import Parser


class Command(NamedTuple):
    """One command of the program."""

    options: str
    """`module:function` that gives a parser the command's options; the module imports no heavy library."""
    run: str
    """`module:function` that runs the command with the parsed options and returns the exit status."""
    does: str


COMMANDS: Mapping[str, Command] = {
    "serve": Command("bridge.cli.serve_options:add_serve", "bridge.cli.serve:serve", "run the bridge"),
    "demo": Command(
        "bridge.cli.serve_options:add_demo",
        "bridge.cli.serve:demo",
        "run the bridge with a sample API and a sample MCP server",
    ),
    "check": Command(
        "bridge.cli.options:add_check",
        "bridge.cli.documents:check",
        "check an OpenAPI document and report its tools",
    ),
    "plan": Command(
        "bridge.cli.options:add_plan",
        "bridge.cli.documents:plan",
        "print the request plan of every tool of a document, as JSON",
    ),
    "tools": Command(
        "bridge.cli.options:add_tools",
        "bridge.cli.tools:tools",
        "list the tools of a document, or of the running bridge",
    ),
    "call": Command(
        "bridge.cli.options:add_call", "bridge.cli.client:call", "run a tool of the running bridge"
    ),
    "smoke": Command(
        "bridge.cli.options:add_smoke", "bridge.cli.smoke:smoke", "run a test conversation that calls a tool"
    ),
    "doctor": Command(
        "bridge.cli.serve_options:add_doctor",
        "bridge.cli.doctor:doctor",
        "say what is not right with the bridge, and what to do",
    ),
    "key": Command(
        "bridge.cli.options:add_key",
        "bridge.cli.users:key",
        "create an API key and a page link for a user, or a key that acts for several users",
    ),
    "users": Command(
        "bridge.cli.options:add_users", "bridge.cli.users:users", "list the users, or delete one"
    ),
    "audit": Command(
        "bridge.cli.options:add_audit", "bridge.cli.audit:audit", "show the audit log, newest last"
    ),
    "encrypt": Command(
        "bridge.cli.options:add_encrypt",
        "bridge.cli.encrypt:encrypt",
        "re-encrypt stored answers with the first encryption key",
    ),
    "move-database": Command(
        "bridge.cli.options:add_move_database",
        "bridge.cli.move_database:move_database",
        "move the SQLite file to a PostgreSQL database",
    ),
    "export": Command(
        "bridge.cli.options:add_export",
        "bridge.cli.export:export",
        "export a user's stored answers to a file",
    ),
    "import": Command(
        "bridge.cli.options:add_import",
        "bridge.cli.export:import_file",
        "import stored answers, or the items of Open WebUI's chats",
    ),
    "completion": Command(
        "bridge.cli.options:add_completion",
        "bridge.cli.completion:completion",
        "print a script that completes commands and options in a shell",
    ),
    "replicas": Command(
        "bridge.cli.options:add_replicas",
        "bridge.cli.replicas:replicas",
        "list the replicas of the bridge, with their users and calls",
    ),
    "devices": Command(
        "bridge.cli.options:add_devices", "bridge.cli.users:devices", "list a user's browsers, or remove one"
    ),
}


def build_parser(names: Collection[str]) -> tuple[Parser, Mapping[str, argparse.ArgumentParser]]:
    """Return the parser of all commands, and that of each; only those in `names` have their options."""
    parser = Parser(
        prog="tool-bridge", description="OpenAPI operations as tools, performed by the user's own browser."
    )
    parser.add_argument("--version", action="version", version=__version__)
    parsers = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    of_name = {name: parsers.add_parser(name, help=command.does) for name, command in COMMANDS.items()}
    for name in names:
        load_function(COMMANDS[name].options)(of_name[name])
    return parser, of_name


def load_function(name: str) -> Callable[..., int]:
    """Import a function by its `module:function`."""
    gc.disable()  # an import makes no garbage, and looking for some takes an eighth of the start
    try:
        return cast("Callable[..., int]", pkgutil.resolve_name(name))
    finally:
        gc.freeze()  # nor will it be later
        gc.enable()
