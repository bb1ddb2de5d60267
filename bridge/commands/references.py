"""Where files that a document refers to may come from, for every command that reads documents."""

from __future__ import annotations

import argparse

from bridge.cli.arguments import folder, origin
from bridge.documents.sources import ReferenceRules
from bridge.settings.bridge import origin_of


def add_references(command: argparse.ArgumentParser) -> None:
    """The options `--refs-root` and `--refs-origin`."""
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
