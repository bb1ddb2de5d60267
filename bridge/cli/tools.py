"""`tool-bridge tools`: the tools of a document, or of the running bridge."""

from __future__ import annotations

import argparse
import sys

from bridge.cli import client, documents


def tools(options: argparse.Namespace) -> int:
    """Print the tools; status 2 when `--strict` or `--overlay` is used without a document."""
    if not options.spec and (options.strict or options.overlay):
        needing = "--strict" if options.strict else "--overlay"
        print(f"tool-bridge: {needing} needs --spec", file=sys.stderr)
        return 2
    return documents.tools(options) if options.spec else client.tools(options)
