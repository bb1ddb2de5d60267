"""Options of `tool-bridge page`. Imports neither a browser's protocol nor a server."""

from __future__ import annotations

import argparse
from pathlib import Path
from urllib.parse import urlsplit

from bridge.cli.arguments import parse_bridge
from bridge.settings.network import LOOPBACK_NAMES

LEAST_MEMORY_MB, MOST_MEMORY_MB = 400, 1024 * 1024
"""An idle page has about 290 (Chromium 156): with less it would be started again for ever."""
LAST_PORT = 65535


def _secure_address(text: str) -> str:
    """Parse the address of a bridge whose page a browser lets store keys."""
    address = parse_bridge(text)
    parts = urlsplit(address)
    if parts.scheme == "http" and parts.hostname not in LOOPBACK_NAMES:
        message = f"must be https, or http on this machine: browsers store no keys for pages of {address}"
        raise argparse.ArgumentTypeError(message)
    return address


def add_page(command: argparse.ArgumentParser) -> None:
    """`tool-bridge page`."""
    command.add_argument(
        "--url",
        type=_secure_address,
        required=True,
        help="the bridge's address: https, or http on this machine",
    )
    command.add_argument(
        "--policy",
        type=Path,
        required=True,
        metavar="FILE",
        help="what the page accepts, allows and sends: TOML, or JSON in a file that ends with .json",
    )
    pairing = command.add_mutually_exclusive_group()
    pairing.add_argument(
        "--ticket-file",
        type=Path,
        metavar="FILE",
        help="pair the browser with the link in this file, as tool-bridge link prints it; works once",
    )
    pairing.add_argument(
        "--code",
        action="store_true",
        help="pair the browser with a code, which is printed and confirmed in another",
    )
    command.add_argument(
        "--browser", metavar="PATH", help="a Chromium or Chrome (default: the first on the search path)"
    )
    command.add_argument(
        "--profile",
        type=Path,
        metavar="DIR",
        help="where the browser stores its key and its secrets "
        "(default: tool-bridge/page in the user's state folder)",
    )
    command.add_argument(
        "--no-sandbox",
        action="store_true",
        help="let the browser confine its pages by nothing: only where a container confines it",
    )
    _add_watching(command)


def _add_watching(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--memory-limit",
        type=_parse_megabytes,
        metavar="MB",
        help="start the browser again, after its calls, when it uses more (default: no limit; Linux only)",
    )
    command.add_argument(
        "--health-port",
        type=_parse_port,
        metavar="PORT",
        help="answer GET /healthz on this port of 127.0.0.1: 200 while the page takes calls, else 503",
    )
    command.add_argument("--json-log", action="store_true", help="log lines of JSON, for programs")


def _parse_megabytes(text: str) -> int:
    number = int(text)
    if not LEAST_MEMORY_MB <= number <= MOST_MEMORY_MB:
        raise argparse.ArgumentTypeError(f"must be between {LEAST_MEMORY_MB} and {MOST_MEMORY_MB}")
    return number


def _parse_port(text: str) -> int:
    number = int(text)
    if not 0 <= number <= LAST_PORT:  # 0: any free one
        raise argparse.ArgumentTypeError(f"must be between 0 and {LAST_PORT}")
    return number
