"""A real Prometheus reads a real bridge with the files of `deploy/prometheus`."""

import asyncio
import json
import shutil
import subprocess
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.support.documents.compiled import document_text
from tests.support.prometheus import CONFIGURATION, Prometheus, find_promtool, running_prometheus
from tests.support.running_bridge import json_answer, page_of, running_bridge
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.slow]

TOKEN = "a-token-for-prometheus-alone"
VARIABLES = {"$instance": ".*", "$__rate_interval": "1m"}
"""What Grafana puts in their place."""


async def test_prometheus_reads_a_bridge_and_its_rules_and_dashboard_ask_what_it_knows(
    tmp_path: Path,
) -> None:
    """Every query of the dashboard is taken, every rule is sound, and a bridge that is gone is noticed."""

    async def answer(_sent: dict[str, Any]) -> dict[str, Any]:
        return json_answer([])

    folder = tmp_path / "prometheus"
    folder.mkdir()
    async with AsyncExitStack() as of_bridge, AsyncExitStack() as of_prometheus:
        bridge = await of_bridge.enter_async_context(running_bridge(tmp_path, metrics_token=TOKEN))
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        target = bridge.base_url.removeprefix("http://")
        prometheus = await of_prometheus.enter_async_context(running_prometheus(folder, target, TOKEN))
        async with page_of(bridge, bridge.local_user.id, answer):
            await _call(f"{bridge.base_url}/tools/listProducts", bridge.key)
            await eventually(
                lambda: _is(prometheus, 'tool_bridge_calls_total{outcome="succeeded", kind="safe"}', 1),
                within_s=30,
            )
            assert await prometheus.values_of("tool_bridge_pages") == [1]
        for query in _queries():
            await prometheus.ask("query", query=query)
        await of_bridge.aclose()
        await eventually(lambda: _is(prometheus, "up", 0), within_s=30)
        await eventually(lambda: _rules_are_sound(prometheus), within_s=30)
        await eventually(lambda: _is(prometheus, 'ALERTS{alertname="ToolBridgeDown"}', 1), within_s=30)


async def test_each_alert_fires_for_what_it_is_about_and_for_nothing_else(tmp_path: Path) -> None:
    """A rule may be sound and still never fire, which nobody notices before the day it should have."""
    shutil.copy(CONFIGURATION / "alerts.yml", tmp_path)
    shutil.copy(Path(__file__).with_name("alerts.yml"), tmp_path / "played.yml")
    await _promtool("test", "rules", str(tmp_path / "played.yml"))


async def test_promtool_has_nothing_to_say_about_the_metrics(tmp_path: Path) -> None:
    """It knows the rules of names, units and types."""
    async with running_bridge(tmp_path, metrics_token=TOKEN) as bridge:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            aiohttp.ClientSession(headers=headers) as http,
            http.get(f"{bridge.base_url}/metrics") as told,
        ):
            await _promtool("check", "metrics", text=await told.text())


async def _promtool(*arguments: str, text: str = "") -> None:
    run = asyncio.to_thread(
        subprocess.run, [find_promtool(), *arguments], input=text, text=True, capture_output=True, check=False
    )
    done = await run
    assert done.returncode == 0, done.stdout + done.stderr


async def _call(url: str, key: str) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    async with aiohttp.ClientSession(headers=headers) as http, http.post(url, data="{}") as answer:
        assert answer.status == 200


async def _is(prometheus: Prometheus, query: str, value: float) -> bool:
    return await prometheus.values_of(query) == [value]


def _queries() -> list[str]:
    panels = json.loads((CONFIGURATION / "dashboard.json").read_text())["panels"]
    queries = [target["expr"] for panel in panels for target in panel["targets"]]
    assert len(queries) > 15
    for name, value in VARIABLES.items():
        queries = [query.replace(name, value) for query in queries]
    return queries


async def _rules_are_sound(prometheus: Prometheus) -> bool:
    """Whether all have been evaluated without an error."""
    rules = [rule for group in (await prometheus.ask("rules"))["groups"] for rule in group["rules"]]
    assert len(rules) > 5
    return all(rule["health"] == "ok" for rule in rules)
