"""Traces: what a collector is told of a call, from the request to the API's answer."""

import socket
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.telemetry.otlp_exporter import CLOSE_S
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import json_answer, page_of, running_bridge, status_of_call
from tests.support.traces.span_collector import SpanCollector, span_collector
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PHASES = [0, 0.05, 0]


@pytest_asyncio.fixture
async def collector() -> AsyncIterator[SpanCollector]:
    async with span_collector() as running:
        yield running


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, collector: SpanCollector) -> AsyncIterator[Bridge]:
    async with running_bridge(tmp_path, traces_endpoint=collector.url) as running:
        await running.components.registry.share_document("shop.json", document_text(), source_url=None)
        yield running


async def answer(_sent: dict[str, Any]) -> dict[str, Any]:
    return {**json_answer([]), "phases_ms": PHASES}


async def received(collector: SpanCollector, name: str) -> SpanCollector:
    """What the collector has, once it has a span of that name: the last one of its call."""
    await eventually(lambda: [span for span in collector.spans if span.name == name], what=name)
    return collector


async def test_a_call_is_one_trace_from_its_request_to_the_answer_of_the_api(
    bridge: Bridge, collector: SpanCollector
) -> None:
    """Whoever wonders where the time of a call went reads it in one place."""
    async with page_of(bridge, bridge.local_user.id, answer) as page:
        assert await status_of_call(bridge, "listProducts", traceparent=f"00-{TRACE}-{CALLER}-01") == 200
    spans = await received(collector, "POST /tools/{tool}")
    request, tool = spans.named("POST /tools/{tool}"), spans.named("execute_tool listProducts")
    run, fetch = spans.named("run in page"), spans.named("GET /products")
    assert (request.trace_id, request.parent_id) == (TRACE, CALLER)
    assert (tool.parent_id, run.parent_id, fetch.parent_id) == (request.span_id, tool.span_id, run.span_id)
    assert page.calls[0]["bridge"]["traceparent"] == f"00-{TRACE}-{fetch.span_id}-01"
    assert page.calls[0]["bridge"]["pass_traceparent"] is False
    assert {span.trace_id for span in spans.spans} >= {TRACE}
    assert fetch.attributes["http.response.status_code"] == 200
    assert run.began_ns <= fetch.began_ns < fetch.ended_ns <= run.ended_ns
    assert request.resource["service.name"] == "tool-bridge"
    assert "process.runtime.name" in request.resource


@pytest.mark.two_replicas
async def test_a_call_belongs_to_its_request_wherever_its_user_is_at_home(
    bridge: Bridge, collector: SpanCollector
) -> None:
    """A replica that passes a request on is a part of its way, and shows up in it."""
    async with page_of(bridge, bridge.local_user.id, answer):
        assert await status_of_call(bridge, "listProducts", traceparent=f"00-{TRACE}-{CALLER}-01") == 200

    def names_above() -> list[str]:
        """From the call up to its caller; empty while a replica has not told its part."""
        by_id = {span.span_id: span for span in collector.spans}
        span = next((each for each in collector.spans if each.name == "execute_tool listProducts"), None)
        above: list[str] = []
        while span and span.parent_id != CALLER:
            if span := by_id.get(span.parent_id):
                above.append(span.name)
        return above if span else []

    assert set(await eventually(names_above)) == {"POST /tools/{tool}"}


async def test_a_page_may_tell_an_api_of_the_trace_where_the_servers_setting_says_so(bridge: Bridge) -> None:
    """It costs a preflight, and tells the API which calls belong together."""
    async with page_of(bridge, bridge.local_user.id, answer) as page:
        path = f"/api/servers/{(await page.get('/api/servers'))['servers'][0]['id']}"
        assert (await page.get(path))["trace_context"] is False
        status, changed = await page.request("PATCH", path, {"trace_context": True})
        assert (status, changed["trace_context"]) == (200, True)
        assert await status_of_call(bridge, "listProducts") == 200
        assert page.calls[0]["bridge"]["pass_traceparent"] is True
        await page.request("PATCH", path, {"inline_html": True})
        assert (await page.get(path))["trace_context"] is True


async def test_a_call_without_a_trace_begins_one_and_a_malformed_context_is_none(
    bridge: Bridge, collector: SpanCollector
) -> None:
    """The standard wants it ignored; the call goes on."""
    async with page_of(bridge, bridge.local_user.id, answer):
        assert await status_of_call(bridge, "listProducts", traceparent=f"00-{TRACE}-{CALLER}") == 200
    spans = await received(collector, "POST /tools/{tool}")
    request = spans.named("POST /tools/{tool}")
    assert request.parent_id == ""
    assert request.trace_id not in ("", TRACE)


async def test_a_refused_call_says_why_at_its_request(bridge: Bridge, collector: SpanCollector) -> None:
    """It has no span of its own: it was never opened. By the conventions a 4xx is no error of a server."""
    assert await status_of_call(bridge, "noSuchTool") == 404
    request = (await received(collector, "POST /tools/{tool}")).named("POST /tools/{tool}")
    assert (request.is_error, request.attributes["error.type"]) == (False, "unknown_tool")
    assert request.attributes["http.response.status_code"] == 404


async def test_a_call_that_cannot_be_made_now_is_an_error_of_its_request(
    bridge: Bridge, collector: SpanCollector
) -> None:
    """503: the caller has done nothing wrong."""
    async with page_of(bridge, bridge.local_user.id, answer):
        pass
    assert await status_of_call(bridge, "listProducts") == 503
    request = (await received(collector, "POST /tools/{tool}")).named("POST /tools/{tool}")
    assert (request.is_error, request.attributes["error.type"]) == (True, "503")
    assert collector.named("execute_tool listProducts").attributes["error.type"] == "no_browser"


async def test_what_a_caller_does_not_record_is_not_recorded_here(
    bridge: Bridge, collector: SpanCollector
) -> None:
    """The page is told of it all the same, so that the API decides alike."""
    async with page_of(bridge, bridge.local_user.id, answer) as page:
        assert await status_of_call(bridge, "listProducts", traceparent=f"00-{TRACE}-{CALLER}-00") == 200
    await received(collector, "POST /api/devices")
    assert page.calls[0]["bridge"]["traceparent"].startswith(f"00-{TRACE}-")
    assert page.calls[0]["bridge"]["traceparent"].endswith("-00")
    await bridge.components.tracing.close()
    assert not [span for span in collector.spans if span.trace_id == TRACE]


async def test_arguments_answers_and_keys_are_in_no_span(bridge: Bridge, collector: SpanCollector) -> None:
    """Whoever reads traces need not be whoever may call tools."""

    async def reveal(_sent: dict[str, Any]) -> dict[str, Any]:
        return {**json_answer({"title": "the-answer"}, status=409), "phases_ms": PHASES}

    headers = {"Authorization": f"Bearer {bridge.key}", "X-OpenWebUI-Chat-Id": "the-chat"}
    async with (
        page_of(bridge, bridge.local_user.id, reveal),
        aiohttp.ClientSession(headers=headers) as http,
        http.post(f"{bridge.base_url}/tools/addProduct?q=the-query", data='{"name": "the-argument"}') as told,
    ):
        assert "the-answer" in await told.text()
    text = repr(await received(collector, "POST /tools/{tool}"))
    assert "addProduct" in text
    for secret in ("the-answer", "the-argument", "the-query", "the-chat", bridge.key, bridge.local_user.id):
        assert secret not in text


async def test_calls_go_on_while_the_collector_is_away(tmp_path: Path) -> None:
    """Nobody's call may wait for those who watch, or fail because of them."""
    gone = "http://127.0.0.1:9/v1/traces"
    async with running_bridge(tmp_path, traces_endpoint=gone) as bridge:
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        async with page_of(bridge, bridge.local_user.id, answer):
            for _ in range(20):
                assert await status_of_call(bridge, "listProducts") == 200


async def test_a_bridge_ends_in_time_although_the_collector_never_answers(tmp_path: Path) -> None:
    """An update must not wait for a collector that hangs."""
    listener = socket.create_server(("127.0.0.1", 0))
    endpoint = f"http://127.0.0.1:{listener.getsockname()[1]}/v1/traces"
    async with running_bridge(tmp_path, traces_endpoint=endpoint) as bridge:
        await status_of_call(bridge, "noSuchTool")
        began = time.monotonic()
    assert time.monotonic() - began < CLOSE_S + 5
    listener.close()


async def test_without_a_collector_nothing_is_traced_and_no_page_told(tmp_path: Path) -> None:
    """What is switched off costs nothing."""
    async with running_bridge(tmp_path) as bridge:
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        async with page_of(bridge, bridge.local_user.id, answer) as page:
            assert await status_of_call(bridge, "listProducts", traceparent=f"00-{TRACE}-{CALLER}-01") == 200
        assert bridge.components.tracing.tracer is None
    assert "traceparent" not in page.calls[0]["bridge"]
