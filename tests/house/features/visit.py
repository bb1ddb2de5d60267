"""Visits the made-up feature of a copied bridge, and writes what came of it: a process of its own."""

import asyncio
import json
import sys
from pathlib import Path

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

import bridge
from bridge.app.server import Bridge
from bridge.settings.declaration import list_settings
from bridge.settings.tree import SettingsTree
from bridge.storage.accounts.account_tables import AccountTables
from bridge.storage.store import Store
from tests.support.running_bridge import running_bridge
from tests.support.stores.databases import execute

TOKEN = "a-token-for-prometheus-alone"


def value_of(text: str, name: str) -> float:
    families = text_string_to_metric_families(text)
    return next(one.value for family in families for one in family.samples if one.name == name)


async def ask(running: Bridge, method: str, path: str, credential: str) -> str:
    headers = {"Authorization": f"Bearer {credential}"}
    async with (
        aiohttp.ClientSession(running.base_url) as http,
        http.request(method, path, headers=headers) as answer,
    ):
        return await answer.text()


async def visit_feature(folder: Path) -> dict[str, object]:
    database = folder / "bridge.sqlite3"
    async with running_bridge(folder, metrics_token=TOKEN, visit_greeting="Moin") as running:
        user_id = running.local_user.id
        answer = json.loads(await ask(running, "POST", "/visits", running.key))
        metrics = await ask(running, "GET", "/metrics", TOKEN)
        settings = running.components.ground.settings.storage
    rows = execute(database, "SELECT * FROM visits")
    store = Store.open_store(database)
    await AccountTables(store, settings).delete_user(user_id)
    await store.close()
    return {
        "code": bridge.__file__,
        "variable": next(each.variable for each in list_settings(SettingsTree) if "VISIT" in each.variable),
        "answer": answer,
        "metric": value_of(metrics, "tool_bridge_visits_total"),
        "rows": len(rows),
        "rows_after_deletion": len(execute(database, "SELECT * FROM visits")),
    }


if __name__ == "__main__":
    place = Path(sys.argv[1])
    place.mkdir()
    print(json.dumps(asyncio.run(visit_feature(place))))
