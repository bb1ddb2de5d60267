"""Each route of the API's own document, asked at the home of its user and at another replica."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from sqlalchemy import URL

from bridge.app.server import Bridge
from tests.support.cluster.replicas import running_replicas
from tests.support.running_bridge import FakePage, json_answer, pair_browser
from tests.support.stores.databases import execute
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer

pytestmark = pytest.mark.asyncio

METHODS = frozenset({"get", "post", "put", "patch", "delete"})
LEAST_ROUTES = 60
WRONG_BODY: list[Any] = []
"""No route takes a list: what may change something answers without having changed it."""


@pytest.fixture
def database(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database() as url:
        yield url


async def test_each_route_answers_the_same_at_every_replica(
    tmp_path: Path, database: URL, redis_server: RedisServer, http: aiohttp.ClientSession
) -> None:
    """A balancer leads a request anywhere; its user must not see where."""
    async with running_replicas(tmp_path, database, redis_server.url) as (here, there):
        page = await connected_page(here, http)
        document = await page.get("/api/openapi.json")
        routes = [
            (method.upper(), re.sub(r"{\w+}", "nothing", path), "requestBody" in operation)
            for path, item in document["paths"].items()
            for method, operation in item.items()
            if method in METHODS
        ]
        assert len(routes) > LEAST_ROUTES
        differing = [
            f"{method} {path}: {at_home} at home, {elsewhere} elsewhere"
            for method, path, has_body in routes
            if (at_home := await ask(here, page, method, path, has_body=has_body))
            != (elsewhere := await ask(there, page, method, path, has_body=has_body))
        ]
        await page.close()
        assert differing == []
        assert execute(database, "SELECT replica FROM homes") == [(here.replica.id,)]  # type: ignore[union-attr]


async def connected_page(home: Bridge, http: aiohttp.ClientSession) -> FakePage:
    async def answer(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({})

    page = await pair_browser(home.base_url, http, await home.components.users.add_ticket(home.local_user.id))
    await page.open_session()
    await page.accept_everything()
    await page.connect(answer)
    return page


async def ask(bridge: Bridge, page: FakePage, method: str, path: str, *, has_body: bool) -> tuple[int, str]:
    """The status, and the body without what differs from one moment to the next."""
    async with page.http.request(
        method,
        bridge.base_url + path,
        json=WRONG_BODY if has_body else None,
        headers={"Authorization": f"Bearer {page.token}"},
    ) as answer:
        body = await answer.read()
        is_json = answer.content_type == "application/json"
        return answer.status, json.dumps(shape_of(json.loads(body)) if is_json else answer.content_type)


def shape_of(value: Any) -> Any:
    """JSON with the kinds of numbers and texts in their places; codes of errors stay."""
    match value:
        case {"code": code}:
            return {"code": code}
        case dict():
            return {key: shape_of(each) for key, each in sorted(value.items())}  # pyright: ignore
        case list():
            return [shape_of(each) for each in value]  # pyright: ignore
        case _:
            return type(value).__name__
