"""What a user of a bridge sees of what it keeps, by its public API: chosen members, in an order that stays.

The making of the snapshot writes it down, and the tests look again. Times are left out: the tests move them.
"""

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

from tests.support.running_bridge import FakePage
from tests.upgrade.program import Program

Json = dict[str, Any]
Topic = Callable[[FakePage], Awaitable[Any]]

MOMENTS = ("at", "created_at", "ended_at", "updated_at", "opened_at", "timestamp", "exported_at")
"""Members of any object that hold a time."""


async def devices(page: FakePage) -> Json:
    """The user's browsers by id, and which of them runs which server's calls."""
    found = await page.get("/api/devices")
    names = {device["id"]: device["name"] for device in found["devices"]}
    return {"names": names, "choices": found["choices"]}


async def keys(page: FakePage) -> list[Json]:
    """The user's API keys, without their secrets."""
    members = ("id", "label", "forwarder", "show_calls", "markers")
    return [_chosen(key, members) for key in (await page.get("/api/keys"))["keys"]]


async def servers(page: FakePage) -> list[Json]:
    """The documents that were added, as their users set them."""
    members = (
        "id", "title", "base_url", "source_url", "shared", "digest", "origins", "operations", "accepted",
        "changed", "decided", "inline_html", "idempotency_key",
    )  # fmt: skip
    found = (await page.get("/api/servers"))["servers"]
    return sorted((_chosen(server, members) for server in found), key=lambda server: server["id"])


async def operations(page: FakePage) -> list[Json]:
    """Every operation: the name of its tool, and what was accepted of it."""
    members = ("name", "key", "digest", "accepted_digest", "safe", "origin", "advertised")
    return [
        {"server": server["id"], **_chosen(tool, members)}
        for server in await servers(page)
        for tool in (await page.get(f"/api/servers/{server['id']}"))["tools"]
    ]


async def advertised(page: FakePage) -> list[str]:
    """The names in `/openapi.json`, in their order."""
    return list((await page.get("/openapi.json"))["paths"])


async def selection(page: FakePage) -> Json:
    """What the user shows to models."""
    members = ("servers", "tags", "names", "pinned", "max_tools", "max_tokens")
    return _chosen(await page.get("/api/selection"), members)


async def approval(page: FakePage) -> Json:
    """Which calls ask the user, and which need not."""
    found = await page.get("/api/approval")
    members = ("id", "server", "operation", "digest", "scope", "chat_id")
    grants = [_chosen(grant, members) for grant in found["grants"]]
    return {"chosen": found["chosen"], "grants": sorted(grants, key=lambda grant: grant["id"])}


async def limits(page: FakePage) -> Json:
    """The limits that were changed while the bridge ran."""
    found = (await page.get("/api/limits"))["limits"]
    return {limit["name"]: limit["value"] for limit in found if limit["source"] == "kept"}


async def call_settings(page: FakePage) -> list[Json]:
    """What the user set for calls."""
    members = ("server_id", "operation", "deadline_s", "max_parallel", "in_order")
    return [_chosen(each, members) for each in (await page.get("/api/call-settings"))["settings"]]


async def memory_choice(page: FakePage) -> Json:
    """What the user wants kept of answers."""
    return _chosen(await page.get("/api/stored-data/preference"), ("keeps_answers", "reasoning"))


async def calls(page: FakePage) -> list[Json]:
    """The history of calls that have ended, newest first."""
    members = (
        "call_id", "tool", "server", "operation", "state", "safe", "arguments", "http_status", "content_type",
        "error", "decision", "late",
    )  # fmt: skip
    found = (await page.get("/api/calls"))["calls"]
    return [_chosen(call, members) for call in found if call["ended_at"] is not None]


async def audit(page: FakePage) -> list[Json]:
    """The user's entries of the audit log, oldest first."""
    members = ("kind", "user", "actor", "call_id", "server", "operation", "detail")
    entries: list[Json] = []
    before = ""
    while True:
        found = await page.get(f"/api/audit?before={before}")
        entries += [_chosen(entry, members) for entry in found["entries"]]
        if found["next"] is None:
            return entries[::-1]
        before = found["next"]


async def kept(page: FakePage) -> list[Json]:
    """All that is kept of answers, opened: items, responses, conversations with all their branches."""
    headers = {"Authorization": f"Bearer {page.token}"}
    async with page.http.get(f"{page.base_url}/api/stored-data/export", headers=headers) as response:
        assert response.status == 200, await response.text()
        _head, *lines = (await response.text()).splitlines()
    return [timeless(json.loads(line)) for line in lines]


CHOICES: dict[str, Topic] = {
    "devices": devices,
    "keys": keys,
    "servers": servers,
    "operations": operations,
    "advertised": advertised,
    "selection": selection,
    "approval": approval,
    "limits": limits,
    "call settings": call_settings,
    "memory choice": memory_choice,
}
"""What users have set up."""

HISTORY: dict[str, Topic] = {"calls": calls, "audit": audit, "kept": kept}
"""What has happened. To export what is kept makes an entry of the audit log, so it comes last."""


async def seen_by(page: FakePage, topics: dict[str, Topic]) -> Json:
    """All these topics, for the user of a page that has a session."""
    return {name: await look(page) for name, look in topics.items()}


async def conversation_seen(program: Program, path: str) -> Json:
    """A conversation as its client reads it: its facts, its current branch, and every branch."""
    branch = (await program.get(f"{path}/messages"))["messages"]
    return {
        "facts": timeless((await program.get(path))["conversation"]),
        "branch": [message["id"] for message in branch],
        "messages": timeless((await program.get(f"{path}/messages?branch=all"))["messages"]),
    }


async def events_seen(program: Program, path: str) -> list[Json]:
    """The events of a response that was made in the background, as a late listener is told them."""
    headers = {"Authorization": f"Bearer {program.key}"}
    async with program.http.get(f"{program.base_url}{path}?stream=true", headers=headers) as response:
        assert response.status == 200, await response.text()
        lines = (await response.text()).splitlines()
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]
    return [timeless(event) for event in events]


def _chosen(facts: Json, members: Sequence[str]) -> Json:
    return {name: timeless(facts[name]) for name in members}


def timeless(value: Any) -> Any:
    """The same without moments, which the tests move."""
    if isinstance(value, dict):
        known = cast(Json, value)
        return {name: timeless(member) for name, member in known.items() if name not in MOMENTS}
    if isinstance(value, list):
        members = cast(list[Any], value)
        return [timeless(member) for member in members]
    return value
