"""What the options `--refs-root` and `--refs-origin` allow."""

from __future__ import annotations

import argparse

from bridge.documents.sources import ReferenceRules
from bridge.settings.network import origin_of


def reference_rules(options: argparse.Namespace) -> ReferenceRules:
    """Return the reference rules of these options; the strict ones for a command without them."""
    origins = frozenset(origin_of(allowed) for allowed in getattr(options, "refs_origin", ()))
    return ReferenceRules(getattr(options, "refs_root", None), origins)
