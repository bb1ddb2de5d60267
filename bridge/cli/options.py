"""The options of every command except `serve`, `demo` and `doctor`.

Imports no command: `--help` and shell completion must not wait for the libraries that a command needs.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from bridge.cli.arguments import (
    DATABASE_VARIABLE,
    add_folder,
    add_store,
    parse_count,
    parse_folder,
    parse_kind,
    parse_label,
    parse_moment,
    parse_origin,
    user_name,
)
from bridge.settings.answer_format import CALL_DISPLAYS, MARKER_FORMS
from bridge.settings.users import LOCAL_USER

SHELLS = ("bash", "zsh", "fish")


def add_check(command: argparse.ArgumentParser) -> None:
    """`tool-bridge check`."""
    command.add_argument("spec", metavar="FILE|URL")
    command.add_argument("--json", action="store_true")
    command.add_argument(
        "--strict",
        action="store_true",
        help="status 1 when an operation is skipped or has a warning, for continuous integration",
    )
    add_references(command)


def add_plan(command: argparse.ArgumentParser) -> None:
    """`tool-bridge plan`."""
    command.add_argument("spec", metavar="FILE|URL")
    command.add_argument("--json", action="store_true", help="print JSON (the only format)")
    add_references(command)


def add_references(command: argparse.ArgumentParser) -> None:
    """The options `--refs-root` and `--refs-origin`."""
    command.add_argument(
        "--refs-root",
        type=parse_folder,
        metavar="DIR",
        help="read files that a document refers to anywhere below this folder (default: the document's)",
    )
    command.add_argument(
        "--refs-origin",
        type=parse_origin,
        action="append",
        default=[],
        metavar="ORIGIN",
        help="fetch what a document refers to from this origin, too, not only from its own (repeatable)",
    )


def add_tools(command: argparse.ArgumentParser) -> None:
    """`tool-bridge tools`."""
    command.add_argument("--spec", metavar="FILE|URL")
    add_references(command)
    command.add_argument(
        "--strict", action="store_true", help="with --spec: as functions for OpenAI, with strict schemas"
    )
    add_client(command)


def add_call(command: argparse.ArgumentParser) -> None:
    """`tool-bridge call`."""
    command.add_argument("tool")
    command.add_argument("arguments", nargs="?", default="{}", metavar="JSON")
    add_client(command)


def add_client(command: argparse.ArgumentParser) -> None:
    """The options of every command that talks to a bridge."""
    command.add_argument("--url", help="the bridge's address (default: the one that runs on the data folder)")
    command.add_argument("--key", help="API key (default: TOOL_BRIDGE_KEY, then the local user's)")
    command.add_argument("--json", action="store_true")
    add_folder(command)


def add_smoke(command: argparse.ArgumentParser) -> None:
    """`tool-bridge smoke`."""
    command.add_argument("--tool", metavar="NAME", help="which tool (default: the first that is accepted)")
    command.add_argument("--arguments", default="{}", metavar="JSON", help="of the call (default: {})")
    command.add_argument("--model", metavar="NAME", help="which model (default: the first one)")
    command.add_argument(
        "--say", metavar="TEXT", help="the message to send (default: a request to call the tool)"
    )
    command.add_argument("--keep", action="store_true", help="do not delete the conversation")
    add_client(command)


def add_key(command: argparse.ArgumentParser) -> None:
    """`tool-bridge key`."""
    whose = command.add_mutually_exclusive_group(required=True)
    whose.add_argument("--user", type=user_name, metavar="NAME")
    whose.add_argument(
        "--forwarder", action="store_true", help="for a program that names the user of each call (Open WebUI)"
    )
    command.add_argument("--label", type=parse_label, default="command line")
    command.add_argument(
        "--show-calls",
        choices=CALL_DISPLAYS,
        help="how answers of models show the calls that the bridge ran "
        "(default: details for a forwarder, else hidden)",
    )
    command.add_argument(
        "--markers",
        choices=MARKER_FORMS,
        help="how answers mark their stored items, so that a chat can bring them back "
        "(default: link for Open WebUI, else off)",
    )
    command.add_argument("--json", action="store_true")
    add_store(command)


def add_users(command: argparse.ArgumentParser) -> None:
    """`tool-bridge users`."""
    command.add_argument(
        "--delete",
        type=user_name,
        metavar="NAME",
        help="delete this user with keys, browsers, servers, calls, conversations and stored answers",
    )
    command.add_argument("--json", action="store_true")
    add_store(command)


def add_replicas(command: argparse.ArgumentParser) -> None:
    """`tool-bridge replicas`."""
    command.add_argument(
        "--redis",
        default=os.environ.get("TOOL_BRIDGE_REDIS") or None,
        metavar="URL",
        help="the Redis of the replicas (default: TOOL_BRIDGE_REDIS)",
    )
    command.add_argument("--json", action="store_true")


def add_devices(command: argparse.ArgumentParser) -> None:
    """`tool-bridge devices`."""
    command.add_argument("--user", default=LOCAL_USER, type=user_name, metavar="NAME")
    command.add_argument("--remove", metavar="ID")
    command.add_argument("--json", action="store_true")
    add_store(command)


def add_audit(command: argparse.ArgumentParser) -> None:
    """`tool-bridge audit`."""
    command.add_argument("--user", type=user_name, metavar="NAME", help="default: all users")
    command.add_argument("--kind", action="append", type=parse_kind, metavar="KIND", help="repeatable")
    command.add_argument(
        "--since", type=parse_moment, metavar="TIME", help="ISO time, or a span such as 90m, 12h or 7d"
    )
    command.add_argument("--limit", type=parse_count, default=1000, metavar="NUMBER", help="default: 1000")
    command.add_argument("--json", action="store_true", help="one JSON object a line")
    add_store(command)


def add_encrypt(command: argparse.ArgumentParser) -> None:
    """`tool-bridge encrypt`."""
    command.add_argument("--off", action="store_true", help="decrypt everything")
    command.add_argument("--json", action="store_true")
    add_store(command)


def add_move_database(command: argparse.ArgumentParser) -> None:
    """`tool-bridge move-database`."""
    command.add_argument(
        "--to",
        default=os.environ.get(DATABASE_VARIABLE) or None,
        metavar="URL",
        help="postgresql://user:password@host:5432/name (default: TOOL_BRIDGE_DATABASE_URL)",
    )
    command.add_argument("--json", action="store_true")
    add_folder(command)


def add_export(command: argparse.ArgumentParser) -> None:
    """`tool-bridge export`."""
    command.add_argument("--user", default=LOCAL_USER, type=user_name, metavar="NAME")
    command.add_argument(
        "--out", type=Path, metavar="FILE", help="a new file, readable only by you (default: print it)"
    )
    command.add_argument(
        "--chats",
        action="store_true",
        help="only items of answers, as chats of Open WebUI with the member openai_responses_pipe",
    )
    add_store(command)


def add_import(command: argparse.ArgumentParser) -> None:
    """`tool-bridge import`."""
    command.add_argument(
        "file", type=Path, metavar="FILE", help="of `export`, or chats of Open WebUI with items of a pipe"
    )
    command.add_argument("--user", default=LOCAL_USER, type=user_name, metavar="NAME")
    command.add_argument("--json", action="store_true")
    add_store(command)


def add_completion(command: argparse.ArgumentParser) -> None:
    """`tool-bridge completion`."""
    command.add_argument("shell", choices=SHELLS)
