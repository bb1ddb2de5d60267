"""`tool-bridge smoke`: the flow of the source's test script, as a command."""

import asyncio
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
from tests.support.commands import Ended, run_command
from tests.support.documents.compiled import document_text
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import model_bridge, products
from tests.support.models.scripted_provider import answers, scripted_provider
from tests.support.models.wing import wing_of
from tests.support.running_bridge import page_of, running_bridge

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncGenerator[Bridge]:
    async with running_bridge(tmp_path) as running:
        await running.components.registry.share_document("shop.json", document_text(), source_url=None)
        yield running


async def smoke(bridge: Bridge, *words: str) -> Ended:
    return await asyncio.to_thread(run_command, "smoke", "--data", str(bridge.data_dir), *words)


async def smoke_alone(bridge: Bridge, *words: str) -> Ended:
    """In a process of its own."""
    command = (sys.executable, "-m", "bridge", "smoke", "--data", str(bridge.data_dir), *words)
    process = await create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE)
    output, errors = await wait_for(process.communicate(), 50)
    return Ended(process.returncode or 0, output.decode(), errors.decode())


async def count(bridge: Bridge) -> int:
    found = await wing_of(bridge.components).conversations.store.list_conversations(
        bridge.local_user.id, before=None, limit=5
    )
    return len(found)


async def test_it_prints_every_message_and_leaves_nothing(bridge: Bridge) -> None:
    """S3-18: user, call, output and answer, with the model that needs no account."""
    async with page_of(bridge, bridge.local_user.id, products):
        ended = await smoke_alone(bridge, "--tool", "listProducts")
    assert ended.status == 0, ended.errors
    lines = ended.output.splitlines()
    assert lines[0] == "user: CALL listProducts {}"
    assert "  calls listProducts {}" in lines
    assert 'tool: {"products": ["tea"]}' in lines
    assert lines[-1].startswith("completed: 4 messages")
    assert await count(bridge) == 0


async def test_it_prints_json_and_can_leave_the_conversation(bridge: Bridge) -> None:
    """S3-18: for a program that looks closer."""
    async with page_of(bridge, bridge.local_user.id, products):
        ended = await smoke(bridge, "--json", "--keep")
    told: Any = json.loads(ended.output)
    assert ended.status == 0
    assert [message["role"] for message in told["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert told["answer"]["state"] == "completed"
    assert await count(bridge) == 1


async def test_what_is_missing_is_said(bridge: Bridge) -> None:
    """S3-18: no page, no such tool, no bridge: each has its own words, and status 1."""
    ended = await smoke(bridge)
    assert (ended.status, "accept it" in ended.errors) == (1, True)
    async with page_of(bridge, bridge.local_user.id, products):
        ended = await smoke(bridge, "--tool", "nothing")
        assert (ended.status, "no accepted tool 'nothing'" in ended.errors) == (1, True)
    ended = await smoke(bridge, "--tool", "listProducts")
    assert (ended.status, "was not called" in ended.errors) == (1, True)
    ended = await smoke(bridge, "--url", "http://127.0.0.1:9")
    assert (ended.status, "no answer of the bridge" in ended.errors) == (1, True)
    assert await count(bridge) == 0


async def test_it_takes_the_model_that_calls_for_certain_whatever_providers_there_are(
    bridge: Bridge,
) -> None:
    """Finding F-15: the first listed model was taken, which is another's as soon as a provider was added."""
    async with (
        scripted_provider() as provider,
        page_of(bridge, bridge.local_user.id, products) as page,
    ):
        await page.request("PUT", "/api/providers/mine", {"base_url": provider.base_url, "key": "sk-x"})
        ended = await smoke(bridge, "--tool", "listProducts")
        assert ended.status == 0, ended.errors
        assert ended.output.startswith("user: CALL listProducts {}")
        assert provider.requests == []


async def test_without_the_built_in_model_the_first_listed_is_asked(tmp_path: Path) -> None:
    """Finding F-15: sibling. An operator's own providers replace it, and one may be down."""
    async with scripted_provider() as provider, model_bridge(tmp_path, provider) as bridge:
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        async with page_of(bridge, bridge.local_user.id, products):
            provider.play(calls(("listProducts", {})), text("Tea."))
            assert (await smoke(bridge, "--tool", "listProducts")).status == 0
    provider.models = answers(500, b"")
    async with model_bridge(tmp_path, provider) as bridge:
        ended = await smoke(bridge)
        assert (ended.status, "Name one with --model" in ended.errors) == (1, True)
