"""The options of commands that work on documents and on stored data.

Imports no command: `--help` and shell completion must not wait for the libraries that a command needs.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import get_args

from bridge.cli.arguments import (
    DATABASE_VARIABLE,
    add_folder,
    add_store,
    parse_count,
    parse_file,
    parse_folder,
    parse_kind,
    parse_label,
    parse_moment,
    parse_origin,
    user_name,
)
from bridge.settings.answer_format import CALL_DISPLAYS, MARKER_FORMS
from bridge.settings.chat.provider_rules import Dialect
from bridge.settings.users import LOCAL_USER

SHELLS = ("bash", "zsh", "fish")


def add_check(command: argparse.ArgumentParser) -> None:
    """`tool-bridge check`."""
    add_document(command)
    add_overlays(command)
    add_json(command)
    command.add_argument(
        "--strict",
        action="store_true",
        help="status 1 when an operation is skipped or has a warning, for continuous integration",
    )
    command.add_argument(
        "--for",
        dest="dialect",
        choices=get_args(Dialect),
        help="also say which tools change for models of this provider, and how",
    )
    add_references(command)


def add_document(command: argparse.ArgumentParser) -> None:
    """The document of a command that needs no running bridge."""
    command.add_argument("spec", metavar="FILE|URL", help="an OpenAPI or Swagger 2.0 document")


def add_overlays(command: argparse.ArgumentParser) -> None:
    """The option `--overlay` of a command about one document."""
    command.add_argument(
        "--overlay",
        type=parse_file,
        action="append",
        default=[],
        metavar="FILE",
        help="edit the document by this OpenAPI Overlay first (may be repeated, in order)",
    )


def add_json(command: argparse.ArgumentParser) -> None:
    """The option `--json` of a command whose result is one JSON value."""
    command.add_argument("--json", action="store_true", help="print JSON, for programs")


def add_user(command: argparse.ArgumentParser) -> None:
    """The option `--user` of a command about one user."""
    command.add_argument(
        "--user",
        default=LOCAL_USER,
        type=user_name,
        metavar="NAME",
        help=f"which user (default: {LOCAL_USER}, who starts the bridge)",
    )


def add_plan(command: argparse.ArgumentParser) -> None:
    """`tool-bridge plan`."""
    add_document(command)
    add_overlays(command)
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


def add_init(command: argparse.ArgumentParser) -> None:
    """`tool-bridge init`."""
    add_json(command)
    add_folder(command)


def add_open(command: argparse.ArgumentParser) -> None:
    """`tool-bridge open`."""
    add_json(command)
    add_store(command)


def add_link(command: argparse.ArgumentParser) -> None:
    """`tool-bridge link`."""
    add_user(command)
    add_json(command)
    add_store(command)


def add_key(command: argparse.ArgumentParser) -> None:
    """`tool-bridge key`."""
    whose = command.add_mutually_exclusive_group(required=True)
    whose.add_argument(
        "--user", type=user_name, metavar="NAME", help="whose key; the user is created if need be"
    )
    whose.add_argument(
        "--forwarder", action="store_true", help="for a program that names the user of each call (Open WebUI)"
    )
    command.add_argument(
        "--label",
        type=parse_label,
        default="command line",
        help="what the page calls the key (default: command line)",
    )
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
    add_json(command)
    add_store(command)


def add_users(command: argparse.ArgumentParser) -> None:
    """`tool-bridge users`."""
    change = command.add_mutually_exclusive_group()
    change.add_argument(
        "--delete",
        type=user_name,
        metavar="NAME",
        help="delete this user with keys, browsers, servers, calls, conversations and stored answers",
    )
    change.add_argument(
        "--disable",
        type=user_name,
        metavar="NAME",
        help="let this user in no more, by no login, browser, key or link, and offer nobody what it shares; "
        "what is stored stays",
    )
    change.add_argument(
        "--usage",
        action="store_true",
        help="list what each has had models do in this day or month",
    )
    change.add_argument("--enable", type=user_name, metavar="NAME", help="let a disabled user in again")
    add_json(command)
    add_store(command)


def add_replicas(command: argparse.ArgumentParser) -> None:
    """`tool-bridge replicas`."""
    command.add_argument(
        "--redis",
        default=os.environ.get("TOOL_BRIDGE_REDIS") or None,
        metavar="URL",
        help="the Redis of the replicas (default: TOOL_BRIDGE_REDIS)",
    )
    add_json(command)


def add_devices(command: argparse.ArgumentParser) -> None:
    """`tool-bridge devices`."""
    add_user(command)
    command.add_argument("--remove", metavar="ID", help="remove this browser, whose id the list shows")
    add_json(command)
    add_store(command)


def add_audit(command: argparse.ArgumentParser) -> None:
    """`tool-bridge audit`."""
    command.add_argument(
        "--user", type=user_name, metavar="NAME", help="only entries about this user (default: all users)"
    )
    command.add_argument(
        "--kind",
        action="append",
        type=parse_kind,
        metavar="KIND",
        help="only entries of this kind (repeatable)",
    )
    command.add_argument(
        "--since",
        type=parse_moment,
        metavar="TIME",
        help="only entries from this time on: an ISO time, or a span such as 90m, 12h or 7d",
    )
    command.add_argument(
        "--limit",
        type=parse_count,
        default=1000,
        metavar="NUMBER",
        help="at most so many, the newest (default: 1000)",
    )
    command.add_argument("--json", action="store_true", help="one JSON object a line")
    add_store(command)


def add_encrypt(command: argparse.ArgumentParser) -> None:
    """`tool-bridge encrypt`."""
    command.add_argument("--off", action="store_true", help="decrypt everything")
    add_json(command)
    add_store(command)


def add_backup(command: argparse.ArgumentParser) -> None:
    """`tool-bridge backup`."""
    command.add_argument("file", type=Path, metavar="FILE", help="a new file, readable only by you")
    add_json(command)
    add_store(command)


def add_restore(command: argparse.ArgumentParser) -> None:
    """`tool-bridge restore`."""
    command.add_argument("file", type=Path, metavar="FILE", help="a file of backup")
    add_json(command)
    add_store(command)


def add_move_database(command: argparse.ArgumentParser) -> None:
    """`tool-bridge move-database`."""
    command.add_argument(
        "--to",
        default=os.environ.get(DATABASE_VARIABLE) or None,
        metavar="URL",
        help="postgresql://user:password@host:5432/name (default: TOOL_BRIDGE_DATABASE_URL)",
    )
    add_json(command)
    add_folder(command)


def add_export(command: argparse.ArgumentParser) -> None:
    """`tool-bridge export`."""
    add_user(command)
    command.add_argument(
        "--out", type=Path, metavar="FILE", help="a new file, readable only by you (default: print it)"
    )
    form = command.add_mutually_exclusive_group()
    form.add_argument(
        "--chats",
        action="store_true",
        help="only items of answers, as chats of Open WebUI with the member openai_responses_pipe",
    )
    form.add_argument(
        "--everything",
        action="store_true",
        help="also account, browsers, servers, settings, calls, audit entries and files of answers",
    )
    add_store(command)


def add_import(command: argparse.ArgumentParser) -> None:
    """`tool-bridge import`."""
    command.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="a file of export, or chats of Open WebUI with items of a pipe",
    )
    add_user(command)
    add_json(command)
    add_store(command)


def add_completion(command: argparse.ArgumentParser) -> None:
    """`tool-bridge completion`."""
    command.add_argument("shell", choices=SHELLS, help="the shell that is to complete")
