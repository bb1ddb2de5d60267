"""Traces of model turns and of MCP's messages; and that every span and attribute of the reference is made."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import openai
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.settings.chat.models import ModelsFile, ProviderSettings
from bridge.tracing.names import ATTRIBUTES, SPANS, SpanType
from tests.support.mcp_messages import REQUESTS, modern_request, post_message
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, client_of, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider, fails
from tests.support.running_bridge import json_answer, page_of
from tests.support.traces.span_collector import ReceivedSpan, SpanCollector, span_collector
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

HELLO: Any = [{"role": "user", "content": "Which products are there?"}]
TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
KINDS = {"internal": 1, "server": 2, "client": 3}
ENDPOINT = "http://mcp.example/mcp"
ECHO = json.dumps(
    {
        "mcp": "2026-07-28",
        "endpoint": ENDPOINT,
        "server": {"name": "notes", "version": "2"},
        "tools": [{"name": "echo", "inputSchema": {"type": "object"}}],
    }
)
PHASES = [0, 0.05, 0, 0]


@pytest_asyncio.fixture
async def collector() -> AsyncIterator[SpanCollector]:
    async with span_collector() as running:
        yield running


@pytest_asyncio.fixture
async def bridge(
    tmp_path: Path, provider: ScriptedProvider, collector: SpanCollector
) -> AsyncIterator[Bridge]:
    told = ProviderSettings(
        name="scripted", base_url=provider.base_url, api_key_env="SCRIPTED_KEY", trace_context=True
    )
    models = ModelsFile(provider=(told,))
    async with shop_bridge(tmp_path, provider, models=models, traces_endpoint=collector.url) as running:
        yield running


@pytest_asyncio.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


async def answer(_sent: dict[str, Any]) -> dict[str, Any]:
    return {**json_answer([]), "phases_ms": PHASES}


async def received(collector: SpanCollector, name: str, count: int = 1) -> None:
    """Wait for the last span of what a test has done."""
    await eventually(lambda: len([span for span in collector.spans if span.name == name]) >= count, what=name)


async def ask(bridge: Bridge) -> None:
    async with client_of(bridge) as client:
        await client.chat.completions.create(model=MODEL, messages=HELLO)


async def test_a_turn_is_one_trace_of_its_rounds_and_calls(
    bridge: Bridge, provider: ScriptedProvider, collector: SpanCollector
) -> None:
    """And the provider's own traces can go on from the round that asked it."""
    provider.play(calls(("listProducts", {})).costing(10, 2), text("Tea.").costing(30, 4))
    async with page_of(bridge, bridge.local_user.id, answer):
        await ask(bridge)
    await received(collector, "POST /v1/chat/completions")
    turn, tool = collector.named("invoke_agent"), collector.named("execute_tool listProducts")
    rounds = [span for span in collector.spans if span.name == f"chat {MODEL}"]
    assert turn.parent_id == collector.named("POST /v1/chat/completions").span_id
    assert {span.parent_id for span in (*rounds, tool)} == {turn.span_id}
    told = [request.headers["traceparent"] for request in provider.requests]
    assert told == [f"00-{turn.trace_id}-{span.span_id}-03" for span in rounds]
    assert turn.attributes["tool_bridge.turn.rounds"] == 2
    assert [span.attributes["gen_ai.usage.input_tokens"] for span in (*rounds, turn)] == [10, 30, 40]
    assert tool.attributes["gen_ai.tool.call.id"]


async def test_a_provider_that_fails_is_an_error_of_its_round_and_of_the_turn(
    bridge: Bridge, provider: ScriptedProvider, collector: SpanCollector
) -> None:
    """By the provider's own code."""
    provider.play(fails(400))
    with pytest.raises(openai.APIStatusError):
        await ask(bridge)
    await received(collector, "invoke_agent")
    assert collector.named(f"chat {MODEL}").is_error
    assert collector.named("invoke_agent").is_error


async def test_a_provider_is_told_nothing_unless_its_settings_say_so(
    tmp_path: Path, provider: ScriptedProvider, collector: SpanCollector
) -> None:
    """It would learn which requests belong together."""
    provider.play(text("Tea."))
    async with shop_bridge(tmp_path, provider, traces_endpoint=collector.url) as bridge:
        await ask(bridge)
    assert "traceparent" not in provider.requests[0].headers
    assert collector.named("invoke_agent")


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_the_trace_that_an_mcp_client_names_in_its_message_is_the_parent(
    bridge: Bridge, http: aiohttp.ClientSession, collector: SpanCollector, era: str
) -> None:
    """One request may carry a message of another trace than its own, so that it is a link then."""
    message = REQUESTS[era]("tools/call", {"name": "listProducts"}, traceparent=f"00-{TRACE}-{CALLER}-01")
    async with page_of(bridge, bridge.local_user.id, answer):
        assert (await post_message(bridge, http, *message))[0] == 200
        assert (await post_message(bridge, http, *REQUESTS[era]("tools/list")))[0] == 200
    await received(collector, "POST /mcp", 2)
    span, listing = collector.named("tools/call listProducts"), collector.named("tools/list")
    requests = {span.span_id for span in collector.spans if span.name == "POST /mcp"}
    assert (span.trace_id, span.parent_id) == (TRACE, CALLER)
    assert set(span.links) | {listing.parent_id} == requests
    assert collector.named("execute_tool listProducts").parent_id == span.span_id
    assert span.attributes["mcp.protocol.version"]


async def test_a_tool_that_fails_is_an_error_of_its_message(
    bridge: Bridge, http: aiohttp.ClientSession, collector: SpanCollector
) -> None:
    """The answer is a good one for JSON-RPC, and a failure for whoever looks for failures."""
    async with page_of(bridge, bridge.local_user.id, answer):
        await post_message(bridge, http, *modern_request("tools/call", {"name": "addProduct"}))
        await post_message(bridge, http, *modern_request("tools/call", {"name": "noSuchTool"}))
    await received(collector, "POST /mcp", 2)
    assert collector.named("tools/call addProduct").attributes["error.type"] == "tool_error"
    unknown = collector.named("tools/call noSuchTool")
    assert unknown.attributes["rpc.response.status_code"] == unknown.attributes["error.type"] == "-32602"


async def test_every_span_and_attribute_of_the_reference_is_made(
    tmp_path: Path, http: aiohttp.ClientSession, provider: ScriptedProvider, collector: SpanCollector
) -> None:
    """A name that nobody makes would be looked for in vain."""
    provider.play(calls(("listProducts", {})).costing(10, 2), text("Tea."))
    settings: dict[str, Any] = {"approve": "safe", "traces_endpoint": collector.url}
    async with shop_bridge(tmp_path, provider, **settings) as bridge:
        await bridge.components.registry.share_document("notes.json", ECHO, source_url=ENDPOINT)
        async with page_of(bridge, bridge.local_user.id, answer) as page:
            page.asks_user = True
            await ask(bridge)
            for name in ("echo", "noSuchTool"):
                await post_message(bridge, http, *modern_request("tools/call", {"name": name}))
    for kind in SPANS:
        assert [span for span in collector.spans if is_of(span, kind)], kind.title
    assert {name for span in collector.spans for name in span.attributes} == set(ATTRIBUTES)


def is_of(span: ReceivedSpan, kind: SpanType) -> bool:
    """Whether a span may be one of that kind, and tells something of it."""
    pattern = re.sub(r"\\\{\w+\\\}", r"\\S+", re.escape(kind.title))
    has_some = not kind.attributes or bool(set(span.attributes) - {"error.type"})
    return (
        span.kind == KINDS[kind.kind]
        and re.fullmatch(pattern, span.name) is not None
        and set(span.attributes) <= set(kind.attributes)
        and has_some
    )
