"""`tool-bridge tools`: the tools of a document, or of the running bridge."""

from __future__ import annotations

import argparse
import sys

from bridge.cli import client, documents


def tools(options: argparse.Namespace) -> int:
    """Print the tools; status 2 when `--strict` is used without a document."""
    if options.strict and not options.spec:
        print("tool-bridge: --strict needs --spec", file=sys.stderr)
        return 2
    return documents.tools(options) if options.spec else client.tools(options)
