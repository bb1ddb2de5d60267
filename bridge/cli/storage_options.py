"""What is kept of answers, how and for how long, and what of it a model is shown: as the environment says."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Mapping

from bridge.cli.parser import CommandFailed
from bridge.settings.bridge import (
    DEFAULT_CLEANUP_DAYS,
    DEFAULT_CLEANUP_HOURS,
    DEFAULT_KEPT_BYTES,
    DEFAULT_TOOL_OUTPUT_TURNS,
    MAX_CLEANUP_DAYS,
    MAX_CLEANUP_HOURS,
    MIN_CLEANUP_DAYS,
    MIN_CLEANUP_HOURS,
    MIN_KEPT_BYTES,
    REASONING_MEMORIES,
    MemorySettings,
    ReasoningMemory,
    StorageSettings,
)

KEYS_VARIABLE = "ARTIFACT_ENCRYPTION_KEY"
QUOTA_VARIABLE = "KEPT_BYTES_PER_USER"

OBSOLETE = {
    "DB_BATCH_SIZE": "the items of a round are written together, however many they are",
    "ENABLE_REDIS_CACHE": "items are in the database before the answer goes on",
    "ENABLE_LZ4_COMPRESSION": "it still switches compression, which is zlib's",
}
"""Settings of the source documents that mean nothing any more, or something else: name to what to know."""

_YES, _NO = frozenset({"true", "1", "yes", "on"}), frozenset({"false", "0", "no", "off"})


def kept_settings(environ: Mapping[str, str]) -> StorageSettings:
    """The settings that the environment names.

    Raises:
        ArgumentTypeError: a variable says what cannot be used.
    """
    days = (MIN_CLEANUP_DAYS, MAX_CLEANUP_DAYS)
    hours = (MIN_CLEANUP_HOURS, MAX_CLEANUP_HOURS)
    return StorageSettings(
        encryption_keys=encryption_keys(environ.get(KEYS_VARIABLE, "")),
        encrypt_all=is_yes(environ, "ENCRYPT_ALL", default=True),
        compress=is_yes(environ, "ENABLE_LZ4_COMPRESSION", default=True),
        min_compress_bytes=_whole(environ, "MIN_COMPRESS_BYTES", 0, (0, sys.maxsize)),
        cleanup_days=_whole(environ, "ARTIFACT_CLEANUP_DAYS", DEFAULT_CLEANUP_DAYS, days),
        cleanup_interval_hours=_number(
            environ, "ARTIFACT_CLEANUP_INTERVAL_HOURS", DEFAULT_CLEANUP_HOURS, hours
        ),
        bytes_per_user=_kept_bytes(environ),
    )


def kept_settings_of_command() -> StorageSettings:
    """The same from the program's own environment, for a command that works on the store.

    Raises:
        CommandFailed: a variable says what cannot be used.
    """
    try:
        return kept_settings(os.environ)
    except argparse.ArgumentTypeError as error:
        raise CommandFailed(str(error)) from None


def kept_warnings(environ: Mapping[str, str]) -> list[str]:
    """What to tell about variables that mean nothing any more."""
    return [f"{name}: {OBSOLETE[name]}." for name in OBSOLETE if name in environ]


def encryption_keys(text: str) -> tuple[str, ...]:
    """Keys, the one that encrypts first; "" for none.

    Raises:
        ArgumentTypeError: there is an empty one, or the same one twice.
    """
    keys = tuple(key.strip() for key in text.split(",")) if text.strip() else ()
    if "" in keys or len(set(keys)) < len(keys):
        raise argparse.ArgumentTypeError(
            f"{KEYS_VARIABLE} must be one key or several ones with commas between them, none empty or twice"
        )
    return keys


def is_yes(environ: Mapping[str, str], name: str, *, default: bool) -> bool:
    """Whether a variable says yes.

    Raises:
        ArgumentTypeError: it says neither yes nor no.
    """
    text = environ.get(name, "").strip().lower()
    if text not in _YES | _NO | {""}:
        raise argparse.ArgumentTypeError(f"{name} must be true or false, not {text[:100]!r}")
    return text in _YES if text else default


def _kept_bytes(environ: Mapping[str, str]) -> int:
    """How much is kept for one user; 0: any number of bytes."""
    if environ.get(QUOTA_VARIABLE, "").strip() == "0":
        return 0
    return _whole(environ, QUOTA_VARIABLE, DEFAULT_KEPT_BYTES, (MIN_KEPT_BYTES, sys.maxsize))


def _whole(environ: Mapping[str, str], name: str, default: int, bounds: tuple[int, int]) -> int:
    number = _number(environ, name, default, bounds)
    if not number.is_integer():
        raise argparse.ArgumentTypeError(f"{name} must be a whole number, not {number:g}")
    return int(number)


def _number(environ: Mapping[str, str], name: str, default: float, bounds: tuple[float, float]) -> float:
    text = environ.get(name, "").strip() or str(default)
    least, most = bounds
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not least <= number <= most:
        span = f"of at least {least:g}" if most == sys.maxsize else f"from {least:g} to {most:g}"
        raise argparse.ArgumentTypeError(f"{name} must be a number {span}, not {text[:100]!r}")
    return number


PERSIST_VARIABLE = "PERSIST_TOOL_RESULTS"
REASONING_VARIABLE = "PERSIST_REASONING_TOKENS"
TURNS_VARIABLE = "TOOL_OUTPUT_RETENTION_TURNS"


def memory_settings(environ: Mapping[str, str]) -> MemorySettings:
    """The settings that the environment names.

    Raises:
        ArgumentTypeError: a variable says what cannot be used.
    """
    turns = environ.get(TURNS_VARIABLE, "").strip() or str(DEFAULT_TOOL_OUTPUT_TURNS)
    if not turns.isdecimal():
        raise argparse.ArgumentTypeError(
            f"{TURNS_VARIABLE} must be a whole number, 0 for all turns, not {turns[:100]!r}"
        )
    return MemorySettings(is_yes(environ, PERSIST_VARIABLE, default=True), _reasoning(environ), int(turns))


def _reasoning(environ: Mapping[str, str]) -> ReasoningMemory:
    text = environ.get(REASONING_VARIABLE, "").strip().lower() or "conversation"
    found: ReasoningMemory | None = next((each for each in REASONING_MEMORIES if each == text), None)
    if found is None:
        raise argparse.ArgumentTypeError(
            f"{REASONING_VARIABLE} must be one of {', '.join(REASONING_MEMORIES)}, not {text[:100]!r}"
        )
    return found
