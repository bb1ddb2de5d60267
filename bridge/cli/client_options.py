"""The options of commands that talk to a running bridge. Imports no command."""

from __future__ import annotations

import argparse
from pathlib import Path

from bridge.cli.arguments import add_folder
from bridge.cli.options import add_json, add_overlays, add_references


def add_tools(command: argparse.ArgumentParser) -> None:
    """`tool-bridge tools`."""
    command.add_argument("--spec", metavar="FILE|URL", help="a document, instead of the running bridge")
    add_overlays(command)
    add_references(command)
    command.add_argument(
        "--strict", action="store_true", help="with --spec: as functions for OpenAI, with strict schemas"
    )
    add_client(command)


def add_call(command: argparse.ArgumentParser) -> None:
    """`tool-bridge call`."""
    command.add_argument("tool", metavar="TOOL", help="name of the tool, as tool-bridge tools lists it")
    command.add_argument(
        "arguments",
        nargs="*",
        metavar="ARGUMENT",
        help="NAME=VALUE, text or JSON as the tool's schema says; NAME:=JSON; NAME=@FILE; "
        "or all of them: a JSON object, @FILE, or - for standard input",
    )
    add_client(command)


def add_run(command: argparse.ArgumentParser) -> None:
    """`tool-bridge run`."""
    command.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="saved requests, as the page exports them"
    )
    command.add_argument("--junit", type=Path, metavar="FILE", help="write a report in JUnit's XML as well")
    add_client(command)


def add_smoke(command: argparse.ArgumentParser) -> None:
    """`tool-bridge smoke`."""
    command.add_argument("--tool", metavar="NAME", help="which tool (default: the first that is accepted)")
    command.add_argument(
        "--arguments", default="{}", metavar="JSON", help="arguments of the call (default: {})"
    )
    command.add_argument(
        "--model",
        metavar="NAME",
        help="which model (default: the built-in one, else the first that is listed)",
    )
    command.add_argument(
        "--say", metavar="TEXT", help="the message to send (default: a request to call the tool)"
    )
    command.add_argument("--keep", action="store_true", help="do not delete the conversation")
    add_client(command)


def add_client(command: argparse.ArgumentParser) -> None:
    """The options of every command that talks to a bridge."""
    command.add_argument("--url", help="the bridge's address (default: the one that runs on the data folder)")
    command.add_argument("--key", help="API key (default: TOOL_BRIDGE_KEY, then the local user's)")
    add_json(command)
    add_folder(command, is_needed=False)
