"""`tool-bridge`, also as `python -m bridge`: parses the command line and runs one command."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence

from bridge import __version__
from bridge.commands import audit, client, documents, people, serve
from bridge.commands.options import add_folder, add_references, user_name
from bridge.edges.store import StoreError
from bridge.service import LOCAL_USER
from bridge.turns.turn import CALL_DISPLAYS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that `arguments` (the process's by default) ask for; returns the exit status."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    for chatty in ("alembic", "aiohttp.access", "httpx2"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    try:
        return options.run(options)
    except StoreError as error:
        print(f"tool-bridge: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tool-bridge", description="OpenAPI operations as tools, performed by the user's own browser."
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_servers(commands)
    _add_documents(commands)
    _add_clients(commands)
    return parser


def _add_servers(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage] - argparse has no public name for it
    command = commands.add_parser("serve", help="run the bridge")
    add_folder(command)
    serve.add_arguments(command, with_specs=True)
    command.set_defaults(run=serve.serve)
    command = commands.add_parser("demo", help="run the bridge with a sample API on another port")
    add_folder(command)
    serve.add_arguments(command, with_specs=False)
    command.set_defaults(run=serve.demo)


def _add_documents(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    command = commands.add_parser("check", help="report what a document becomes")
    command.add_argument("spec", metavar="FILE|URL")
    command.add_argument("--json", action="store_true")
    add_references(command)
    command.set_defaults(run=documents.check)
    command = commands.add_parser("plan", help="print the request plan of every tool of a document, as JSON")
    command.add_argument("spec", metavar="FILE|URL")
    command.add_argument("--json", action="store_true", help="the only form there is")
    add_references(command)
    command.set_defaults(run=documents.plan)


def _add_clients(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    command = commands.add_parser("tools", help="list the tools of a document, or of the running bridge")
    command.add_argument("--spec", metavar="FILE|URL")
    add_references(command)
    command.add_argument(
        "--strict", action="store_true", help="with --spec: as functions for OpenAI, with strict schemas"
    )
    _add_client(command)
    command.set_defaults(run=_tools)
    command = commands.add_parser("call", help="run a tool of the running bridge")
    command.add_argument("tool")
    command.add_argument("arguments", nargs="?", default="{}", metavar="JSON")
    _add_client(command)
    command.set_defaults(run=client.call)
    _add_people(commands)


def _add_people(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    command = commands.add_parser(
        "key", help="make an API key and a page link for a user, or a key that speaks for users"
    )
    whose = command.add_mutually_exclusive_group(required=True)
    whose.add_argument("--user", type=user_name, metavar="NAME")
    whose.add_argument(
        "--forwarder", action="store_true", help="for a program that names the user of each call (Open WebUI)"
    )
    command.add_argument("--label", default="command line")
    command.add_argument(
        "--show-calls",
        choices=CALL_DISPLAYS,
        help="how answers of models show the calls that the bridge ran "
        "(default: details for a forwarder, else hidden)",
    )
    command.add_argument("--json", action="store_true")
    add_folder(command)
    command.set_defaults(run=people.key)
    command = commands.add_parser("users", help="list the users")
    command.add_argument("--json", action="store_true")
    add_folder(command)
    command.set_defaults(run=people.users)
    command = commands.add_parser("audit", help="show what happened, newest last")
    command.add_argument("--user", type=user_name, metavar="NAME", help="default: all users")
    command.add_argument("--kind", action="append", type=audit.kind, metavar="KIND", help="repeatable")
    command.add_argument(
        "--since", type=audit.moment, metavar="TIME", help="ISO time, or a span such as 90m, 12h or 7d"
    )
    command.add_argument("--limit", type=audit.count, default=1000, metavar="NUMBER", help="default: 1000")
    command.add_argument("--json", action="store_true", help="one JSON object a line")
    add_folder(command)
    command.set_defaults(run=audit.audit)
    command = commands.add_parser("devices", help="list a user's browsers, or remove one")
    command.add_argument("--user", default=LOCAL_USER, type=user_name, metavar="NAME")
    command.add_argument("--remove", metavar="ID")
    command.add_argument("--json", action="store_true")
    add_folder(command)
    command.set_defaults(run=people.devices)


def _tools(options: argparse.Namespace) -> int:
    if options.strict and not options.spec:
        print("tool-bridge: --strict needs --spec", file=sys.stderr)
        return 2
    return documents.tools(options) if options.spec else client.tools(options)


def _add_client(command: argparse.ArgumentParser) -> None:
    command.add_argument("--url", help="the bridge's address (default: the one that runs on the data folder)")
    command.add_argument("--key", help="API key (default: TOOL_BRIDGE_KEY, then the local user's)")
    command.add_argument("--json", action="store_true")
    add_folder(command)


if __name__ == "__main__":
    sys.exit(main())
