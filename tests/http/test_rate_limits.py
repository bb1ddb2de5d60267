"""How often: a user who calls too often, an address that guesses keys, and everybody else beside them."""

from collections.abc import AsyncGenerator
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.audit import AuditKind
from bridge.errors import ErrorCode
from bridge.storage.audit_log import AuditQuery
from tests.support.running_bridge import running_bridge
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncGenerator[Bridge]:
    limits = {"CALLS_PER_MINUTE_PER_USER": 5, "UNAUTHENTICATED_PER_MINUTE_PER_ADDRESS": 10}
    async with running_bridge(tmp_path, limits=limits) as running:
        yield running


async def call(bridge: Bridge, key: str) -> tuple[int, str, str | None]:
    async with (
        aiohttp.ClientSession() as http,
        http.post(bridge.base_url + "/tools/x", headers={"Authorization": f"Bearer {key}"}) as response,
    ):
        code = (await response.json())["error"]["code"]
        return response.status, code, response.headers.get("Retry-After")


async def test_a_user_who_calls_too_often_is_told_when_to_go_on_and_takes_nothing_from_others(
    bridge: Bridge,
) -> None:
    """A model in a loop; calls that fail count too, or a loop over a wrong name would never end."""
    ann = await bridge.components.users.ensure_user("ann")
    _, hers = await bridge.components.users.add_key(ann.id, "x")
    for _ in range(5):
        assert await call(bridge, hers) == (404, ErrorCode.UNKNOWN_TOOL, None)
    assert await call(bridge, hers) == (429, ErrorCode.RATE_LIMITED, "12")
    assert await call(bridge, bridge.key) == (404, ErrorCode.UNKNOWN_TOOL, None)
    await bridge.components.controls.limits.change_limits({"CALLS_PER_MINUTE_PER_USER": 6000})

    async def goes_on() -> bool:
        return (await call(bridge, hers))[0] == 404

    await eventually(goes_on)


async def test_an_address_that_guesses_keys_is_told_to_wait_and_locks_out_nobody(bridge: Bridge) -> None:
    """Behind a proxy all have one address: who shows a valid key is not counted."""
    for _ in range(10):
        assert await call(bridge, "tbk_guess") == (401, ErrorCode.UNAUTHORIZED, None)
    assert await call(bridge, "tbk_guess") == (429, ErrorCode.RATE_LIMITED, "6")
    assert await call(bridge, bridge.key) == (404, ErrorCode.UNKNOWN_TOOL, None)


async def test_no_header_makes_an_address_another_one(bridge: Bridge) -> None:
    """Whoever guesses could name a new one each time, and have the audit log accuse somebody else."""
    headers = {"Authorization": "Bearer tbk_guess"}
    for number in range(10):
        named = f"192.0.2.{number}"
        headers |= {"X-Forwarded-For": named, "X-Real-IP": named, "Forwarded": f"for={named}"}
        async with aiohttp.ClientSession() as http, http.get(bridge.base_url + "/api/me", headers=headers):
            pass
    assert await call(bridge, "tbk_guess") == (429, ErrorCode.RATE_LIMITED, "6")
    await bridge.components.ground.audit.flush_entries()
    entries = await bridge.components.ground.audit.read_entries(AuditQuery(kinds=(AuditKind.REFUSED,)))
    assert {each.entry.actor for each in entries} == {"address 127.0.0.1"}
