"""The bridge that is fuzzed, in a process of its own: `python -m tests.fuzz.target FOLDER`.

It prints one line of JSON when it answers, writes its log to standard error as the program does, and prints a
second line when its standard input ends: what is left of all that came.
"""

import asyncio
import json
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from bridge.app.server import Bridge
from bridge.auth.identity import SESSION
from bridge.log_lines import log_to_stderr
from bridge.storage.users import NewDevice, UserTables
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import running_bridge
from tests.support.waiting import eventually

USERS = 200
"""Each may say a few things a second on its sockets, so many users say much."""

SESSION_SECONDS = 24 * 3600
GONE_S = 60
"""More than a socket that says nothing has before it counts as gone."""

MANY = 1_000_000
ROOMY = {"CALLS_PER_MINUTE_PER_USER": MANY, "UNAUTHENTICATED_PER_MINUTE_PER_ADDRESS": MANY}
"""Limits that would answer everything with 429 instead of looking at it."""


async def serve(folder: Path) -> None:
    async with running_bridge(folder, limits=ROOMY) as bridge:
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        facts = {"base_url": bridge.base_url, "key": bridge.key, "sessions": await sessions(bridge)}
        print(json.dumps(facts), flush=True)
        await asyncio.to_thread(sys.stdin.read)
        await gone(bridge)
        print(json.dumps(leftovers(bridge)), flush=True)


async def sessions(bridge: Bridge) -> list[str]:
    """A session token of each user's paired browser."""
    store, identity = bridge.components.store, bridge.components.identity
    made: list[str] = []
    for number in range(USERS):
        user = await UserTables(store).ensure_user(f"user {number}")
        key = json.dumps({"kty": "EC", "number": number})
        paired = await UserTables(store).spend_ticket(
            await UserTables(store).add_ticket(user.id), key, "fuzz"
        )
        assert isinstance(paired, NewDevice)
        claims = {"sub": user.id, "name": user.name, "device": paired.device.id}
        made.append(identity.sign_token(SESSION, claims, SESSION_SECONDS))
    return made


async def gone(bridge: Bridge) -> None:
    """Return when every socket has ended, or after `GONE_S`: what was said is read at its pace."""
    with suppress(AssertionError):
        await eventually(lambda: leftovers(bridge)["sockets"] == 0, within_s=GONE_S)


def leftovers(bridge: Bridge) -> dict[str, Any]:
    """What grew if something was forgotten."""
    eio: Any = bridge.components.gateway._sio.eio  # pyright: ignore[reportPrivateUsage] - what memory holds
    names = Counter(_name_of(task) for task in asyncio.all_tasks())
    return {"sockets": len(eio.sockets), "tasks": dict(names)}


def _name_of(task: asyncio.Task[Any]) -> str:
    """Of a task of a library, what it runs."""
    name = task.get_name()
    return getattr(task.get_coro(), "__qualname__", name) if name.startswith("Task-") else name


if __name__ == "__main__":
    log_to_stderr()
    asyncio.run(serve(Path(sys.argv[1])))
