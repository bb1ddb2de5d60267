"""What several commands share: options, and values that are validated as they are parsed."""

from __future__ import annotations

import argparse
import os
import re
import time
from datetime import datetime
from pathlib import Path

from bridge.audit import AuditKind
from bridge.operating_system import NoHomeFolder
from bridge.settings.network import check_origin, check_public_url
from bridge.settings.running_bridge import DEFAULT_PORT, default_folder, written_facts
from bridge.shown_names import check_shown_name

DATABASE_VARIABLE = "TOOL_BRIDGE_DATABASE_URL"
"""Environment variable of the database URL; unlike an option, it is not visible in the process list."""

MAX_NAME_CHARS = 100
"""Maximum characters of a user's name and of a key's label, as in the database."""

MAX_ENTRIES = 1_000_000
"""Maximum number of entries that `audit` prints."""

_SPAN = re.compile(r"(\d{1,9})([smhd])", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 24 * 3600}


def add_folder(command: argparse.ArgumentParser, *, is_needed: bool = True) -> None:
    """Add the option `--data`, for every command that uses stored data.

    `is_needed`: whether a user without home has to name one.
    """
    command.add_argument(
        "--data",
        type=parse_usual_folder if is_needed else parse_optional_folder,
        default="",  # a text, which is parsed only where the option is not given
        metavar="FOLDER",
        help="data folder (default: TOOL_BRIDGE_DATA or the user's own)",
    )


def add_store(command: argparse.ArgumentParser) -> None:
    """Add the options of every command that opens the store: data folder and database."""
    add_folder(command)
    command.add_argument(
        "--database",
        default=os.environ.get(DATABASE_VARIABLE) or None,
        metavar="URL",
        help="postgresql://user:password@host:5432/name (default: TOOL_BRIDGE_DATABASE_URL, else SQLite in "
        "the data folder)",
    )


def address_of(options: argparse.Namespace) -> str:
    """Return the bridge's address: the option, else the one that the bridge on the data folder wrote."""
    if getattr(options, "url", None):
        return options.url.rstrip("/")
    running = written_facts(options.data)
    return f"http://127.0.0.1:{DEFAULT_PORT}" if running is None else running["base_url"]


def parse_usual_folder(text: str) -> Path:
    """Parse the option `--data`; empty, as when it is not given, it means the usual folder."""
    try:
        return Path(text) if text else default_folder()
    except NoHomeFolder as error:
        raise argparse.ArgumentTypeError(f"{error}: name a folder by --data or TOOL_BRIDGE_DATA") from None


def parse_optional_folder(text: str) -> Path:
    """Parse the data folder of a command that can do without: without a home, an empty one."""
    try:
        return Path(text) if text else default_folder()
    except NoHomeFolder:
        return Path(os.devnull)


def parse_folder(text: str) -> Path:
    """Parse an existing folder."""
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is not a folder")
    return path


def parse_source(text: str) -> str:
    """Parse the place of a document: an address, or an existing file."""
    if not text.startswith(("http://", "https://")) and not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"there is no file {text!r}, and it is no http or https address")
    return text


def parse_file(text: str) -> Path:
    """Parse the path of an existing file."""
    if not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"there is no file {text!r}")
    return Path(text)


def parse_bridge(text: str) -> str:
    """Parse the address of a bridge: an origin, and perhaps its path prefix."""
    try:
        return check_public_url(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error}, not {text!r}") from None


def parse_origin(text: str) -> str:
    """Parse an http or https origin without a path: `https://bridge.example`."""
    try:
        return check_origin(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error}, not {text!r}") from None


def user_name(text: str) -> str:
    """Parse a user's name: printable, not empty."""
    name = text.strip()
    if not name or not name.isprintable() or len(name) > MAX_NAME_CHARS:
        raise argparse.ArgumentTypeError(f"must be 1 to {MAX_NAME_CHARS} printable characters")
    return name


def parse_label(text: str) -> str:
    """Parse the label of a key."""
    if len(text) > MAX_NAME_CHARS:
        raise argparse.ArgumentTypeError(f"must be at most {MAX_NAME_CHARS} characters")
    try:
        return check_shown_name(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def parse_kind(text: str) -> AuditKind:
    """Parse a kind of audit entry."""
    try:
        return AuditKind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(AuditKind)}") from None


def parse_moment(text: str) -> float:
    """Parse an ISO time, or a span before now, as UTC seconds since 1970."""
    if span := _SPAN.fullmatch(text):
        return time.time() - int(span[1]) * _SECONDS[span[2]]
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        message = f"{text!r} is neither an ISO time (2026-11-22T08:00) nor a span (90m, 12h or 7d)"
        raise argparse.ArgumentTypeError(message) from None


def parse_count(text: str) -> int:
    """Parse a number of entries."""
    number = int(text)
    if not 1 <= number <= MAX_ENTRIES:
        raise argparse.ArgumentTypeError(f"must be between 1 and {MAX_ENTRIES}")
    return number
