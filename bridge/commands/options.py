"""What several commands share: values of options, checked where they are typed, and the data folder."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from urllib.parse import urlsplit

from bridge.config import (
    DEFAULT_PORT,
    MAX_AUDIT_DAYS,
    MIN_AUDIT_DAYS,
    MIN_MAX_ANSWER_BYTES,
    default_folder,
    origin_of,
)
from bridge.edges.document_sources import ReferenceRules
from bridge.edges.forwarded_users import MIN_SECRET_BYTES
from bridge.edges.store import Store, StoreError
from bridge.limits import range_of, read_given, refuse_unknown
from bridge.service import RUNNING_FILE
from bridge.wire import RESULT_BYTES, BridgeError
from toolserver.selection import MAX_LIMIT, MAX_TOKENS, MIN_LIMIT, MIN_TOKENS

DATABASE = "bridge.sqlite3"
SECRET_VARIABLE = "FORWARD_USER_INFO_HEADER_JWT_SECRET"
"""Open WebUI reads its half of the secret from the same variable."""

MAX_PORT = 65535
MAX_NAME_CHARS = 100
"""Of a user's name, as the database keeps it."""


def add_folder(command: argparse.ArgumentParser) -> None:
    """The option `--data`, which every command that keeps or looks for something has."""
    command.add_argument(
        "--data",
        type=Path,
        default=default_folder(),
        metavar="FOLDER",
        help="data folder (default: TOOL_BRIDGE_DATA or the user's own)",
    )


def add_references(command: argparse.ArgumentParser) -> None:
    """Where files that a document refers to may come from, for every command that reads documents."""
    command.add_argument(
        "--refs-root",
        type=folder,
        metavar="DIR",
        help="read files that a document refers to anywhere below this folder (default: the document's)",
    )
    command.add_argument(
        "--refs-origin",
        type=origin,
        action="append",
        default=[],
        metavar="ORIGIN",
        help="fetch what a document refers to from this origin, too, not only from its own (repeatable)",
    )


def reference_rules(options: argparse.Namespace) -> ReferenceRules:
    """The rules of these options; the strict ones for a command that does not have them."""
    origins = frozenset(origin_of(allowed) for allowed in getattr(options, "refs_origin", ()))
    return ReferenceRules(getattr(options, "refs_root", None), origins)


def open_store(folder: Path) -> Store:
    """The store of a data folder, which is made if need be.

    Raises:
        StoreError: the folder cannot be written, or holds something that is no database of ours.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the data folder {folder} cannot be made: {error.strerror}") from None
    return Store.open(folder / DATABASE)


def address_of(options: argparse.Namespace) -> str:
    """Where the bridge answers: as told, else as the one that runs on the data folder has written down."""
    if getattr(options, "url", None):
        return options.url.rstrip("/")
    try:
        running = json.loads((options.data / RUNNING_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return f"http://127.0.0.1:{DEFAULT_PORT}"
    return running["base_url"]


def port(text: str) -> int:
    """A port number; 0 means any free one."""
    return _integer(text, 0, MAX_PORT)


def folder(text: str) -> Path:
    """A folder that exists."""
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is not a folder")
    return path


def seconds(text: str) -> float:
    """A deadline."""
    number = float(text)
    least, most = range_of("TOOL_TIMEOUT_SECONDS")
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"must be between {least:g} and {most:g}")
    return number


def answer_bytes(text: str) -> int:
    """How much of an answer's text a caller reads; 0 means all that is kept."""
    number = int(text)
    if number != 0 and not MIN_MAX_ANSWER_BYTES <= number <= RESULT_BYTES:
        raise argparse.ArgumentTypeError(f"must be 0, or between {MIN_MAX_ANSWER_BYTES} and {RESULT_BYTES}")
    return number


def limit(text: str) -> tuple[str, str]:
    """`NAME=NUMBER` of a limit; obsolete names are limits too."""
    name, _, number = text.partition("=")
    try:
        refuse_unknown([name])
        read_given({name: number})
    except BridgeError as error:
        raise argparse.ArgumentTypeError(error.error.message) from None
    return name, number


def audit_days(text: str) -> int:
    """For how many days entries of the audit log are kept."""
    return _integer(text, MIN_AUDIT_DAYS, MAX_AUDIT_DAYS)


def tool_count(text: str) -> int:
    """How many tools are shown to a model."""
    return _integer(text, MIN_LIMIT, MAX_LIMIT)


def token_budget(text: str) -> int:
    """How many tokens their definitions may take."""
    return _integer(text, MIN_TOKENS, MAX_TOKENS)


def _integer(text: str, least: int, most: int) -> int:
    number = int(text)
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"must be between {least} and {most}")
    return number


def origin(text: str) -> str:
    """An http or https origin, without a path: `https://bridge.example`."""
    parts = urlsplit(text)
    bare = not (parts.path.strip("/") or parts.query or parts.fragment or parts.username)
    if parts.scheme not in ("http", "https") or not parts.hostname or not bare:
        raise argparse.ArgumentTypeError(f"must look like https://bridge.example, not {text!r}")
    return text.rstrip("/")


def secret_of_file(text: str) -> str:
    """The secret that a file holds, without white space around it."""
    try:
        secret = Path(text).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"cannot read {text}: {error}") from None
    return _long_enough(secret, text)


def secret_of_environment() -> str | None:
    """The secret in Open WebUI's own variable, so that both programs can be given the same environment.

    Raises:
        ArgumentTypeError: it is too short to be one.
    """
    secret = os.environ.get(SECRET_VARIABLE, "").strip()
    return _long_enough(secret, SECRET_VARIABLE) if secret else None


def _long_enough(secret: str, where: str) -> str:
    if len(secret.encode()) < MIN_SECRET_BYTES:
        message = f"the secret in {where} needs {MIN_SECRET_BYTES} bytes; openssl rand -hex 32 makes one"
        raise argparse.ArgumentTypeError(message)
    return secret


def user_name(text: str) -> str:
    """A user's name: printable, not empty."""
    name = text.strip()
    if not name or not name.isprintable() or len(name) > MAX_NAME_CHARS:
        raise argparse.ArgumentTypeError(f"must be 1 to {MAX_NAME_CHARS} printable characters")
    return name
