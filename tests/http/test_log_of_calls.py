"""What a bridge logs of a call that goes wrong: whose it was, which one, of which trace; no secret."""

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.log_lines import JsonFormatter
from bridge.timings import Timings
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import json_answer, page_of, running_bridge
from tests.support.traces.span_collector import span_collector

pytestmark = pytest.mark.asyncio

TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SECRET = "an-argument-nobody-may-read"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """All that the bridge and its libraries log, as loud as they can, as lines of JSON."""
    stream = io.StringIO()
    handler, root = logging.StreamHandler(stream), logging.getLogger()
    handler.setFormatter(JsonFormatter())
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    root.setLevel(before)


async def answer(_sent: dict[str, Any]) -> dict[str, Any]:
    return json_answer([])


async def test_a_line_about_a_call_names_its_user_itself_and_its_trace(
    tmp_path: Path, log: io.StringIO
) -> None:
    """Whoever reads it finds the call in the audit log, and in the trace what it waited for."""
    called: list[str] = []

    async def freeze(envelope: dict[str, Any]) -> None:
        called.append(envelope["data"]["data"]["id"])
        await asyncio.Event().wait()

    async with span_collector() as collector:
        settings: dict[str, Any] = {"limits": {"PAGE_RESUME_SECONDS": 0.5}, "traces_endpoint": collector.url}
        async with running_bridge(tmp_path, timings=Timings(ack_s=0.5), **settings) as bridge:
            await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
            async with page_of(bridge, bridge.local_user.id, answer) as page:
                page.socket.on("events", freeze)
                assert await _add_product(bridge.base_url, bridge.key) == 409
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    (frozen,) = [line for line in lines if "it is frozen" in line["message"]]
    about = {name: frozen[name] for name in ("level", "logger", "user", "call", "trace_id")}
    assert about == {
        "level": "warning",
        "logger": "bridge.browsers.gateway",
        "user": bridge.local_user.id,
        "call": called[0],
        "trace_id": TRACE,
    }
    for secret in (SECRET, bridge.key, page.token):
        assert secret not in log.getvalue()


async def _add_product(base_url: str, key: str) -> int:
    headers = {"Authorization": f"Bearer {key}", "traceparent": f"00-{TRACE}-{CALLER}-01"}
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        http.post(f"{base_url}/tools/addProduct", json={"name": SECRET}) as response,
    ):
        return response.status
