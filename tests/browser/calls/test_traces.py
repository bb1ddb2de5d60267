"""A traced call of Open WebUI through a real page: docs/how-to/read-a-trace.md reads one."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.support.traces.span_collector import ReceivedSpan, SpanCollector, span_collector
from tests.support.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

OPEN_WEBUI = {
    "Accept": "*/*",
    "X-OpenWebUI-User-Name": "Ada Admin",
    "X-OpenWebUI-User-Id": "b5d012b2-1f3c-4a54-93a8-1b2c3d4e5f60",
    "X-OpenWebUI-User-Email": "admin@example.test",
    "X-OpenWebUI-User-Role": "admin",
    "X-OpenWebUI-Chat-Id": "968657eb-7a4b-4c61-8f37-0a1b2c3d4e5f",
    "X-OpenWebUI-Message-Id": "7a111840-5d2e-4b1c-9e0f-a1b2c3d4e5f6",
}
"""As version 0.12 sends them to a tool server, with its users' data forwarded."""

WHOLE = (
    "POST /tools/{tool}",
    "execute_tool mirrorQuery",
    "wait for slot",
    "wait for page",
    "run in page",
    "prepare request",
    "GET /query",
    "read answer",
)
"""The spans of a call, in the order of their beginnings."""


@pytest_asyncio.fixture(loop_scope="session")
async def collector() -> AsyncIterator[SpanCollector]:
    async with span_collector() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def traced(
    chromium: Browser, tmp_path: Path, collector: SpanCollector
) -> AsyncIterator[BrowserHarness]:
    async with open_harness(chromium, tmp_path, ["mirror.yaml"], traces_endpoint=collector.url) as scene:
        yield scene


async def spans_of_call(collector: SpanCollector) -> list[ReceivedSpan]:
    """The spans of the one call of a test, once its request has ended."""
    (request,) = await eventually(
        lambda: [span for span in collector.spans if span.name == WHOLE[0]], what=WHOLE[0]
    )
    found = [span for span in collector.spans if span.trace_id == request.trace_id]
    return sorted(found, key=lambda span: (span.began_ns, -span.ended_ns, WHOLE.index(span.name)))


async def test_a_call_of_open_webui_is_traced_from_its_request_to_the_answer_of_the_api(
    traced: BrowserHarness, collector: SpanCollector
) -> None:
    """Each span lies within the one above it; what is left of the request is the bridge's own work."""
    await traced.open_page()
    reply = await traced.caller.call("mirrorQuery", {"text": "tea"}, **OPEN_WEBUI)
    assert reply.status == 200
    spans = await spans_of_call(collector)
    assert [span.name for span in spans] == list(WHOLE)
    by_id = {span.span_id: span for span in spans}
    parents = {span.name: by_id[span.parent_id].name for span in spans[1:]}
    assert parents == {
        WHOLE[1]: WHOLE[0],
        **dict.fromkeys(WHOLE[2:5], WHOLE[1]),
        **dict.fromkeys(WHOLE[5:], "run in page"),
    }
    for span in spans[1:]:
        above = by_id[span.parent_id]
        assert above.began_ns <= span.began_ns <= span.ended_ns <= above.ended_ns, span.name
    assert not {value for span in spans for value in span.attributes.values()} & set(OPEN_WEBUI.values())


async def test_the_api_is_told_the_trace_once_its_user_has_said_so_in_the_page(
    traced: BrowserHarness, collector: SpanCollector
) -> None:
    """The API's own spans hang below that of its request."""
    page = await traced.open_page()
    await page.goto(f"{traced.bridge.base_url}/#servers/mirror")
    await page.get_by_label("Send the trace of the call").check()
    await expect(page.get_by_text("Saved")).to_be_visible()
    reply = await traced.caller.call("mirrorQuery", {"text": "tea"}, **OPEN_WEBUI)
    fetch = next(span for span in await spans_of_call(collector) if span.name == "GET /query")
    headers = {name.lower(): value for name, value in reply.json()["headers"].items()}
    assert headers["traceparent"] == f"00-{fetch.trace_id}-{fetch.span_id}-03"
