"""`tool-bridge smoke`: the flow of the source's test script, as a command of a real process."""

import json
import sys
from asyncio import create_subprocess_exec, wait_for
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from tests.support.documents.compiled import document_text
from tests.support.models.models import products
from tests.support.running import page_of, running_bridge

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncGenerator[Bridge]:
    async with running_bridge(tmp_path) as running:
        await running.rooms.registry.share("shop.json", document_text(), source_url=None)
        yield running


async def smoke(bridge: Bridge, *words: str) -> tuple[int | None, str, str]:
    command = (sys.executable, "-m", "bridge", "smoke", "--data", str(bridge.data_dir), *words)
    process = await create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE)
    output, errors = await wait_for(process.communicate(), 30)
    return process.returncode, output.decode(), errors.decode()


async def count(bridge: Bridge) -> int:
    found = await bridge.app.composition.conversations.tables.page(bridge.local_user.id, before=None, limit=5)
    return len(found)


async def test_it_prints_every_message_and_leaves_nothing(bridge: Bridge) -> None:
    """S3-18: user, call, output and answer, with the model that needs no account."""
    async with page_of(bridge, bridge.local_user.id, products):
        status, output, errors = await smoke(bridge, "--tool", "listProducts")
    assert status == 0, errors
    lines = output.splitlines()
    assert lines[0] == "user: CALL listProducts {}"
    assert "  calls listProducts {}" in lines
    assert 'tool: {"products": ["tea"]}' in lines
    assert lines[-1].startswith("completed: 4 messages")
    assert await count(bridge) == 0


async def test_it_prints_json_and_can_leave_the_conversation(bridge: Bridge) -> None:
    """S3-18: for a program that looks closer."""
    async with page_of(bridge, bridge.local_user.id, products):
        status, output, _ = await smoke(bridge, "--json", "--keep")
    told: Any = json.loads(output)
    assert status == 0
    assert [message["role"] for message in told["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert told["answer"]["state"] == "completed"
    assert await count(bridge) == 1


async def test_what_is_missing_is_said(bridge: Bridge) -> None:
    """S3-18: no page, no such tool, no bridge: each has its own words, and status 1."""
    status, _, errors = await smoke(bridge)
    assert (status, "accept it" in errors) == (1, True)
    async with page_of(bridge, bridge.local_user.id, products):
        status, _, errors = await smoke(bridge, "--tool", "nothing")
        assert (status, "no accepted tool 'nothing'" in errors) == (1, True)
    status, _, errors = await smoke(bridge, "--tool", "listProducts")
    assert (status, "was not called" in errors) == (1, True)
    status, _, errors = await smoke(bridge, "--url", "http://127.0.0.1:9")
    assert (status, "no answer of the bridge" in errors) == (1, True)
    assert await count(bridge) == 0
