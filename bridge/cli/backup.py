"""`tool-bridge backup` and `restore`: a data folder with SQLite, to one file and back."""

from __future__ import annotations

import argparse
import sys

from bridge import __version__
from bridge.cli.links import check_database
from bridge.cli.parser import CommandFailed
from bridge.cli.terminal import print_result
from bridge.storage.copies.backup import Manifest, restore_backup, write_backup
from bridge.storage.database import mask_url, postgresql_url

SECRET_FILE = "secret.key"


def backup(options: argparse.Namespace) -> int:
    """Write one new file, whether a bridge runs or not."""
    _refuse_postgresql(options, "pg_dump backs it up, and the secret.key of the data folder belongs to it")
    check_database(options)
    manifest = write_backup(options.data, options.file, __version__)
    size = options.file.stat().st_size
    _print(
        options,
        manifest,
        f"{options.file} has {size} bytes. It holds secrets: keep it where only you can read it.",
    )
    if SECRET_FILE not in manifest.files:
        print(f"tool-bridge: it holds no {SECRET_FILE}; keep TOOL_BRIDGE_SECRET_KEY as well", file=sys.stderr)
    return 0


def restore(options: argparse.Namespace) -> int:
    """Restore a backup into a data folder that is empty or not there yet."""
    _refuse_postgresql(options, "pg_restore restores it; without that address, --data is restored to")
    manifest = restore_backup(options.file, options.data)
    _print(options, manifest, f"{options.data} is as it was. Start the bridge on it.")
    return 0


def _refuse_postgresql(options: argparse.Namespace, instead: str) -> None:
    if options.database:
        raise CommandFailed(f"the database is {mask_url(postgresql_url(options.database))}: {instead}")


def _print(options: argparse.Namespace, manifest: Manifest, sentence: str) -> None:
    facts = {
        "file": str(options.file),
        "made_at": manifest.made_at,
        "made_by": manifest.made_by,
        "revision": manifest.revision,
        "files": {name: packed.bytes for name, packed in manifest.files.items()},
    }
    print_result(facts, [sentence], as_json=options.json)
