"""Names of settings that are accepted although nothing reads them any more, and names that have changed.

An operator who brings along the environment of an older version, or of one of the programs that this one
replaces, learns at the start what has become of each name (ruling 30).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from bridge.close_names import find_closest

OWN_PREFIX = "TOOL_BRIDGE_"
"""How names begin that are nobody else's."""

OF_COMMANDS = ("TOOL_BRIDGE_DATA", "TOOL_BRIDGE_DATABASE_URL", "TOOL_BRIDGE_KEY")
"""Names that are no settings of a bridge: commands read them."""

WITHOUT_EFFECT = {
    "TOOL_BATCH_CAP": "calls are no longer run in groups; see MAX_PARALLEL_TOOLS_PER_REQUEST",
    "MAX_PARALLEL_TOOLS_PER_USER": "it is always 128; see MAX_PARALLEL_TOOLS_GLOBAL",
    "MAX_PARALLEL_TOOLS_PER_HOST": "it is always 64; each user may set fewer for a server",
    "MAX_CONCURRENT_REQUESTS_PER_USER": "it is always 128; see MAX_CONCURRENT_REQUESTS",
    "TOOL_IDLE_TIMEOUT_SECONDS": "nothing idles: calls run as they come; see TOOL_QUEUE_WAIT_SECONDS",
    "BREAKER_HISTORY_SIZE": "every failure within BREAKER_WINDOW_SECONDS counts",
    "STREAMING_NAGLE_MIN_FLUSH_CHARS": "what waits leaves after STREAMING_IDLE_FLUSH_MS, however little",
    "SSE_WORKERS_PER_REQUEST": "events are read in their order, as they come",
    "STREAMING_CHUNK_QUEUE_MAXSIZE": "a turn waits for a slow reader by itself",
    "STREAMING_EVENT_QUEUE_MAXSIZE": "a turn waits for a slow reader by itself",
    "DB_BATCH_SIZE": "the items of a round are written together, however many they are",
    "ENABLE_REDIS_CACHE": "items are in the database before the answer continues",
}
"""Name to what replaced it."""

RENAMED = {
    "KEPT_BYTES_PER_USER": "STORED_BYTES_PER_USER",
}
"""Old name, which still works, to the new one."""


def explain_names(names: Iterable[str]) -> Iterator[str]:
    """Return a sentence for each of these names that has no effect or a new name."""
    for name in names:
        if name in WITHOUT_EFFECT:
            yield f"{name} has no effect any more: {WITHOUT_EFFECT[name]}."
        elif name in RENAMED:
            yield f"{name} is now called {RENAMED[name]}; the old name still works."


def explain_mistyped(names: Iterable[str], known: Collection[str]) -> Iterator[str]:
    """Return a sentence for each of these names that looks like ours, and is neither `known` nor obsolete."""
    ours = {*known, *OF_COMMANDS}
    for name in names:
        if name.startswith(OWN_PREFIX) and name not in {*ours, *WITHOUT_EFFECT, *RENAMED}:
            yield f"{name} has no effect: nothing has this name.{_question(name, ours)}"


def _question(name: str, known: Iterable[str]) -> str:
    """Return what may be meant; all begin alike, which would make any two of them similar."""
    rests = [each.removeprefix(OWN_PREFIX) for each in known if each.startswith(OWN_PREFIX)]
    likely = find_closest(name.removeprefix(OWN_PREFIX), rests)
    return f" Did you mean {OWN_PREFIX}{likely}?" if likely else ""
