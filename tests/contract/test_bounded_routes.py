"""Whatever a caller may have the bridge keep has a bound, which the page about limits names."""

from pathlib import Path

import pytest

from bridge.app.http_application import ROUTES
from bridge.app.server import Bridge
from bridge.settings.declaration import settings_of_section
from bridge.settings.quotas import QuotaSettings
from tests.house.source import refuse, text_of
from tests.support.running_bridge import running_bridge

PAGE = "docs/reference/limits.md"
READING = frozenset({"GET", "DELETE"})

OPERATIONS = "operations of all servers of one user (`TOOL_BRIDGE_OPERATIONS_PER_USER`)"
NOTHING = ""
"""In place of a row: what is sent there is used up, decides about what is there, or is kept by nobody."""

ROWS = {
    "POST /tools/{tool}": "open calls of one user",
    "POST //tools/{tool}": "open calls of one user",
    "POST /servers/{server}/tools/{tool}": "open calls of one user",
    "POST /servers/{server}//tools/{tool}": "open calls of one user",
    "POST /mcp": "tasks of MCP clients of one user; subscriptions",
    "POST /servers/{server}/mcp": "tasks of MCP clients of one user; subscriptions",
    "POST /v1/chat/completions": "size for one user (`TOOL_BRIDGE_STORED_BYTES_PER_USER`",
    "POST /v1/responses": "size for one user (`TOOL_BRIDGE_STORED_BYTES_PER_USER`",
    "POST /v1/responses/{id}/cancel": NOTHING,
    "POST /conversations": "conversations of one user (`TOOL_BRIDGE_CONVERSATIONS_PER_USER`)",
    "PATCH /conversations/{id}": "a body; one message; a system prompt or description; a title",
    "PUT /conversations/{id}": "a body; one message; a system prompt or description; a title",
    "POST /conversations/{id}/messages": "messages of one conversation",
    "PATCH /conversations/{id}/messages/{message_id}": "messages of one conversation",
    "POST /conversations/{id}/chat": "messages of one conversation",
    "POST /conversations/{id}/calls/{tool_call_id}/retry": "messages of one conversation",
    "POST /conversations/{id}/stop": NOTHING,
    "POST /conversations/{id}/tools": OPERATIONS,
    "POST /api/tickets": NOTHING,
    "POST /api/sessions/challenge": "challenge; unanswered ones stored",
    "POST /api/sessions": "challenge; unanswered ones stored",
    "POST /api/keys": "API keys of one user (`TOOL_BRIDGE_KEYS_PER_USER`)",
    "POST /api/devices": "browsers of one user (`TOOL_BRIDGE_BROWSERS_PER_USER`)",
    "PATCH /api/devices/{id}": "name of a browser",
    "POST /api/devices/{id}/restore": "browsers of one user (`TOOL_BRIDGE_BROWSERS_PER_USER`)",
    "POST /api/keys/{id}/restore": "API keys of one user (`TOOL_BRIDGE_KEYS_PER_USER`)",
    "POST /api/pairings": "browsers that wait for a code",
    "POST /api/pairings/standing": NOTHING,
    "POST /api/pairings/code": NOTHING,
    "POST /api/pairings/decision": "browsers of one user (`TOOL_BRIDGE_BROWSERS_PER_USER`)",
    "PUT /api/servers/{id}/device": "servers of one user (`TOOL_BRIDGE_SERVERS_PER_USER`)",
    "POST /api/transfers": "what browsers hand over",
    "POST /api/transfers/fetch": NOTHING,
    "POST /api/servers": "servers of one user (`TOOL_BRIDGE_SERVERS_PER_USER`)",
    "PATCH /api/servers/{id}": NOTHING,
    "PUT /api/servers/{id}/sharing": NOTHING,
    "PUT /api/servers/{id}/overlays": "overlays of one server",
    "PUT /api/servers/{id}/requests": "shared requests of a server",
    "PUT /api/servers/{id}/acceptance": OPERATIONS,
    "PUT /api/servers/{id}/document": "characters of all documents of one user, their overlays included",
    "POST /api/documents/bundle": NOTHING,
    "PUT /api/approval": "grants of one user",
    "PUT /api/selection": "servers, tags, pinned tools of a selection",
    "PATCH /api/limits": NOTHING,
    "POST /api/breakers/reset": NOTHING,
    "PUT /api/call-settings": "deadlines and limits that one user sets on servers and tools",
    "PUT /api/providers/{name}": "providers of models of one user",
    "POST /api/providers/test": NOTHING,
    "POST /api/calls": "open calls of one user",
    "POST /api/calls/{id}/retry": "open calls of one user",
    "PUT /api/calls/{id}/result": "stored answers of one user",
    "POST /api/batches": "calls of one batch",
    "POST /api/calls/{id}/cancel": NOTHING,
    "PUT /api/stored-data/preference": NOTHING,
    "POST /api/executor": NOTHING,
}
"""Beginnings of rows of the page, by the route that makes the bridge keep something."""


@pytest.mark.asyncio
async def test_what_a_caller_can_have_kept_is_bounded(tmp_path: Path) -> None:
    """Finding S-L10: memory, disk and the time of a start are everybody's, and one user had no limit."""
    async with running_bridge(tmp_path) as bridge:
        changing = _changing_routes(bridge)
    assert "POST /api/servers" in changing
    page = text_of(PAGE)
    refuse(
        [
            *(f"{name}: say in ROWS what bounds it" for name in sorted(changing - ROWS.keys())),
            *(f"there is no route {name}" for name in sorted(ROWS.keys() - changing)),
            *(
                f"{PAGE} lacks a row of {row!r}"
                for row in sorted({*ROWS.values()})
                if f"\n| {row}" not in page
            ),
        ]
    )


def _changing_routes(bridge: Bridge) -> set[str]:
    routes = bridge.runner.app[ROUTES]
    return {f"{route.method} {route.path}" for route in routes if route.method not in READING}


def test_each_quota_is_told_with_its_default() -> None:
    """Finding S-L10: whoever meets one looks there for what to raise."""
    lines = [line for line in text_of(PAGE).splitlines() if line.startswith("| ")]
    told = {
        setting.variable: setting.info.default
        for setting in settings_of_section(QuotaSettings)
        if any(f"(`{setting.variable}`) | {setting.info.default:,} |" in line for line in lines)
    }
    assert told == {s.variable: s.info.default for s in settings_of_section(QuotaSettings)}
