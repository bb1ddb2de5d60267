"""`tool-bridge tools`: of a document, or of the running bridge."""

from __future__ import annotations

import argparse
import sys

from bridge.cli import client, documents
from bridge.cli.documents import add_references


def add_tools(command: argparse.ArgumentParser) -> None:
    """`tool-bridge tools`."""
    command.add_argument("--spec", metavar="FILE|URL")
    add_references(command)
    command.add_argument(
        "--strict", action="store_true", help="with --spec: as functions for OpenAI, with strict schemas"
    )
    client.add_client(command)
    command.set_defaults(run=tools)


def tools(options: argparse.Namespace) -> int:
    """Print them; status 2 when `--strict` comes without a document."""
    if options.strict and not options.spec:
        print("tool-bridge: --strict needs --spec", file=sys.stderr)
        return 2
    return documents.tools(options) if options.spec else client.tools(options)
