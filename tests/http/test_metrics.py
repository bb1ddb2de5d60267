"""`/metrics`: who may read it, and that what happens is counted."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from prometheus_client.parser import text_string_to_metric_families

from bridge.app.server import Bridge
from bridge.storage.users import User
from tests.support.documents.compiled import document_text, overlay_text
from tests.support.running_bridge import json_answer, page_of, running_bridge, status_of_call
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

TOKEN = "a-token-for-prometheus-alone"

Samples = Mapping[tuple[str, frozenset[tuple[str, str]]], float]


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncIterator[Bridge]:
    async with running_bridge(tmp_path, metrics_token=TOKEN) as running:
        await running.components.registry.share_document("shop.json", document_text(), source_url=None)
        yield running


async def read_metrics(bridge: Bridge, credential: str | None = TOKEN) -> tuple[int, str, str]:
    headers = {} if credential is None else {"Authorization": f"Bearer {credential}"}
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        http.get(f"{bridge.base_url}/metrics") as answer,
    ):
        return answer.status, answer.headers["Content-Type"], await answer.text()


async def read_samples(bridge: Bridge) -> Samples:
    _, _, text = await read_metrics(bridge)
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples.get((f"tool_bridge_{name}", frozenset(labels.items())), 0.0)


async def test_the_token_for_metrics_reads_them_and_nothing_else(bridge: Bridge) -> None:
    """Prometheus keeps its credentials in a file; whoever finds it must not be able to call tools."""
    status, content_type, text = await read_metrics(bridge)
    assert (status, content_type.split(";")[0]) == (200, "text/plain")
    assert "tool_bridge_build_info" in text
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with aiohttp.ClientSession(headers=headers) as http:
        for path in ("/openapi.json", "/api/tools", "/v1/models", "/api/audit"):
            async with http.get(bridge.base_url + path) as answer:
                assert answer.status in (401, 403), path


async def test_the_operator_may_read_them_and_no_other_user(bridge: Bridge) -> None:
    """They tell what all users do."""
    ann: User = await bridge.components.users.ensure_user("ann")
    _, key = await bridge.components.users.add_key(ann.id, "of ann")
    assert (await read_metrics(bridge, bridge.key))[0] == 200
    status, _, text = await read_metrics(bridge, key)
    assert (status, "operator_only" in text) == (403, True)
    assert (await read_metrics(bridge, None))[0] == 401
    assert (await read_metrics(bridge, TOKEN + "x"))[0] == 401


async def test_a_monitor_reads_them_under_whatever_address_it_reaches_the_bridge(bridge: Bridge) -> None:
    """Replicas have addresses that nobody knows beforehand; a page of a foreign name has no token."""
    elsewhere = {"Host": "10.0.0.7:8765"}
    statuses: list[int] = []
    for headers in ({"Authorization": f"Bearer {TOKEN}"}, {}):
        async with (
            aiohttp.ClientSession(headers={**headers, **elsewhere}) as http,
            http.get(f"{bridge.base_url}/metrics") as answer,
        ):
            statuses.append(answer.status)
    assert statuses == [200, 401]


async def test_calls_are_counted_by_kind_outcome_and_code(bridge: Bridge) -> None:
    """And how long each took, and what for."""
    answers = {"listProducts": json_answer([]), "addProduct": json_answer({"title": "no"}, status=409)}

    async def answer(sent: dict[str, Any]) -> dict[str, Any]:
        return answers["listProducts" if sent["name"] == "GET /products" else "addProduct"]

    async with page_of(bridge, bridge.local_user.id, answer):
        assert await status_of_call(bridge, "listProducts") == 200
        assert await status_of_call(bridge, "listProducts") == 200
        await status_of_call(bridge, "addProduct", '{"name": "x"}')
        samples = await read_samples(bridge)
    assert value(samples, "calls_total", kind="safe", outcome="succeeded", code="") == 2
    assert value(samples, "calls_total", kind="unsafe", outcome="failed", code="http_status") == 1
    assert value(samples, "call_seconds_count", kind="safe") == 2
    assert value(samples, "call_wait_seconds_count", waited_for="slot") == 3
    assert value(samples, "call_wait_seconds_count", waited_for="page") == 3
    assert (value(samples, "pages"), value(samples, "page_users")) == (1, 1)


async def test_endings_that_alerts_are_about_are_counted_from_nothing_on(bridge: Bridge) -> None:
    """Prometheus sees no increase in a series that begins with four: a page that died amid its calls."""
    samples = await read_samples(bridge)
    for code, outcome in (("no_browser", "failed"), ("outcome_unknown", "outcome_unknown")):
        labels = frozenset({"kind": "unsafe", "outcome": outcome, "code": code}.items())
        assert samples["tool_bridge_calls_total", labels] == 0


async def test_what_pages_say_their_time_went_into_is_measured_and_never_more_than_the_call_took(
    bridge: Bridge,
) -> None:
    """Pages know what the bridge cannot see; but one page must not spoil the figures of all."""

    async def answer(_sent: dict[str, Any]) -> dict[str, Any]:
        return {**json_answer([]), "phases_ms": [0.5, 1e12]}

    async with page_of(bridge, bridge.local_user.id, answer):
        assert await status_of_call(bridge, "listProducts") == 200
        samples = await read_samples(bridge)
    counts = [
        value(samples, "page_phase_seconds_count", phase=phase) for phase in ("prepare", "request", "read")
    ]
    assert counts == [1, 1, 0]
    assert value(samples, "page_phase_seconds_sum", phase="prepare") == 0.0005
    took_s = value(samples, "call_seconds_sum", kind="safe")
    assert value(samples, "page_phase_seconds_sum", phase="request") == took_s


async def test_what_the_database_takes_is_measured_by_kind_of_work(bridge: Bridge) -> None:
    """A slow disk makes everything slow, and shows nowhere else."""

    async def is_written() -> bool:
        samples = await read_samples(bridge)
        counts = [
            value(samples, "store_seconds_count", work=work) for work in ("read", "transaction", "journal")
        ]
        return all(counts)

    async def answer(_sent: dict[str, Any]) -> dict[str, Any]:
        return json_answer([])

    async with page_of(bridge, bridge.local_user.id, answer):
        await status_of_call(bridge, "addProduct", '{"name": "x"}')
        await eventually(is_written)
    samples = await read_samples(bridge)
    assert 0 < value(samples, "store_seconds_sum", work="journal") < 60


async def test_what_open_calls_wait_for_is_shown_while_they_wait(bridge: Bridge) -> None:
    """An operator sees whether pages, people or APIs are slow."""
    may_answer = asyncio.Event()

    async def answer(_sent: dict[str, Any]) -> dict[str, Any]:
        await may_answer.wait()
        return json_answer([])

    async def is_running() -> bool:
        samples = await read_samples(bridge)
        return (
            value(samples, "calls_open", waiting_for="api") == 1
            and value(samples, "queue_entries", queue="calls", state="running") == 1
        )

    async with page_of(bridge, bridge.local_user.id, answer), asyncio.TaskGroup() as group:
        running = group.create_task(status_of_call(bridge, "listProducts"))
        await eventually(is_running)
        may_answer.set()
        assert await running == 200
    samples = await read_samples(bridge)
    assert value(samples, "calls_open", waiting_for="api") == 0
    assert value(samples, "call_wait_seconds_count", waited_for="api") == 1


async def test_calls_that_are_refused_at_once_are_counted_by_their_code(bridge: Bridge) -> None:
    """They were never opened, so that no duration is theirs."""
    assert await status_of_call(bridge, "noSuchTool") == 404
    samples = await read_samples(bridge)
    assert value(samples, "calls_refused_total", code="unknown_tool") == 1


async def test_queries_of_answers_are_counted_by_how_they_ended(bridge: Bridge) -> None:
    """Issue 41: an operator sees whether models ask for what is not there, or for too much."""

    async def answer(_sent: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"items": [1, 2]})

    async with page_of(bridge, bridge.local_user.id, answer) as page:
        for select in ("items[0]", "sum(items[0])"):
            url = f"{bridge.base_url}/tools/listProducts"
            headers = {"Authorization": f"Bearer {bridge.key}"}
            async with page.http.post(url, json={"result_select": select}, headers=headers) as answered:
                assert answered.status == 200
    samples = await read_samples(bridge)
    for ending in ("succeeded", "query"):
        assert value(samples, "answer_queries_total", work="select", ending=ending) == 1


async def test_servers_are_counted_by_whether_overlays_edit_them(bridge: Bridge) -> None:
    """Issue 41: an operator sees how many tools are no longer what their documents say."""
    samples = await read_samples(bridge)
    assert (value(samples, "servers", edited="no"), value(samples, "servers", edited="yes")) == (1, 0)
    registry = bridge.components.registry
    overlay = overlay_text({"target": "$.info", "update": {"title": "Ours"}})
    added = await registry.add_server(bridge.local_user.id, document_text("Own"), source_url=None)
    await registry.change_server(bridge.local_user.id, added.record.id, overlays=(overlay,))
    samples = await read_samples(bridge)
    assert (value(samples, "servers", edited="no"), value(samples, "servers", edited="yes")) == (1, 1)


async def test_no_label_names_a_user_a_tool_or_an_address(bridge: Bridge) -> None:
    """Anybody can add those: a metric for each would fill Prometheus, and tell who does what."""

    async def answer(_sent: dict[str, Any]) -> dict[str, Any]:
        return json_answer([])

    async with page_of(bridge, bridge.local_user.id, answer):
        await status_of_call(bridge, "listProducts")
    names = {label for _, labels in await read_samples(bridge) for label, _ in labels}
    assert names <= {
        *(
            "kind",
            "outcome",
            "code",
            "waited_for",
            "waiting_for",
            "queue",
            "state",
            "watches",
            "provider",
            "log",
            "phase",
            "work",
            "ending",
            "edited",
        ),
        *("le", "version", "python", "replica", "generation"),
    }
