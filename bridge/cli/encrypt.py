"""`tool-bridge encrypt`: re-encrypt stored answers after the encryption key was changed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection

from bridge.cli.parser import CommandFailed
from bridge.cli.store import run_on_store, storage_settings
from bridge.cli.terminal import print_result
from bridge.settings.running_bridge import running_bridge
from bridge.settings.storage import KEYS_VARIABLE
from bridge.storage.encryption import Encryption
from bridge.storage.reencryption import Reencrypted, reencrypt_rows
from bridge.storage.replicas.cluster_facts import ClusterFacts
from bridge.storage.store import Store

_BRIDGE = ("the running bridge", "restart it")
_REPLICA = ("the running replica", "stop all replicas and start them")
_REPLICAS = ("a replica that uses the database", "stop all replicas and start them")
"""Who runs, and what must be done with it: replicas whose keys differ refuse to start."""


def encrypt(options: argparse.Namespace) -> int:
    """Encrypt everything with the first key; status 1 when the given keys could not decrypt something."""
    encryption = Encryption(storage_settings(), encrypts=not options.off)
    _check_running_bridge(options, encryption)
    result = run_on_store(options, lambda store: _rekey(options, store, encryption))
    facts = {"sealed": result.encrypted, "unreadable": result.unreadable}
    print_result(facts, [f"{result.encrypted} rows are re-encrypted."], as_json=options.json)
    if result.unreadable:
        unreadable = f"{result.unreadable} rows are unchanged"
        print(f"tool-bridge: {unreadable}: no key of {KEYS_VARIABLE} decrypts them", file=sys.stderr)
    return 1 if result.unreadable else 0


def _check_running_bridge(options: argparse.Namespace, encryption: Encryption) -> None:
    """Check that a running bridge can read the new encryption, and would not undo it."""
    if not options.off and not encryption.key_ids:
        raise CommandFailed(f"{KEYS_VARIABLE} names no key; set it to the bridge's keys, the new one first")
    running = running_bridge(options.data)
    if running is None:
        return
    _check_keys(
        options, encryption, running.get("key_ids", []), _REPLICA if running.get("replica") else _BRIDGE
    )


def _check_keys(
    options: argparse.Namespace, encryption: Encryption, known: Collection[str], whose: tuple[str, str]
) -> None:
    """Check that who runs with the keys `known` can read the new encryption, and would not undo it."""
    who, restart = whose
    if options.off and known:
        raise CommandFailed(f"{who} encrypts; {restart} without {KEYS_VARIABLE}")
    if not options.off and encryption.key_ids[0] not in known:
        raise CommandFailed(f"{who} does not know the first key; {restart} with {KEYS_VARIABLE}=new,old")


async def _rekey(options: argparse.Namespace, store: Store, encryption: Encryption) -> Reencrypted:
    def show(so_far: Reencrypted) -> None:
        if sys.stderr.isatty():
            print(f"\r{so_far.encrypted} rows", end="", file=sys.stderr, flush=True)

    if await store.serves_replicas():  # they may all run on other machines
        facts = ClusterFacts(store.fenced_sessions)
        _check_keys(options, encryption, await facts.read_key_ids(), _REPLICAS)
    return await reencrypt_rows(store, encryption, show)
